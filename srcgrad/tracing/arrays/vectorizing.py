"""``np.vectorize`` of Variables: the user's function, called for each element.

NumPy does it, with the places of the elements instead of these, and with the bare
results: so the calls, the kinds and the errors are its own.

>>> import srcgrad
>>> larger = np.vectorize(lambda x, y: x * x if x > y else y)
>>> srcgrad.grad(lambda x: larger(x, 1.5).sum())(np.array([1.0, 2.0]))
array([0., 4.])
"""

from typing import Any

import numpy as np

from srcgrad.facts import Operation
from srcgrad.protocols import ArrayProtocol
from srcgrad.tape.operands import joined, unwrap, variables_in
from srcgrad.tracing.arrays.functional_array import array_of, contents
from srcgrad.tracing.arrays.python_numbers import is_followed, item
from srcgrad.updates import cast

# The keyword that tells the number of an element.
NUMBER = "number of the element"


class Vectorized:
    """An ``np.vectorize``, with the followed copy of what it calls."""

    def __init__(self, original: Any, followed: Operation) -> None:
        self._original, self._followed = original, followed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        parts: dict[Any, Any] = {**dict(enumerate(args)), **kwargs}
        given: dict[Any, Any] = {key: array_of(arg) for key, arg in parts.items()}
        excluded = self._original.excluded
        flat = {
            key: np.ravel(arg)  # type: ignore[call-overload]
            for key, arg in given.items()
            if isinstance(arg, ArrayProtocol) and key not in excluded
        }
        places = {key: np.arange(given[key].size) for key in flat}
        places = {key: each.reshape(given[key].shape) for key, each in places.items()}
        results: dict[int, Any] = {}

        def function(*args: Any, **kwargs: Any) -> Any:
            number = kwargs.pop(NUMBER, len(results))
            parts = dict(enumerate(args)) | kwargs
            parts |= {key: _taken(each, parts[key]) for key, each in flat.items()}
            args, kwargs = _apart(parts)
            results[int(number)] = out = contents(self._followed(*args, **kwargs))
            return unwrap(out)

        args, kwargs = _apart(given | places)
        numbered = [arg for key, arg in (given | places).items() if key not in excluded]
        if numbered and self._original.signature is None:
            shape = np.broadcast_shapes(*map(np.shape, numbered))
            count = int(np.prod(shape))
            kwargs[NUMBER] = np.arange(count).reshape(shape)
        raw = self._like(function)(*args, **kwargs)
        return _with_gradients(raw, results) if numbered else results[0]

    def _like(self, function: Operation) -> Any:
        own = self._original
        otypes = None if own.otypes is None else list(own.otypes)
        return np.vectorize(
            function,
            otypes=otypes,
            excluded=own.excluded,
            cache=own.cache,
            signature=own.signature,
        )


def _apart(parts: dict[Any, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments by number and by name, apart."""
    named = {key: part for key, part in parts.items() if isinstance(key, str)}
    return tuple(part for key, part in parts.items() if key not in named), named


def _taken(flat: Any, place: Any) -> Any:
    """An element as a number, or several as an array."""
    if np.ndim(place):
        return flat[place]
    element = flat[int(place)]
    return item(element) if is_followed(element) else element


def _with_gradients(raw: Any, results: dict[int, Any]) -> Any:
    """What NumPy has made of the bare results, as it depends on these."""
    in_order = [results[number] for number in sorted(results)]
    if isinstance(raw, tuple):
        columns = zip(*in_order, strict=True)
        return tuple(map(_joined, raw, map(list, columns)))
    return _joined(raw, in_order)


def _joined(raw: Any, results: list[Any]) -> Any:
    if raw.dtype.kind not in "fc" or not variables_in(results):
        return raw
    return cast(np.reshape(joined(results), raw.shape), raw.dtype)
