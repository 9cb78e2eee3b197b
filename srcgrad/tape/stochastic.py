"""Stochastic functions: samples that are told a reward, as in PyTorch 0.1.6 to 0.2.

A sample carries no gradient. What flows back from it, once it has been given a reward,
is the score function's estimate: the gradient of ``-reward * log p(sample)``
(REINFORCE; Williams 1992, "Simple statistical gradient-following algorithms").
"""

from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import refuse, state
from srcgrad.protocols import ArrayProtocol, raw_of
from srcgrad.tape.function import (
    VOLATILE,
    Edge,
    Function,
    Leaf,
    Needed,
    already_freed,
    has_edge,
)
from srcgrad.tape.versions import check, entries


class StochasticFunction(Function):
    """The node of a sample: its gradients come from the reward alone."""

    __slots__ = ("reward",)

    reward: Any

    def score(self, *saved: Any) -> Sequence[Any]:
        """The derivatives of ``log p(sample)``, given what was saved."""
        raise NotImplementedError

    def reinforce(self, reward: Any) -> None:
        """Set the reward: a number, or one for each element of the sample.

        Raises
        ------
        TypeError, ValueError
            If it is of another type or shape.
        RuntimeError
            If there is one already.
        """
        is_number = isinstance(reward, (Number, np.generic))
        if not is_number and type(reward) is not np.ndarray:
            raise located(
                TypeError(
                    "mismatch between reward and output type: got "
                    f"{type(reward).__name__}, but expected ndarray or a number"
                )
            )
        if not is_number and reward.shape != self.shape:
            raise located(
                ValueError(
                    f"got reward of size {_size(reward.shape)}, but expected a tensor "
                    f"of size {_size(self.shape)}"
                )
            )
        if self.reward is not None:
            raise located(
                RuntimeError("you can only reinforce a stochastic Function once")
            )
        self.reward = reward if is_number else reward.copy()

    def pull_back(self, g: Any, needed: Needed | None, wrap: Any) -> Sequence[Any]:
        if self.reward is None:
            raise RuntimeError(
                "differentiating stochastic functions requires providing a reward"
            )
        if self.saved is None:
            raise already_freed()
        check(self.versions, self.where, self.name())
        if wrap is not None and state.grad_enabled:
            raise RuntimeError(
                f"{self.name()} is only once differentiable: its gradient is an "
                "estimate, and has none itself (create_graph=True)"
            )
        return self.score(*self.saved)


class Bernoulli(StochasticFunction):
    """The node of ``probs.bernoulli()``."""

    __slots__ = ()

    def score(self, probs: Any, sample: Any) -> Sequence[Any]:
        # Of the two denominators, the one that can be zero belongs to a sample that
        # cannot occur.
        chance = np.where(sample == 1, probs, probs - 1)
        return (-self.reward / chance,)


class Multinomial(StochasticFunction):
    """The node of ``weights.multinomial(n)``."""

    __slots__ = ("with_replacement",)

    with_replacement: bool

    def score(self, weights: Any, sample: Any) -> Sequence[Any]:
        reward = np.broadcast_to(self.reward, sample.shape)
        gradient = np.zeros(weights.shape, weights.dtype)
        is_left = np.ones(weights.shape, bool)
        for draw in range(sample.shape[-1]):
            chosen = sample[..., draw : draw + 1]
            # log p = log w[chosen] - log(the sum of what could be drawn)
            share = is_left / np.sum(weights * is_left, axis=-1, keepdims=True)
            chosen_weight = np.take_along_axis(weights, chosen, axis=-1)
            own = np.take_along_axis(share, chosen, axis=-1) - 1 / chosen_weight
            np.put_along_axis(share, chosen, own, axis=-1)
            gradient += reward[..., draw : draw + 1] * share
            if not self.with_replacement:
                np.put_along_axis(is_left, chosen, False, axis=-1)
        return (gradient,)


class Normal(StochasticFunction):
    """The node of ``srcgrad.normal(mean, std)``."""

    __slots__ = ()

    def score(self, mean: Any, std: Any, sample: Any) -> Sequence[Any]:
        z = (sample - mean) / std
        return (-self.reward * z / std, self.reward * (1 - z * z) / std)


def bernoulli(probs: Any, rng: Any = None) -> Any:
    """Draw 1 with the probabilities of a Variable, else 0; see ``Samplable``."""
    p = _values(probs)
    if not np.all((p >= 0) & (p <= 1)):
        raise located(ValueError("bernoulli takes probabilities from 0 to 1"))
    sample = (_generator(rng).random(np.shape(p)) < p).astype(p.dtype)
    return _sampled(Bernoulli, (probs,), sample)


def multinomial(
    weights: Any, num_samples: int = 1, with_replacement: bool = False, rng: Any = None
) -> Any:
    """Draw numbers of a vector's (or each row's) weights; see ``Samplable``."""
    w = _values(weights)
    if w.ndim not in (1, 2) or w.shape[-1] == 0:
        raise located(
            ValueError(
                "multinomial takes a vector or a matrix of weights, but got shape "
                f"{w.shape}"
            )
        )
    if not np.all(np.isfinite(w) & (w >= 0)):
        raise located(ValueError("multinomial takes weights from 0 on"))
    possible = int(np.min(np.count_nonzero(w, axis=-1), initial=w.shape[-1]))
    if num_samples < 1 or possible < (1 if with_replacement else num_samples):
        raise located(
            ValueError(
                f"cannot draw {num_samples} samples of {possible} weights that are "
                f"not zero {'with' if with_replacement else 'without'} replacement"
            )
        )
    sample = _drawn(_generator(rng), w, num_samples, with_replacement)
    return _sampled(Multinomial, (weights,), sample, with_replacement=with_replacement)


def _drawn(rng: Any, w: Any, num_samples: int, with_replacement: bool) -> Any:
    if with_replacement:
        bounds = np.cumsum(w, axis=-1)[..., None, :]
        total = bounds[..., -1:]
        thresholds = rng.random((*w.shape[:-1], num_samples, 1)) * total
        return np.minimum(
            (bounds <= thresholds).sum(axis=-1), _last_possible(w)[..., None]
        )
    # The order in which exponential clocks ring is that of draws without replacement.
    clocks = np.full(w.shape, np.inf)
    np.divide(rng.standard_exponential(w.shape), w, out=clocks, where=w > 0)
    return np.argsort(clocks, axis=-1)[..., :num_samples]


def _last_possible(w: Any) -> Any:
    """The last number whose weight is not zero: rounding must not lead beyond it."""
    return w.shape[-1] - 1 - np.argmax(np.flip(w > 0, axis=-1), axis=-1)


def normal(mean: Any, std: Any = 1.0, rng: Any = None) -> Any:
    """Draw from normal distributions, as a Variable that takes a reward.

    Parameters
    ----------
    mean : Variable or array_like
        Of each element.
    std : Variable or array_like
        The standard deviation, of each element or of all; more than 0.
    rng : numpy.random.Generator, optional
        Where the randomness comes from. Default: NumPy's global one
        (``np.random.seed``).

    Returns
    -------
    Variable
        Without a gradient of its own. After ``.reinforce(reward)``, ``.backward()``
        adds the gradient of ``-reward * log p(sample)`` to what it was drawn from.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> mean = srcgrad.Variable(np.zeros(1), requires_grad=True)
    >>> action = srcgrad.normal(mean, 2.0)
    >>> action.reinforce(1.5)
    >>> action.backward()
    >>> bool(np.allclose(mean.grad.data, -1.5 * action.data / 4.0))
    True
    """
    mu, sigma = _values(mean), _values(std)
    if not np.all(sigma > 0):
        raise located(ValueError("normal takes standard deviations of more than 0"))
    shape = np.broadcast_shapes(mu.shape, sigma.shape)
    noise = _generator(rng).standard_normal(shape)
    # A Python number as standard deviation does not widen a float32 mean.
    dtype = np.result_type(mu, std if isinstance(std, (float, int)) else sigma)
    sample = (mu + sigma * noise).astype(dtype)
    return _sampled(Normal, (mean, std), sample)


class Sample(Leaf):
    """What a sample keeps of its function: no gradient comes here, only rewards."""

    __slots__ = ("node",)

    node: StochasticFunction


def start_of(variable: Any) -> Edge | None:
    """Where a backward pass from a sample starts; None if it is no sample."""
    kept = variable.kept
    if not isinstance(kept, Sample) or not any(kept.node.edges):
        return None
    return kept.node, 0


def _values(item: Any) -> Any:
    """The array of an argument, as floats."""
    refuse("draws samples")
    array = np.asarray(raw_of(item))
    if array.dtype.kind == "f":
        return array
    if array.dtype.kind not in "iub":
        raise located(
            TypeError(
                f"samples are drawn from real numbers, but got dtype {array.dtype}"
            )
        )
    return array.astype(float)


def _generator(rng: Any) -> Any:
    if rng is None:
        return np.random
    if not isinstance(rng, (np.random.Generator, np.random.RandomState)):
        raise located(TypeError(f"rng is a numpy.random.Generator, but got {rng!r}"))
    return rng


def _sampled(
    node_class: type[StochasticFunction],
    sources: Sequence[Any],
    sample: Any,
    **attributes: Any,
) -> Any:
    """A Variable with a sample, and the node that takes its reward."""
    sample = sample[()]
    variables: list[Any] = [v for v in sources if isinstance(v, ArrayProtocol)]
    make = node_class.variable_class.make
    if any(variable.edge is VOLATILE for variable in variables):
        return make(sample, VOLATILE)
    is_wanted = state.grad_enabled and any(map(has_edge, variables))
    edges = tuple(getattr(v, "edge", None) if is_wanted else None for v in sources)
    node = node_class.link(edges, sample)
    node.reward = None
    for name, value in attributes.items():
        setattr(node, name, value)
    out = make(sample, None)
    if is_wanted:
        node.saved = tuple(raw_of(item) for item in (*sources, sample))
        node.versions = entries((*variables, out))
    out.kept = Sample.of(sample)
    out.kept.node = node
    return out


def _size(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "1"
