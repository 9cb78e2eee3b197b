"""A backward half for some of its cotangents."""

import numpy as np
import pytest

from srcgrad.transforms.partition.unreached import without_cotangents
from srcgrad.updates import add_at, scatter
from tests.transforms.interpret import record, run, text

h, da, db = np.array([0.5, 2.0]), np.array([1.0, 3.0]), np.array([-2.0, 5.0])


def left_of(function, present):
    """What is left of ``function(h, da, db)`` with one of the two cotangents."""
    graph = record(lambda *given: function(*given), [h, da, db])
    graph.lint()
    numbers = {"a": 1, "b": 2}
    absent = next(graph.inputs[i] for name, i in numbers.items() if name != present)
    rest, found = without_cotangents(graph, [graph.inputs[numbers[present]]], [absent])
    rest.lint()
    assert absent not in rest.inputs
    # As if the other were zeros, wherever there is something left at all.
    given = [h, da, db]
    given[numbers["b" if present == "a" else "a"]] = np.zeros(2)
    expected, _ = run(graph, given)
    seen, _ = run(rest, [h, given[numbers[present]]])
    outputs = [found.get(value, value) for value in graph.outputs]
    kept = [e for e, out in zip(expected, outputs, strict=True) if out is not None]
    for ours, right in zip(seen, kept, strict=True):
        np.testing.assert_array_equal(ours, right)
    return text(rest)


def test_a_sum_is_its_other_operand():
    def both(h, a, b):
        return [a * 2.0 + b / h]

    assert left_of(both, "a") == ["t = multiply(y, 2.0)", "return t"]
    assert left_of(both, "b") == ["t = divide(z, x)", "return t"]


def test_a_difference_without_its_first_operand_is_the_other_one_negated():
    def difference(h, a, b):
        return [a * h - b * h]

    assert len(left_of(difference, "a")) == 2
    assert any("negative" in line for line in left_of(difference, "b"))


def test_a_sum_that_broadcasts_keeps_its_shape():
    def wider(h, a, b):
        return [np.sum(a) + b]

    assert "zeros" in "".join(left_of(wider, "a"))
    assert left_of(wider, "b") == ["return z"]


def test_what_only_absent_cotangents_lead_to_goes_with_its_outputs():
    def apart(h, a, b):
        return [a * h, np.exp(b)]

    assert left_of(apart, "a") == ["t = multiply(y, x)", "return t"]
    assert left_of(apart, "b") == ["t = exp(z)", "return t"]


@pytest.mark.parametrize(
    "function",
    [
        lambda h, a, b: [np.concatenate([a, b])],
        lambda h, a, b: [np.stack([a * h, b])],
        lambda h, a, b: [np.where(h > 1.0, a, b)],
    ],
)
def test_elsewhere_zeros_stand_for_one_that_is_absent(function):
    for present in "ab":
        assert any("zeros" in line for line in left_of(function, present))


def test_an_element_that_is_absent_is_a_scalar_zero():
    def elements(h, a, b):
        return [np.stack([np.sum(a), np.sum(b)])]

    assert all("zeros" not in line for line in left_of(elements, "a"))


def test_what_was_added_at_an_index_is_scattered_alone():
    def added(h, a, b):
        return [add_at(a * h, (slice(0, 1),), b[:1])]

    assert left_of(added, "a") == ["t = multiply(y, x)", "return t"]
    (line,) = (line for line in left_of(added, "b") if scatter.__name__ in line)
    assert "(2,)" in line


def test_an_infinity_on_the_way_that_is_not_taken_is_not_met():
    def divided(h, a, b):
        return [a + b / (h - h)]

    with np.errstate(divide="ignore"):
        graph = record(divided, [h, da, db])
    _, only_a, only_b = graph.inputs
    rest, found = without_cotangents(graph, [only_a], [only_b])
    assert found[graph.outputs[0]] is only_a
    assert not any(np.divide is step.function for step in rest.nodes)
