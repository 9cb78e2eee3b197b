"""Branches on Variables that are the user's own: which gets a gradient, and when."""

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from tests.branch_programs import ON_VARIABLES, recurrent


def once(f, args, do):
    """What comes of a call and what is done with its result, errors included."""
    variables = [Variable(np.array(a), requires_grad=True) for a in args]
    hooked = []
    for number, v in enumerate(variables):
        v.register_hook(lambda g, number=number: hooked.append((number, raw(g))))
    with np.errstate(all="ignore"):
        y = f(*variables)
        try:
            found = do(y, variables)
        except (RuntimeError, srcgrad.InplaceError) as error:
            found = type(error)
    return raw(y), found, sorted(hooked, key=lambda pair: pair[0])


def raw(item):
    return None if item is None else np.array(item.data)


def walked_back(y, variables):
    y.backward()
    return [raw(v.grad) for v in variables]


def walked_back_twice(y, variables):
    y.backward(retain_graph=True)
    return walked_back(y, variables)


def differentiated_twice(y, variables):
    first = srcgrad.autograd.grad([y], variables, create_graph=True, allow_unused=True)
    flat = [np.sum(g * g) for g in first if g is not None and g.requires_grad]
    second = []
    if flat:
        total = sum(flat[1:], flat[0])
        second = srcgrad.autograd.grad([total], variables, allow_unused=True)
    return [raw(g) for g in (*first, *second)]


def changed_before(y, variables):
    with srcgrad.no_grad():
        variables[0] += 1.0
    return walked_back(y, variables)


def changed_before_two(y, variables):
    with srcgrad.no_grad():
        variables[0] += 1.0
    return differentiated_twice(y, variables)


def each_alone(y, variables):
    found = []
    for v in variables:
        try:
            found += srcgrad.autograd.grad([y], [v], retain_graph=True)
        except RuntimeError as error:
            found.append(error)
    return [type(g) if isinstance(g, Exception) else raw(g) for g in found]


def with_a_look(y, variables):
    y.register_hook(lambda g: 2.0 * g)
    return walked_back(y, variables)


WALKS = (
    *(walked_back, walked_back_twice, differentiated_twice, each_alone, with_a_look),
    *(changed_before, changed_before_two),
)


@pytest.mark.parametrize("do", WALKS)
@pytest.mark.parametrize("name", ON_VARIABLES)
def test_arms_on_the_users_variables_are_one_trace(name, do):
    f, draw = ON_VARIABLES[name]
    rng = np.random.default_rng(3)
    ours, tape = srcgrad.trace(f), srcgrad.trace(f)
    for _ in range(20):
        args = draw(rng)
        found = once(ours, args, do)
        with srcgrad.set_stance("tape"):
            expected = once(tape, args, do)
        assert_same(found, expected)
    assert (ours.stats.traces, ours.stats.misses) == (1, 0)


@pytest.mark.parametrize(
    "do", [walked_back, walked_back_twice, differentiated_twice, each_alone]
)
def test_arms_in_a_loop_that_read_what_it_carries_are_one_trace(do):
    rng = np.random.default_rng(3)
    ours, tape = srcgrad.trace(recurrent), srcgrad.trace(recurrent)
    for _ in range(20):
        args = rng.normal(size=4), rng.normal()
        found = once(ours, args, do)
        with srcgrad.set_stance("tape"):
            expected = once(tape, args, do)
        assert_same(found, expected)
    assert (ours.stats.traces, ours.stats.misses) == (1, 0)


@pytest.mark.parametrize("change", [changed_before, changed_before_two])
def test_a_loop_with_arms_goes_back_from_what_it_was_or_not_at_all(change):
    rng, traced = np.random.default_rng(3), srcgrad.trace(recurrent)
    do = walked_back if change is changed_before else differentiated_twice
    for _ in range(6):
        args = rng.normal(size=4), rng.normal()
        found = once(traced, args, change)
        with srcgrad.set_stance("tape"):
            expected = once(traced, args, do)
        if found[1] is not srcgrad.InplaceError:
            assert_same(found, expected)
    assert traced.stats.compiled == 5


def assert_same(found, expected):
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            assert_same(*pair)
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    else:
        assert found == expected


def test_a_large_array_of_the_callers_is_not_copied_for_an_arm():
    @srcgrad.trace
    def f(x):
        s = np.sum(x)
        y = x * s if s > 0 else np.sin(x)
        return np.sum(y)

    for sign in (1.0, -1.0):
        for size in (4, 100):
            x = Variable(np.full(size, sign), requires_grad=True)
            f(x).backward()
    assert f.stats.traces == 3  # one for the small one, and two for the other
