"""Going back from some results of a compiled call: as on the tape, whatever comes."""

import itertools

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import srcgrad
from srcgrad import autograd
from tests.cases import for_each
from tests.tracing.walks import X, Y, assert_as_on_the_tape, results_of
from tests.variables import variable


def h_and_its_square(x, y):
    h = np.tanh(x)
    return h, (h * h).sum()


def a_chain(x, y):
    a = np.sin(x)
    b = a * y
    c = np.exp(b) + a
    return c, a, b, (c * y).sum()


def a_sum_and_a_logarithm(x, y):
    return x.sum(), np.log(y).sum()


def two_losses(x, y):
    return (x * x).sum(), (y * y * y).sum()


def two_losses_that_share(x, y):
    t = np.exp(x) * y
    return np.sum(t), np.sum(t * t)


def sums_only(x, y):
    a = x + y
    return a, a + 1.0, a - x


def parts_of_one(x, y):
    first, second = np.split(x * y, 2)
    return first, second, np.sum(first * second)


def rows_and_a_product(x, y):
    m = np.reshape(np.concatenate([x, y * 2.0]), (2, -1))
    _, s, _ = np.linalg.svd(m, full_matrices=False)
    return m, s, np.sum(s * s) + np.sum(m)


def views(x, y):
    a = x * y
    return a, a[::-1], np.sum(a[1:])


def a_dict(x, y):
    a = np.cos(x)
    return {"a": a, "b": [a * y, 3.0], "loss": np.sum(a * y)}


def each_of_one(x, y):
    h = np.sin(y)
    k = np.exp(x)
    return h, k, h * x, np.sum(h * k)


def a_step(x, y):
    h = np.sign(y - 1.0)
    k = h * x
    return h, k, k * y


PROGRAMS = (
    *(each_of_one, a_step),
    *(h_and_its_square, a_chain, a_sum_and_a_logarithm, two_losses),
    *(two_losses_that_share, sums_only, parts_of_one, rows_and_a_product),
    *(views, a_dict),
)


def subsets(function):
    count = len(results_of(function, X, Y))
    return [
        numbers
        for size in range(1, count + 1)
        for numbers in itertools.combinations(range(count), size)
    ]


CASES = [(function, numbers) for function in PROGRAMS for numbers in subsets(function)]
from_some = for_each(
    "function, numbers", CASES, ids=lambda case: (case[0].__name__, *case[1])
)


@from_some
def test_leaves_get_what_flows_from_there_and_else_none(function, numbers):
    def acts(run):
        run.hook_leaves()
        run.backward(numbers)

    assert_as_on_the_tape(function, acts)


@from_some
@pytest.mark.parametrize("scale", [None, 3.0])
def test_hooks_on_results_see_what_the_others_send(function, numbers, scale):
    def acts(run):
        for number in range(len(run.results)):
            run.hook(number, scale)
        run.backward(numbers)

    assert_as_on_the_tape(function, acts)


@from_some
def test_one_hook_sees_it_too(function, numbers):
    for number in range(len(results_of(function, X, Y))):

        def acts(run, number=number):
            run.hook(number, 0.5)
            run.results[number].retain_grad()
            run.backward(numbers)

        assert_as_on_the_tape(function, acts)


@from_some
def test_retained_gradients_are_complete(function, numbers):
    def acts(run):
        for result in run.results:
            result.retain_grad()
        run.backward(numbers, retain_graph=True)
        run.backward(numbers)

    assert_as_on_the_tape(function, acts)


@from_some
def test_results_are_targets_of_grad(function, numbers):
    def acts(run):
        run.grad(numbers, lambda run: run.results, retain_graph=True)
        run.grad(numbers, lambda run: [run.x, *run.results], retain_graph=True)
        run.grad(numbers, lambda run: [run.results[0], run.y])

    assert_as_on_the_tape(function, acts)


@from_some
def test_hooks_are_called_where_a_walk_to_some_targets_comes_by(function, numbers):
    def acts(run):
        for number, result in enumerate(run.results):
            run.hook(number, 3.0)
            result.retain_grad()
        for target in (run.x, run.y, *run.results):
            run.grad(numbers, lambda run, target=target: [target], retain_graph=True)
            run.note_grads()

    assert_as_on_the_tape(function, acts)


@pytest.mark.parametrize("function", PROGRAMS)
def test_so_are_those_on_what_is_computed_from_results(function):
    def acts(run):
        first = run.results
        run.results += tuple(np.sin(result) for result in first)
        run.results += (sum(result.sum() for result in run.results),)
        for number in range(len(run.results)):
            run.hook(number, 3.0)
        last = len(run.results) - 1
        for target in (run.x, run.y, *first):
            run.grad([last], lambda run, target=target: [target], retain_graph=True)
        run.backward([last])

    assert_as_on_the_tape(function, acts)


@from_some
def test_with_create_graph_too(function, numbers):
    def acts(run):
        for number in range(len(run.results)):
            run.hook(number, 2.0)
        run.results[-1].retain_grad()
        options = {"create_graph": True}
        first = run.grad(numbers, lambda run: [run.x, run.results[0]], **options)
        live = [g.sum() for g in first if g is not None and g.requires_grad]
        if live:
            found = autograd.grad(live, [run.x, run.y], allow_unused=True)
            for number, g in enumerate(found):
                run.note(f"second {number}", g)

    assert_as_on_the_tape(function, acts)


@from_some
def test_what_one_walk_has_freed_the_next_may_not_use(function, numbers):
    def acts(run):
        went_well = run.backward(numbers)
        for number in range(len(run.results)):
            went_well = went_well and run.backward([number])

    assert_as_on_the_tape(function, acts)


@pytest.mark.parametrize("function", PROGRAMS)
@given(data=st.data())
def test_any_sequence_of_acts(function, data):
    """Hooks, retained gradients, walks and targets in any order."""
    count = len(results_of(function, X, Y))
    numbers = st.lists(st.integers(0, count - 1), min_size=1, max_size=3)
    kinds = ["hook", "retain", "backward", "keep", "grad", "use"]
    plan = data.draw(
        st.lists(st.tuples(st.sampled_from(kinds), numbers), min_size=1, max_size=5)
    )

    def acts(run):
        for kind, chosen in plan:
            if kind == "hook":
                run.hook(chosen[0], 0.5)
            elif kind == "retain":
                run.results[chosen[0]].retain_grad()
            elif kind == "grad":
                before = len(run.log)
                try:
                    picked = [(run.x, run.y, *run.results)[k] for k in chosen]
                    run.grad(chosen, lambda run, picked=picked: picked)
                except RuntimeError as error:
                    run.log[before:] = [(str(error)[:60], None)]
                    break
            elif kind == "use":  # one result flows on into a loss of its own
                result = run.results[chosen[0]]
                run.results = (*run.results, (result * result).sum())
                if not run.backward([len(run.results) - 1], retain_graph=True):
                    break
            elif not run.backward(chosen, retain_graph=kind == "keep"):
                break

    assert_as_on_the_tape(function, acts)


# ----- One by one -----


def test_no_infinity_comes_through_from_a_result_that_was_not_used():
    function = srcgrad.trace(lambda x: (x.sum(), np.log(x).sum()))
    for _ in range(3):
        x = variable([0.0, 1.0])
        with np.errstate(divide="ignore"):
            total, _ = function(x)
        total.backward()
        assert x.grad.data.tolist() == [1.0, 1.0]
    assert function.stats.compiled == 2


def test_two_losses_that_share_nothing_are_two_graphs():
    function = srcgrad.trace(two_losses)
    for _ in range(3):
        x, y = variable(X), variable(Y)
        first, second = function(x, y)
        first.backward()
        assert y.grad is None
        second.backward()
        np.testing.assert_allclose(x.grad.data, 2.0 * X)
        np.testing.assert_allclose(y.grad.data, 3.0 * Y * Y)
        with pytest.raises(RuntimeError, match="second time"):
            first.backward()


def test_a_second_walk_is_refused_though_generated_code_saves_nothing():
    """The product by a number is folded away, but the tape saves for it."""
    for function in (lambda x: np.sum(x * 2.0), lambda x: np.sum(x * np.ones(4))):
        traced = srcgrad.trace(function)
        for each in (function, traced, traced):
            loss = each(variable(X))
            loss.backward()
            with pytest.raises(RuntimeError, match="second time"):
                loss.backward()


def test_a_graph_that_saved_nothing_is_walked_again():
    traced = srcgrad.trace(lambda x, y: np.sum(x + y))
    for _ in range(3):
        x = variable(X)
        loss = traced(x, Y)
        for count in (1.0, 2.0):
            loss.backward()
            assert x.grad.data.tolist() == [count] * 4


def test_generated_ways_are_shown():
    traced = srcgrad.trace(h_and_its_square)
    for _ in range(2):
        h, square = traced(variable(X), variable(Y))
    assert traced.source().count("def backward") == 1
    seen = []
    h.register_hook(lambda g: seen.append(g))
    square.backward()
    assert len(seen) == 1
    source = traced.source()
    assert source.count("def backward") == 3
    assert (
        "h_and_its_square: back from result 1, to the cotangent of result 0" in source
    )


def test_buffers_are_kept_as_long_as_a_walk_may_need_them():
    traced = srcgrad.trace(two_losses)
    for _ in range(2):
        first, second = traced(variable(X), variable(Y))
    node, before = first.grad_fn, first.grad_fn.saved
    first.backward()
    assert node.saved is before
    second.backward()
    assert node.saved is not before
    assert node.leaves is None


def steps_only(x, y):
    first = np.sign(x)
    return np.sum(first, axis=0), first, y


def steps_apart(x, y):
    return np.sum(np.sign(x)), np.sign(x * 2.0), y


@pytest.mark.parametrize("chosen", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("hooked", [(), (0,), (0, 1)])
@pytest.mark.parametrize("function", [steps_only, steps_apart])
def test_hooks_see_what_flows_though_no_gradient_comes_of_it(function, hooked, chosen):
    def back(function):
        seen, x = [], variable(X)
        results = function(x, None)
        for number in hooked:
            results[number].register_hook(lambda g, k=number: seen.append((k, g.data)))
        roots = [results[number] for number in chosen]
        autograd.backward(roots, [np.ones(root.shape) for root in roots])
        assert x.grad is None
        return [(k, np.asarray(g).tolist()) for k, g in seen]

    traced, expected = srcgrad.trace(function), back(function)
    for _ in range(3):
        assert back(traced) == expected
