"""``fails``: whether a call raises an error, as a function: what ``try`` finds out.

Where the user's ``except`` has caught the error of a call, a trace holds as long as
that fails.
"""

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.facts import declare
from srcgrad.protocols import dispatched


@dispatched
def fails(
    kind: type[Exception],
    settings: tuple[tuple[str, str], ...],
    function: Callable[..., Any],
    /,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Whether a call raises an error of this kind, and no kind derived from it.

    Parameters
    ----------
    kind : type
    settings : tuple of (str, str)
        What ``np.errstate`` is told for the call; nothing: NumPy is as it is.
    function : callable

    Examples
    --------
    >>> fails(np.linalg.LinAlgError, (), np.linalg.inv, np.zeros((2, 2)))
    np.True_
    >>> settings = (("all", "raise"),)
    >>> fails(FloatingPointError, settings, np.log, np.ones(2))
    np.False_
    """
    around = np.errstate(**dict(settings)) if settings else contextlib.nullcontext()  # type: ignore[arg-type]
    try:
        with around:
            function(*args, **kwargs)
    except kind as error:
        return np.bool_(type(error) is kind)
    return np.bool_(False)


declare(fails)
