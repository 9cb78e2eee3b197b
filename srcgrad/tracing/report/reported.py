"""``Reported``: ``report`` and ``profile`` of what has traces."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, ParamSpec, overload

from srcgrad.late import LateNames

if TYPE_CHECKING:
    from srcgrad.tracing.report.page import page, page_frame
    from srcgrad.tracing.report.profiles import Profile, profile_of
    from srcgrad.tracing.report.texts import Explanation
    from srcgrad.tracing.report.writing import report_page

_late = LateNames(
    globals(),
    {
        "srcgrad.tracing.report.page": "page page_frame",
        "srcgrad.tracing.report.profiles": "Profile profile_of",
        "srcgrad.tracing.report.texts": "Explanation",
        "srcgrad.tracing.report.writing": "report_page",
    },
)

P = ParamSpec("P")


class Reported(Generic[P]):
    """A traced function, or a transform."""

    # Where the traces are, and the arguments that are given already.
    target: Any
    is_traced = False
    # What its traces are filed under; None: all are told.
    _shown_form: Any = None

    @overload
    def explain(self, as_dict: Literal[False] = False) -> "Explanation": ...
    @overload
    def explain(self, as_dict: Literal[True]) -> dict[str, Any]: ...
    @overload
    def explain(self, as_dict: bool) -> Any: ...
    def explain(self, as_dict: bool = False) -> Any:
        """Say in words what is compiled, what is not, and why.

        Parameters
        ----------
        as_dict : bool
            Whether to give it as a dict instead.
        """
        return self._explained(as_dict)

    def _explained(self, as_dict: bool) -> Any:
        raise NotImplementedError

    def report(
        self, path: str | os.PathLike[str], /, *args: Any, **kwargs: Any
    ) -> None:
        """Write a page that shows your source beside the generated code.

        The page is one file of HTML, which needs nothing else. Pointing at a line, or
        going there by keyboard, lights up its counterparts. The page also tells the
        calls, the traces and their conditions, and draws the graph. Pygments must be
        installed: ``pip install 'srcgrad[report]'``. ``docs/report.md`` tells more.

        Parameters
        ----------
        path : str or path-like
            The file, ``loss.html`` say.
        *args, **kwargs
            Arguments of a call to profile. Then the page tells what each line costs.

        Raises
        ------
        RuntimeError
            If arguments are given, and calls of this kind stay on the tape.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> import srcgrad
        >>> def loss(x):
        ...     return np.sum(np.tanh(x) ** 2)
        >>> slope = srcgrad.grad(loss)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "loss.html")
        ...     slope.report(path, np.ones(3))
        ...     page = path.read_text(encoding="utf-8")
        >>> "<title>loss</title>" in page, "http" in page
        (True, False)
        """
        _late.load()  # without Pygments, nothing is measured
        text = self._page(self.profile(*args, **kwargs) if args or kwargs else None)
        Path(path).write_text(text, encoding="utf-8", errors="xmlcharrefreplace")

    def profile(self, *args: P.args, **kwargs: P.kwargs) -> "Profile":
        """Measure what each line costs in a call: its time, and its memory.

        The generated code runs for about a quarter of a second: forward and, for a
        traced function of Variables, backward with a gradient of ones. There are no
        side effects, as with ``compile``: counters and arguments stay as they are.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the call.

        Returns
        -------
        Profile
            Printed, it is a table, and in a notebook a page. ``user`` and ``generated``
            are the rows, and ``seconds`` is the time of a call.

        Raises
        ------
        RuntimeError
            If such calls stay on the tape, saying why.

        Examples
        --------
        >>> import numpy as np
        >>> import srcgrad
        >>> @srcgrad.trace
        ... def walk(x):
        ...     for _ in range(40):
        ...         x = x - 0.1 * np.sin(x)
        ...     return np.sum(x)
        >>> profile = walk.profile(np.ones(3))
        >>> [(line.text.strip(), line.cost.runs) for line in profile.user][:2]
        [('for _ in range(40):', 41), ('x = x - 0.1 * np.sin(x)', 40)]
        """
        _late.find("profile_of")
        if self.target is None:
            raise RuntimeError(
                f"{self!r} always runs on the tape: the function is not written in "
                "Python; profile a function of your own that calls it"
            )
        transform = None if self.is_traced else self
        return profile_of(self.target.traced, transform, args, kwargs)

    def _page(self, profile: "Profile | None" = None) -> str:
        if self.target is None:
            return page(self.explain(as_dict=True), [])
        return report_page(self.target.traced, self._shown_form, profile)

    def _repr_html_(self) -> str | None:
        """The report, in notebooks; None without Pygments: then the text is shown."""
        return page_frame(self._page()) if _late.can_load() else None
