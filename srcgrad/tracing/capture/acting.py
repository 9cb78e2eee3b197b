"""``Acting``: side effects of a recorded function, noted to be done afterwards.

See ``effects`` for how it is done.
"""

from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.emit.checks import shown_location as line_of
from srcgrad.steps import Node, Step
from srcgrad.tracing.capture.effects import Action, Effects, from_line_of_user
from srcgrad.tracing.environment.conditions import Condition
from srcgrad.tracing.environment.environment_array import EnvironmentArray
from srcgrad.tracing.environment.reader import Environment
from srcgrad.tracing.environment.references import Reference
from srcgrad.tracing.environment.sinks import (
    errors_run_no_users_code,
    run_no_users_code,
    runs_users_code,
)
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up
from srcgrad.transforms.algebra.raising import may_signal


class Acting:
    """The effects of a run.

    Attributes
    ----------
    effects : Effects
    changed : dict
        The objects that it changes, by identity, and where they were found.
    told : list of callable
        What tells something: `print`, say.
    """

    def __init__(self, recorder: Recorder, environment: Environment) -> None:
        self.effects = Effects()
        self.changed: dict[int, tuple[Any, Reference]] = {}
        self.told: list[Callable[..., Any]] = []
        self._recorder, self._environment = recorder, environment
        # Whether names were read after that; how much was read before.
        self._is_read_after, self._read_before = False, 0

    def tells(self, function: Callable[..., Any]) -> None:
        """Note that something is told, which may change what is read from then on."""
        if not self.told:
            self._read_before = self._environment.count()
        self.told.append(function)

    def note_read(self, name: str) -> None:
        """Note that a name is read that what was told may have changed."""
        # `__name__` is what a file is called.
        self._is_read_after |= not name.startswith("__")

    def check_told(self) -> None:
        """What is read after something was told is as it was before."""
        if not self.told:
            return
        if self._is_read_after or self._environment.count() > self._read_before:
            if any(map(runs_users_code, self.told)):
                give_up(
                    "tells something to code of the user's, and reads the environment"
                )
            self._require(run_no_users_code(self.told))

    def check_errors(self, steps: Iterable[Step]) -> None:
        """No floating-point error of the steps changes what is read, or told."""
        if not self._environment.is_read and not self.effects:
            return
        if any(type(step) is Node and may_signal(step) for step in steps):
            self._require(errors_run_no_users_code())

    def _require(self, condition: Condition) -> None:
        where = self._recorder.writer.current_location()
        self._environment.require(condition, where)

    def acts(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: Any = None,
        found: tuple[tuple[Reference, Any], ...] = (),
    ) -> None:
        """Note an effect: a call of a function, from the line of the user's."""
        action = Action(from_line_of_user(function), found, self._acting_line())
        self.effects.add(action, args, kwargs or {})

    def wrote(self, own: EnvironmentArray, index: Any, value: Any) -> None:
        """Note a write into an array of the environment."""
        self.effects.write(own, index, value, self._acting_line())

    def _acting_line(self) -> str:
        """The user's line, where it may do more than compute."""
        if self._recorder.is_in_users_backward:
            give_up("does more than compute in the backward of a Function")
        if self._recorder.within:
            give_up(f"does more than compute, {self._recorder.within}")
        where = self._recorder.writer.current_location()
        return "" if where is None else f"{line_of(where)}{where.text}"

    def changes_of(
        self, item: Any, reference: Reference, function: Callable[..., Any], args: Any
    ) -> None:
        """Note a change of an object that was found in the environment."""
        self.changed[id(item)] = item, reference
        self.acts(function, args, found=((reference, item),))
