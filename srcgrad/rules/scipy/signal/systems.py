"""Rules for ``scipy.signal``: linear systems, their states and their responses.

A system is a tuple (two polynomials, zeros with poles and a gain, or four matrices), or
an object that holds these.
"""

from scipy import signal
from scipy.signal import _ltisys

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, classes_as_in_scipy

as_in_scipy(
    signal,
    "abcd_normalize tf2ss ss2tf zpk2ss ss2zpk cont2discrete freqs freqs_zpk "
    "group_delay lsim impulse step dlsim dimpulse dstep freqresp bode dfreqresp dbode",
)
classes_as_in_scipy(
    _ltisys,
    "LinearTimeInvariant lti dlti TransferFunction ZerosPolesGain StateSpace",
    "cont2discrete lsim impulse step dlsim dimpulse dstep freqresp bode dfreqresp "
    "dbode",
)
