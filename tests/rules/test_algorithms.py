"""Algorithms as nodes: the way back, and what it refuses."""

import numpy as np
import pytest

from srcgrad import NoRuleError, Variable
from srcgrad.rules.algorithms import solved, solved_back
from srcgrad.tape.apply import apply


class Scaled:
    """``2 a + b``; no gradient of ``b`` is wanted."""

    sought = (True, False)

    def run(self, values):
        a, b = values
        return 2.0 * a + b, np.int64(1)

    def back(self, g, out, values):
        return [2.0 * g[0]]


def test_a_gradient_goes_to_what_is_sought():
    a = Variable(np.array([1.0, 2.0]), requires_grad=True)
    out, count = apply(solved, (Scaled(), (a, np.ones(2))), {})
    assert int(count) == 1
    out.sum().backward()
    assert a.grad.data.tolist() == [2.0, 2.0]


def test_a_way_back_as_a_node_is_not_differentiated():
    a = Variable(np.array([1.0, 2.0]), requires_grad=True)
    (g,) = apply(solved_back, (Scaled(), (a, np.ones(2)), a, 0.0, a, 1), {})
    with pytest.raises(NoRuleError, match="differentiates twice"):
        g.sum().backward()
