"""``Transform``: a function made of another one by differentiating it."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from types import MethodType
from typing import Any, Concatenate, NamedTuple, ParamSpec, overload

from srcgrad.functional.naming import name_of
from srcgrad.modes import modes_now, override, state
from srcgrad.tracing.export.exportable import Exportable
from srcgrad.tracing.following.leaving import LeftBehind
from srcgrad.tracing.following.running import run
from srcgrad.tracing.own_traces import target_of
from srcgrad.tracing.report.reported import Reported
from srcgrad.tracing.report.texts import Explanation, Source
from srcgrad.tracing.serving import reports
from srcgrad.tracing.serving.cache import Stats
from srcgrad.tracing.serving.called import Called, P, R
from srcgrad.tracing.serving.pickling import reduced
from srcgrad.tracing.traced import Target, Traced

Callback = Callable[..., Any]
Q = ParamSpec("Q")


_forms: dict[Any, int] = {}


class Found(NamedTuple):
    """What one run has found.

    ``result`` is the function's own, ``derived`` the derivatives, or None where one is
    zero. ``pack(result, derived)`` makes of these what the user gets; it knows kinds
    and shapes, and no values. ``line``: derived is the function that this is, of
    tangents. ``is_closed_over``: they lead to Variables that the function closes over.
    """

    result: Any
    derived: Sequence[Any]
    pack: Callable[[Any, Any], Any]
    line: Any = None
    is_closed_over: bool = False


class Checked(NamedTuple):
    """What a transform gives, to be compared with finite differences.

    ``form`` is ``"grad"``, ``"jacobian"`` or ``"hessian"``; ``places`` are what it
    differentiates by, in ``(*args, *kwargs.values())``, and ``is_single`` tells that
    there is no tuple around the derivatives. They are found at ``part`` of what it
    gives, ``[1]`` say, and the value at ``value_part`` of what the function gives.
    """

    form: str
    places: Sequence[int]
    is_single: bool
    part: str = ""
    value_part: str = ""


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    """What functions store stays on the tape until the walk back is over.

    The way back of a ``custom_vjp`` may read it.
    """
    if state.left_behind is not None:
        yield
        return
    left = LeftBehind()
    try:
        with override(left_behind=left):
            yield
    finally:
        with override(depth=state.depth + 1):  # Variables are keys by their values
            left.settle()


class Transform(Called[P, R], Exportable[P], Reported[P]):
    """Called like the function that it is made of, or as its own docstring says.

    Subclasses have ``on_tape``. ``options`` are hashable, and what else the subclass is
    made with.
    """

    # Whether it takes the function's arguments, and goes by its name.
    is_like_function = True
    # Whether it gives what the function gives, and derivatives of that.
    derives = True
    # Whether it runs the function once, and walks back once from a number.
    walks_once = False
    # Whether the first call with a signature is worth a trace.
    is_recorded_at_once = False
    # Whether what it runs is filed under the function's own calls.
    shows_function = False

    def __init__(self, function: Callback, *options: Any) -> None:
        if not callable(function):
            raise TypeError(
                f"expected a function to differentiate, but got {function!r}"
            )
        self._function = function
        self._options = options
        is_transform = isinstance(function, Transform)
        self.target: Target | None = (
            function.target if is_transform else target_of(function)  # type: ignore
        )
        # By the form of this, the entries of its last calls there; what it is given.
        self.last: dict[int, tuple[Any, ...]] = {}
        self._bound: tuple[Any, ...] = ()
        self._keywords: dict[str, Any] = {}
        if self.target is not None:
            traced, self._bound, self._keywords = self.target
            self.last = traced.last
        inner = function.form if is_transform else None  # type: ignore[attr-defined]
        # What the traces of this are filed under: a number is hashed at once.
        self.form = _forms.setdefault((type(self), options, inner), len(_forms))
        if self.is_like_function and hasattr(function, "__name__"):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def on_tape(self, args: Any, kwargs: Any) -> Found:
        """Run the function on the tape, and differentiate it."""
        raise NotImplementedError

    def _called_anew(self, args: Any, kwargs: Any) -> Any:
        target = self.target
        if target is None or state.recorder is not None:
            return self.untraced(args, kwargs)
        return target.traced.called(self, args, kwargs)

    def untraced(self, args: Any, kwargs: Any) -> Any:
        """What a call gives, by the tape."""
        modes = modes_now()
        try:
            with _storing():
                found = self.on_tape(args, kwargs)
        finally:
            vars(state).update(modes)
        derived = found.derived if found.line is None else found.line.tangents
        return found.pack(found.result, derived)

    def argument(self, first: int, rest: list[Any]) -> tuple[int, list[Any], str]:
        """Which argument of the function one of a call is, or is a tangent of.

        It is at ``args[first]`` and then at the keys ``rest``. With what comes after
        the name.
        """
        inner = self._function
        if isinstance(inner, Transform):
            return inner.argument(first, rest)
        return first, rest, ""

    def call(self, args: Any, kwargs: Any) -> Any:
        """Call the function itself, on Variables: as generated code if there is any."""
        target = self.target
        is_own = target is not None and target.traced.is_own
        if is_own and state.recorder is None and self._function is self._base:
            assert target is not None
            kwargs = {**target.keywords, **kwargs}
            return target.traced(*target.bound, *args, **kwargs)
        return run(self._function, args, kwargs)

    # What an exported function of it is called after the function, and gives.
    suffix = ""
    gives_what = ""

    @property
    def is_of_same_arguments(self) -> bool:
        """Whether it takes the very arguments that the function takes."""
        inner = self._function
        is_so = inner.is_of_same_arguments if isinstance(inner, Transform) else True
        return is_so and self.is_like_function

    def gives(self, name: str) -> tuple[str, str]:
        """What to call it, and what its docstring says; ``name`` is the function's."""
        inner = self._function
        if isinstance(inner, Transform):
            name, words = inner.gives(name)
            words = words.removeprefix("Return ").removesuffix(".")
        else:
            words = f"`{name}`"
        return f"{name}_{self.suffix}", f"Return {self.gives_what} {words}."

    def checked_by(self, args: Any, kwargs: Any) -> "Checked | None":
        """How what it gives is compared with finite differences; None: it is not."""
        return None

    # ----- Looking at it -----

    @property
    def stats(self) -> Stats:
        """The counters of the function; nothing counts what is not Python's."""
        traced = self._traced
        return Stats() if traced is None else traced.stats

    def source(self, tier: str = "numpy") -> Source:
        """The generated modules; that of a first call, as long as its arguments live.

        Parameters
        ----------
        tier : {"numpy", "native"}
            Those that run on NumPy; or what Numba compiles, see ``set_native``.

        Raises
        ------
        RuntimeError
            If there are none, saying why.
        """
        traced = self._traced
        if traced is None:
            raise RuntimeError(
                f"{self!r} always runs on the tape: the function is not written in "
                "Python"
            )
        text: Source = traced.source_of(self._shown_form, self, tier)
        return text

    def _explained(self, as_dict: bool) -> Any:
        traced = self._traced
        if traced is None:
            found = reports.report_untraced(name_of(self._function))
            return found if as_dict else Explanation(reports.explain(found), found)
        return traced.explain_of(self._shown_form, as_dict)

    @property
    def _traced(self) -> Traced[..., Any] | None:
        return None if self.target is None else self.target.traced

    @property
    def _shown_form(self) -> int | None:
        return None if self.shows_function else self.form

    @overload
    def __get__(self, instance: None, owner: Any = None) -> "Transform[P, R]": ...
    @overload
    def __get__(
        self: "Transform[Concatenate[Any, Q], R]", instance: object, owner: Any = None
    ) -> "Transform[Q, R]": ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} of {self._function!r}>"

    def __reduce__(self) -> Any:
        """Pickled if the function is, by name mostly; a decorated one by its own."""
        return reduced(self, (type(self), (self._function, *self._options)))

    def followed_by(self, follow: Callback) -> "Transform[..., Any]":
        """The same of an instrumented copy of the function (``tracing.capture``)."""
        return self.over(follow(self._base))

    def over(self, base: Callback) -> "Transform[..., Any]":
        """The same of another function."""
        inner = self._function
        function = inner.over(base) if isinstance(inner, Transform) else base
        return type(self)(function, *self._options)

    @property
    def _base(self) -> Callback:
        inner = self._function
        return inner._base if isinstance(inner, Transform) else inner
