"""Rules for ``scipy.signal``: the frequencies of a filter by what it is to achieve.

The order is a step.
"""

from scipy import optimize, signal

from srcgrad.rules.scipy.scipy_sources import as_in_scipy, instead_of
from srcgrad.rules.scipy.without import refuse

as_in_scipy(signal, "buttord cheb1ord cheb2ord ellipord iirdesign band_stop_obj")
instead_of(
    optimize.fminbound,
    lambda *args, **options: refuse(
        "the order of a band to stop", "its edges are found by a search"
    ),
)
