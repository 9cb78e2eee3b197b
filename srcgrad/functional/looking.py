"""``source``, ``explain``, ``report``: what has become of a function not decorated."""

import os
from collections.abc import Callable
from typing import Any, Literal, overload

from srcgrad.functional.naming import name_of
from srcgrad.functional.transform import Transform
from srcgrad.tracing.own_traces import target_of
from srcgrad.tracing.report.texts import Explanation, Source
from srcgrad.tracing.serving import reports
from srcgrad.tracing.serving.cache import Stats
from srcgrad.tracing.traced import Traced


def source(function: Callable[..., Any]) -> Source:
    """The generated modules of a function: of its calls, and of all its transforms.

    Parameters
    ----------
    function : callable
        Any that has been called through a transform, ``jvp`` or ``hvp`` say; a
        transform or a traced function, too, which have a ``source()`` of their own.

    Returns
    -------
    str
        Python.

    Raises
    ------
    RuntimeError
        If there are none, saying why.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> def f(x):
    ...     return np.sin(x) * x
    >>> for _ in range(2):
    ...     value, tangent = srcgrad.jvp(f, (np.ones(2),), (np.ones(2),))
    >>> "def forward(x, x_dot):" in srcgrad.source(f)
    True
    """
    return _shown(function).source()


@overload
def explain(
    function: Callable[..., Any], as_dict: Literal[False] = False
) -> Explanation: ...
@overload
def explain(function: Callable[..., Any], as_dict: Literal[True]) -> dict[str, Any]: ...
@overload
def explain(function: Callable[..., Any], as_dict: bool) -> Any: ...
def explain(function: Callable[..., Any], as_dict: bool = False) -> Any:
    """Say in words what of a function and its transforms is compiled, and why not.

    Parameters
    ----------
    function : callable
        As for ``srcgrad.source``.
    as_dict : bool
        Whether to give it as a dict (``tracing.reports.report``) instead.

    Returns
    -------
    str or dict

    Examples
    --------
    >>> import srcgrad
    >>> def f(x):
    ...     return x * x
    >>> for _ in range(3):
    ...     slope = srcgrad.grad(f)(3.0)
    >>> "3 calls: 1 compiled, 2 on the tape" in srcgrad.explain(f)
    True
    """
    if callable(function) and target_of(function) is None:
        found = reports.report_untraced(name_of(function))
        return found if as_dict else Explanation(reports.explain(found), found)
    return _shown(function).explain(as_dict)


def report(function: Callable[..., Any], path: str | os.PathLike[str]) -> None:
    """Write a page that shows a function beside the code generated for it.

    It tells of the function's own calls and of all its transforms, also of ``jvp`` and
    ``hvp``, which return no function to ask. ``docs/report.md`` tells more.

    Parameters
    ----------
    function : callable
        As for ``srcgrad.source``.
    path : str or path-like
        The file, ``loss.html`` say.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import srcgrad
    >>> def f(x):
    ...     return x * x
    >>> for _ in range(3):
    ...     value, tangent = srcgrad.jvp(f, (3.0,), (1.0,))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "f.html")
    ...     srcgrad.report(f, path)
    ...     page = path.read_text(encoding="utf-8")
    >>> page.startswith("<!DOCTYPE html>"), "x_dot" in page
    (True, True)
    """
    _shown(function).report(path)


class Shown:
    """What shows the code that it is part of, as transforms do."""

    @property
    def stats(self) -> Stats:
        """The counters of the function."""
        return _shown(self).stats

    def source(self) -> Source:
        """The generated modules of its transforms; see ``srcgrad.source``."""
        return source(self)  # type: ignore[arg-type]

    def explain(self, as_dict: bool = False) -> Any:
        """Say what of these is compiled, and why not; see ``srcgrad.explain``."""
        own: Any = self
        return explain(own, as_dict)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows these; see ``srcgrad.report``."""
        report(self, path)  # type: ignore[arg-type]


def _shown(function: Any) -> Traced[..., Any] | Transform[..., Any]:
    if isinstance(function, Traced | Transform):
        return function
    target = target_of(function)
    if target is None:
        raise RuntimeError(
            f"{function!r} always runs on the tape: it is not written in Python"
        )
    traced: Traced[..., Any] = target.traced
    return traced
