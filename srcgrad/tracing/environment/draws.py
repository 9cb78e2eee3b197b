"""Random numbers that a traced function draws: live at each call, and never twice.

A draw is an input of the graph, found where others are looked up: its generator, by
its place, is asked again at each call. Before the first draw of a call the generator's
state is kept; if the call then goes to the tape after all, it is put back.

>>> rng = np.random.default_rng(7)
>>> drawn = [state_of(rng)]
>>> first = rng.normal()
>>> restore(drawn)
>>> rng.normal() == first
True
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.tracing.environment.iterators import put_back
from srcgrad.tracing.environment.references import Called

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)

# Those that the functions of `np.random` and of `random` draw from.
OF_MODULES: tuple[Any, ...] = (
    getattr(np.random.normal, "__self__"),  # noqa: B009 (stubs do not know it)
    getattr(random.random, "__self__"),  # noqa: B009
)

# Methods that draw, and change nothing else but what is drawn next; so does `seed`.
DRAWS = frozenset(
    "beta betavariate binomial bytes chisquare choice choices dirichlet exponential "
    "expovariate f gamma gammavariate gauss geometric getrandbits gumbel "
    "hypergeometric integers laplace logistic lognormal lognormvariate logseries "
    "multinomial multivariate_hypergeometric multivariate_normal negative_binomial "
    "noncentral_chisquare noncentral_f normal normalvariate pareto paretovariate "
    "permutation permuted poisson power rand randint randn randrange random "
    "random_integers random_sample ranf rayleigh sample seed standard_cauchy "
    "standard_exponential standard_gamma standard_normal standard_t tomaxint "
    "triangular uniform vonmises vonmisesvariate wald weibull weibullvariate "
    "zipf".split()
)

# What makes a generator; with a seed it is the same at each call.
GENERATOR_MAKERS = (np.random.default_rng, np.random.RandomState, random.Random)

# A generator, and what it was to draw from next; or an iterator, and an item of it.
State = tuple[Any, Any]


def method_of_generator(function: Any) -> Any:
    """The method of NumPy's global generator that a function of its module calls."""
    return OF_MODULES[0].seed if function is np.random.seed else function


def is_draw(function: Any) -> bool:
    """Whether a callable is a generator's method that draws."""
    owner = getattr(function, "__self__", None)
    return isinstance(owner, GENERATORS) and function.__name__ in DRAWS


def state_of(generator: Any) -> State:
    """A generator, and its state."""
    if isinstance(generator, np.random.Generator):
        return generator, generator.bit_generator.state
    if isinstance(generator, np.random.RandomState):
        return generator, generator.get_state(legacy=False)
    return generator, generator.getstate()


def restore(drawn: Sequence[State]) -> None:
    """Put generators back, the first note of each last."""
    for generator, state in reversed(drawn):
        if not isinstance(generator, GENERATORS):
            put_back(generator, state)
        elif isinstance(generator, np.random.Generator):
            generator.bit_generator.state = state
        elif isinstance(generator, np.random.RandomState):
            generator.set_state(state)
        else:
            generator.setstate(state)


class Draw(Called):
    """What a generator's method gives when it is called with constants."""

    __slots__ = ()
