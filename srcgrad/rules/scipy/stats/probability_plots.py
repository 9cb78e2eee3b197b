"""Rules for ``scipy.stats``: probability plots, and what data say of their moments."""

from scipy import stats

from srcgrad.facts import declare
from srcgrad.rules.scipy.scipy_sources import as_in_scipy

PLOTS = "probplot ppcc_plot boxcox_normplot yeojohnson_normplot"
as_in_scipy(stats, PLOTS, plot="draw what it returns")
as_in_scipy(stats, "mvsdist bayes_mvs")
for _name in (*PLOTS.split(), "mvsdist", "bayes_mvs"):
    declare(getattr(stats, _name), raises=True)
