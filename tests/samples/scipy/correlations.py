"""Samples for the rules of ``srcgrad.rules.scipy.stats.correlations``."""

from scipy import stats

from tests.samples import positive, within
from tests.samples.scipy.descriptive import of as of_data
from tests.samples.scipy.hypotheses import of

SHARES = within(0.05, 0.6, 4)

SAMPLES = [
    of(stats.pearsonr, (5, 2), (5, 2)),
    of(stats.pointbiserialr, (5,), (5,)),
    of(stats.linregress, (5,), (5,)),
    of(stats.theilslopes, (5,), (5,)),
    of(stats.siegelslopes, (5,), (5,), "separate"),
    of(stats.chisquare, positive(4)),
    of(stats.chisquare, positive(4), positive(4), sum_check=False),
    *(
        of(stats.power_divergence, positive(4), lambda_=order)
        for order in (0, -1, "cressie-read")
    ),
    *(
        of(stats.combine_pvalues, SHARES, method)
        for method in ("fisher", "pearson", "mudholkar_george", "tippett")
    ),
    of(stats.combine_pvalues, SHARES, "stouffer", positive(4)),
    of_data(stats.false_discovery_control, within(0.05, 0.6, 4, 2), method="by"),
]
