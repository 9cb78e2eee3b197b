"""Samples for the rules of ``srcgrad.rules.scipy.signal.signal_windows``."""

from scipy import signal
from scipy.signal import windows

from srcgrad.rules.libraries import replacement_of
from tests.samples import Constant, positive, within
from tests.samples.scipy.filters import of

LEVEL = within(46.0, 60.0)
SHARE = within(0.3, 0.4)


def named(name):
    return replacement_of(getattr(windows, name))


def by_name(*names):
    """A window as a tuple: its name, and parameters that are differentiated."""

    def call(*parameters):
        window = (*names, *parameters) if names else parameters[0]
        return replacement_of(signal.get_window)(window, 6)

    return call


SAMPLES = [
    of(windows.gaussian, 5, positive()),
    of(windows.gaussian, 4, positive(), False),
    of(windows.general_gaussian, 4, positive(), sig=positive()),
    of(windows.exponential, 5, Constant(None), positive()),
    of(windows.exponential, 5, center=within(1.1, 1.9), tau=positive(), sym=False),
    of(windows.kaiser, 5, positive()),
    of(windows.kaiser_bessel_derived, 6, positive()),
    of(windows.general_cosine, 5, (3,)),
    of(windows.general_hamming, 5, SHARE, sym=False),
    of(windows.tukey, 9, SHARE),
    of(windows.tukey, 5, positive(), call=lambda M, x: named("tukey")(M, 1.0 + x) * x),
    of(windows.tukey, 5, positive(), call=lambda M, x: named("tukey")(M, -x) * x),
    of(windows.chebwin, 6, LEVEL),
    of(windows.chebwin, 7, LEVEL),
    of(windows.taylor, 6, 4, within(25.0, 35.0)),
    of(windows.taylor, 6, sll=within(25.0, 35.0), norm=False),
    *(of(windows.dpss, n, within(1.5, 1.9)) for n in (6, 7)),
    of(windows.dpss, 8, within(1.5, 1.9), 4, False),
    of(windows.dpss, 8, within(1.5, 1.9), 2, return_ratios=True),
    of(signal.get_window, positive(), call=by_name("kaiser"), id="kaiser"),
    of(signal.get_window, positive(), call=by_name(), id="beta"),
    of(
        signal.get_window,
        *((), positive()),
        call=lambda p, sig: by_name("general gaussian_symmetric", 1.0)(sig) * p,
        id="general_gaussian",
    ),
    of(
        signal.firwin,
        *(5, 0.3, positive()),
        call=lambda n, f, x: replacement_of(signal.firwin)(n, f, window=("kaiser", x)),
        id="kaiser",
    ),
    of(
        signal.welch,
        *((20,), (8,)),
        call=lambda x, w: replacement_of(signal.welch)(x, window=w)[1],
        id="welch",
    ),
    of(
        signal.stft,
        *((20,), (8,)),
        call=lambda x, w: replacement_of(signal.stft)(x, window=w, nperseg=8)[2],
        id="window",
    ),
]
