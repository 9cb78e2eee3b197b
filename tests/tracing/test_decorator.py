"""``trace`` is used bare, or with options."""

import srcgrad
from srcgrad.tracing.traced import Traced


def double(x):
    return 2 * x


def test_it_is_used_bare_or_with_options():
    bare, limited = srcgrad.trace(double), srcgrad.trace(max_traces=2)(double)
    assert isinstance(bare, Traced)
    assert isinstance(limited, Traced)
    assert limited(2.0) == bare(2.0) == 4.0
