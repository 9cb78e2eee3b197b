import numpy as np

from tests.transforms.batching.cases import loops_of


def spread_of(x, y):
    return np.max(x) - np.min(y)


def both(x, y):
    return x + 1.0, np.outer(x, y)


def test_what_has_no_rule_runs_for_each_element():
    assert set(loops_of(spread_of, (4,), (2, 3))) == {"spread_of"}


def test_several_results_are_stacked_each():
    assert set(loops_of(both, (4,), (2,))) == {"both"}


def test_integers_and_numbers_keep_their_dtypes():
    assert set(loops_of(np.ptp, (4,), dtype=int)) == {"ptp"}
