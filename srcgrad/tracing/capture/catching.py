"""``Catching``: errors that the user's code catches, which come again at each call."""

from srcgrad.failing import fails
from srcgrad.steps import Location
from srcgrad.tape.apply import apply
from srcgrad.tracing.environment.error_states import ERROR_KINDS, ErrorStates
from srcgrad.tracing.graphs.recorder import Recorder
from srcgrad.tracing.refusal import give_up


class Catching:
    """What a run says of errors.

    Attributes
    ----------
    catches : bool
        Whether the function catches errors.
    error_states : ErrorStates or None
        What it says that NumPy shall do where a result is no number.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.catches = False
        self.error_states: ErrorStates | None = None
        self._recorder = recorder
        # Errors that come again wherever the conditions hold.
        self._foreseen: list[BaseException] = []
        # After which the run went on: those around that swallow it ask again.
        self._last: BaseException | None = None

    def foreseen(self, error: Exception) -> Exception:
        """An error that comes again as long as the conditions hold."""
        self._foreseen.append(error)
        return error

    def go_on_after(self, error: BaseException | None) -> None:
        """Go on after an error that the user's code has caught, if it comes again.

        That of a key that is missing comes as long as it is; that of an operation, as
        long as this fails. With any other the run on the tape goes on.
        """
        if error is not None and error is self._last:
            return
        self._last = error
        if any(each is error for each in self._foreseen):
            return
        failure = self._recorder.failure
        if failure is None or failure.error is not error or self._recorder.within:
            give_up("catches an error")
        settings: tuple[tuple[str, str], ...] = ()
        if isinstance(error, FloatingPointError):
            settings = self._settings_at(failure.where)
        given = type(error), settings, failure.function, *failure.args
        writer = self._recorder.writer
        before, writer.where = writer.where, failure.where
        try:
            is_failure = bool(apply(fails, given, failure.kwargs))
        finally:
            writer.where = before
        if not is_failure:
            give_up("catches an error that does not come again")

    def _settings_at(self, where: Location | None) -> tuple[tuple[str, str], ...]:
        """What the function itself says by ``np.errstate`` of all errors, in a line."""
        said = self.error_states
        words = {} if said is None or where is None else said.settings_at(where)
        if len(words) < len(ERROR_KINDS):
            give_up("catches an error that the caller has told NumPy to raise")
        return tuple(words.items())

    def let_go(self) -> None:
        """The run is over: hold no error any more."""
        self._foreseen.clear()
        self._last = None
