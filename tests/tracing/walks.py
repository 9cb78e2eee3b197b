"""Calls of several results, and walks back from some of them, noted and compared."""

import functools

import numpy as np

import srcgrad
from srcgrad import autograd
from tests.variables import variable

X, Y = np.array([0.3, -0.5, 0.8, 1.1]), np.array([1.5, 0.7, 0.4, 2.0])


def results_of(function, x, y):
    found = function(x, y)
    if isinstance(found, dict):
        found = (found["a"], found["b"][0], found["loss"])
    return found


class Run:
    """One call, and all that happens to it afterwards, noted."""

    def __init__(self, function):
        self.x, self.y = variable(X), variable(Y)
        self.results = results_of(function, self.x, self.y)
        self.log = []

    def cotangent(self, number):
        shape = self.results[number].shape
        return np.random.default_rng(number).normal(size=shape)

    def note(self, what, value):
        data = getattr(value, "data", value)
        self.log.append((what, None if data is None else np.array(data)))

    def hook(self, number, scale):
        def hook(g):
            self.note(f"hook {number}", g)
            return g * scale if scale else None

        self.results[number].register_hook(hook)

    def hook_leaves(self):
        for name in ("x", "y"):
            leaf = getattr(self, name)
            leaf.register_hook(lambda g, name=name: self.note(f"leaf {name}", g))

    def backward(self, numbers, **options):
        """Go back from some results, or note the error; tell whether it went well."""
        chosen = [self.results[i] for i in numbers]
        before = len(self.log)
        try:
            autograd.backward(chosen, [self.cotangent(i) for i in numbers], **options)
        except RuntimeError as error:
            # How far it got first is nobody's business.
            self.log[before:] = [(f"RuntimeError: {str(error)[:60]}", None)]
            return False
        self.note_grads()
        return True

    def grad(self, numbers, targets, **options):
        chosen = [self.results[i] for i in numbers]
        found = autograd.grad(
            chosen,
            [*targets(self)],
            [self.cotangent(i) for i in numbers],
            allow_unused=True,
            **options,
        )
        for number, g in enumerate(found):
            self.note(f"gradient {number}", g)
        return found

    def note_grads(self):
        for name in ("x", "y"):
            self.note(f"{name}.grad", getattr(self, name).grad)
        for number, result in enumerate(self.results):
            self.note(f"grad of result {number}", result.grad)


traced_once = functools.cache(srcgrad.trace)


def assert_as_on_the_tape(function, acts, rtol=1e-12):
    """Do the same to an untraced call and to two traced ones, and compare all notes.

    One trace serves all tests, by any ways back: its first call alone is the tape's.
    """
    expected = Run(function)
    acts(expected)
    traced = traced_once(function)
    for _ in range(2):
        run = Run(traced)
        acts(run)
        assert [what for what, _ in run.log] == [what for what, _ in expected.log]
        for (what, ours), (_, theirs) in zip(run.log, expected.log, strict=True):
            assert (ours is None) == (theirs is None), what
            if ours is not None:
                np.testing.assert_allclose(ours, theirs, rtol, 1e-12, err_msg=what)
    assert traced.stats.tape == 1, traced.explain()
