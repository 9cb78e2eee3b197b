"""Functions that read the world outside them, and that world, for tests to change."""

import types

import numpy as np


def make_module(**names):
    module = types.ModuleType("users_module")
    vars(module).update(names)
    return module


def doubled(x):
    return x * 2.0


def tripled(x):
    return x * 3.0


def helper(x):
    return doubled(x)


def calls_helper(x):
    return helper(x) + 1.0


def with_default(x, k=2.0, *, m=1.0):
    return x * k + m


def calls_default(x):
    return with_default(x)


module = make_module(f=doubled, scale=2.0)


def calls_module(x):
    return module.f(x)


def reads_module(x):
    return x * module.scale


scale = 2.0
weights = np.array([1.0, 2.0, 3.0])
table = {"a": 1.0}
numbers = [1.0, 2.0]


def reads_global(x):
    return x * scale


def reads_global_array(x):
    return x * weights


def reads_global_dict(x):
    return x * table["a"]


def reads_global_in_comprehension(x):
    return x * sum(numbers for numbers in numbers)


def reads_global_in_default_of_lambda(x):
    f = lambda a, *, k=scale: a * k  # noqa: E731
    return f(x)


def sums(x):
    return sum(v * v for v in x)


class Settings:
    scale = 2.0


def reads_class_attribute(x):
    return x * Settings.scale


other_np = make_module(**vars(np) | {"tanh": tripled})


def uses_np(x):
    return np.tanh(x)
