"""How often a counter is compared with the same result."""

import itertools

import pytest

from srcgrad.tracing.user_code.counters import ORDERS, iterations_until


@pytest.mark.parametrize("order", ORDERS)
def test_iterations_until_it_is_another_way(order):
    compare = ORDERS[order]
    for start, change in itertools.product(range(-7, 8), (-3, -2, -1, 1, 2, 3)):
        turns = range(1, 20)
        now = compare(start, 0)
        others = (j for j in turns if compare(start + j * change, 0) != now)
        assert iterations_until(compare, start, change) == next(others, None)
