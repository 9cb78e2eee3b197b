"""Rules for ``scipy.signal.windows``: windows by their parameters.

How many points there are, and of how many terms they are made, are numbers.
"""

from scipy.signal import windows

from srcgrad.rules.scipy.scipy_sources import as_in_scipy

as_in_scipy(
    windows,
    "gaussian general_gaussian kaiser exponential kaiser_bessel_derived general_cosine "
    "general_hamming tukey chebwin taylor dpss get_window",
)
