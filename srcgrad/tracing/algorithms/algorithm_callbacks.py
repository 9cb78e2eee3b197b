"""``Callback``: a function of the user's that an algorithm calls, as graphs.

It is recorded where the algorithm calls it for the first time, and taken out of the
recording again; what it reads of the numbers around it are arguments of its own then,
after those that the algorithm gives. Where a guard fails, or what it is given is of
another kind, it is recorded again, as long as a recording runs: another ``Path``.
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad.modes import state
from srcgrad.policy import MOST_PATHS
from srcgrad.protocols import raw_of
from srcgrad.steps import Value
from srcgrad.tracing.algorithms.callback_paths import Path
from srcgrad.tracing.algorithms.callback_recordings import CallbackRecording
from srcgrad.tracing.graphs.joints import edge_of
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up


class MisfitError(RuntimeError):
    """A function would do what it has not been seen to do."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} goes a way that it did not go in the call: run the function on "
            "the tape, `srcgrad.set_stance('tape')`"
        )


class Captured:
    """The numbers that the functions of one call read around them, each once."""

    def __init__(self) -> None:
        self.items: dict[Value, Any] = {}

    def place_of(self, value: Value, item: Any) -> int:
        """The number of a Value among these."""
        self.items.setdefault(value, item)
        return [*self.items].index(value)


class Callback:
    """One function; ``run`` calls what is followed of it, as long as one may record."""

    def __init__(
        self,
        name: str,
        signature: inspect.Signature | None,
        run: Callable[..., Any],
        reached: Any,
        captured: Captured,
    ) -> None:
        self.__name__, self.__signature__ = name, signature
        self._run: Callable[..., Any] | None = run
        # What code of it might change.
        self.reached = reached
        self._captured = captured
        self._count = 0
        self._paths: dict[Any, list[Path]] = {}

    def close(self) -> None:
        """The recording is over: no more is recorded."""
        self._run = self.reached = None
        self._count = len(self._captured.items)

    def recording(self, recorder: Recorder) -> Callable[..., Any]:
        """What an algorithm calls while the call is recorded."""

        def call(*given: Any) -> Any:
            raws = [raw_of(item) for item in self._captured.items.values()]
            try:
                path, outputs = self._found(given, raws)
            except MisfitError:
                return self._record(recorder, given)
            return path.packed(outputs)

        return self._as_users(call)

    def bound(self, captured: Sequence[Any]) -> Callable[..., Any]:
        """What an algorithm calls, with numbers for those around the function."""

        def call(*given: Any) -> Any:
            path, outputs = self._found(given, captured)
            return path.packed(outputs)

        return self._as_users(call)

    def _as_users(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The same with the name and the parameters of the user's function."""
        call.__name__ = self.__name__
        if self.__signature__ is not None:
            call.__signature__ = self.__signature__  # type: ignore[attr-defined]
        return call

    def __call__(self, *args: Any) -> Any:
        """The same of Variables; what is around it comes last."""
        place = len(args) - self._count
        raws = [raw_of(arg) for arg in args]
        for given, path in self._fitting(raws[:place]):
            outputs = path.outputs(given, raws[place:])
            if outputs is not None:
                break
        else:
            raise MisfitError(self.__name__)
        if state.grad_enabled and any(map(edge_of, args)):
            outputs = path.on_tape(place, args, outputs)
        return path.packed(outputs)

    def pull(self, args: Sequence[Any], wanted: Sequence[int], g: Any) -> Any:
        """What it gives for numbers, and the gradients of some of its arguments.

        ``g`` is the cotangent of that as an array, or makes one of it.
        """
        place = len(args) - self._count
        raws = [raw_of(arg) for arg in args]
        for given, path in self._fitting(raws[:place]):
            found = path.pulled(place, (*given, *raws[place:]), tuple(wanted), g)
            if found is not None:
                return found
        raise MisfitError(self.__name__)

    def _found(
        self, given: Sequence[Any], captured: Sequence[Any]
    ) -> "tuple[Path, Sequence[Any]]":
        for path in self._paths.get(tuple(map(key_of, given)), ()):
            outputs = path.outputs(given, captured)
            if outputs is not None:
                return path, outputs
        raise MisfitError(self.__name__)

    def _fitting(self, given: list[Any]) -> "Iterator[tuple[list[Any], Path]]":
        """The paths for some numbers, which may be of other kinds than it gets."""
        kinds = tuple(map(key_of, given))
        for path in self._paths.get(kinds, ()):
            yield given, path
        shapes = list(map(np.shape, given))
        for known, paths in self._paths.items():
            own = [kind[0] if type(kind) is tuple else () for kind in known]
            if own == shapes and known != kinds and not any(map(_is_of_ints, known)):
                converted = list(map(_of_kind, given, known))
                for path in paths:
                    yield converted, path

    def _record(self, recorder: Recorder, given: Sequence[Any]) -> Any:
        if sum(map(len, self._paths.values())) >= MOST_PATHS:
            give_up(
                f"has an algorithm that calls `{self.__name__}`, which goes many ways"
            )
        of = recorder, self.__name__, self.run, self.reached, given
        run = CallbackRecording(*of)
        if not run.has_rules:  # on the tape it is made of functions that have some
            run = CallbackRecording(*of, is_on_tape=True)
        if not run.has_rules:
            give_up(f"calls in `{self.__name__}` what has no derivative there")
        kinds = tuple(map(key_of, given))
        places = [self._captured.place_of(*pair) for pair in run.outer.items()]
        path = Path(run, places)
        captured = [raw_of(item) for item in self._captured.items.values()]
        outputs = path.outputs(given, captured)
        if outputs is None or not all(map(is_like, outputs, run.raws_of_outputs)):
            give_up(f"calls `{self.__name__}` with values of several kinds")
        self._paths.setdefault(kinds, []).append(path)
        return path.packed(outputs)

    def run(self, *given: Any) -> Any:
        """What is followed of it."""
        assert self._run is not None
        return self._run(*given)


def kind_of(item: Any) -> Any:
    """What decides which path is for an argument."""
    kind = type(item)
    return (item.shape, item.dtype) if kind is np.ndarray else kind


def key_of(item: Any) -> Any:
    """The same for what an algorithm gives: an int, such as an end, is itself."""
    return item if type(item) is int else kind_of(item)


def _is_of_ints(key: Any) -> bool:
    kind = key[1] if type(key) is tuple else key
    return type(key) is int or np.dtype(kind).kind in "iub"


def _of_kind(item: Any, kind: Any) -> Any:
    return np.asarray(item, kind[1]) if type(kind) is tuple else kind(item)


def is_like(one: Any, other: Any) -> bool:
    """Whether two numbers or arrays are of one kind, and the same but for rounding."""
    if kind_of(one) != kind_of(other):
        return False
    return np.allclose(one, other, rtol=1e-10, atol=1e-10, equal_nan=True)
