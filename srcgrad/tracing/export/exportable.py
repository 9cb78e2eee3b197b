"""``Exportable``: ``compile``, ``export``, ``use`` and ``diff`` of what has traces."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec

from srcgrad.late import LateNames

if TYPE_CHECKING:
    from srcgrad.tracing.export.comparing import compare_with_tape
    from srcgrad.tracing.export.editing import Edited
    from srcgrad.tracing.export.exporting import Exporting

_late = LateNames(
    globals(),
    {
        "srcgrad.tracing.export.comparing": "compare_with_tape",
        "srcgrad.tracing.export.editing": "Edited",
        "srcgrad.tracing.export.exporting": "Exporting",
    },
)

P = ParamSpec("P")


class Exportable(Generic[P]):
    """A traced function, or a transform."""

    # Where the traces are, and the arguments that are given already.
    target: Any
    is_traced = False

    def compile(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Make the generated code for arguments of this kind, before they come.

        The function runs once, as a recording: what it does beside computing (prints,
        writes into its arguments, stores, random draws) is left out, so a call
        afterwards does it for the first time. Nothing happens if there is code already.

        Parameters
        ----------
        *args, **kwargs
            Arguments of the shapes, dtypes and kinds of the calls to come.

        Raises
        ------
        RuntimeError
            If calls of this kind stay on the tape, saying why.

        Examples
        --------
        >>> import numpy as np
        >>> import srcgrad
        >>> slope = srcgrad.grad(lambda x: np.sum(x**3))
        >>> slope.compile(np.ones(2))
        >>> "def forward(x):" in slope.source()
        True
        """
        traced, transform = self._parts()
        traced.trace_for(transform, args, kwargs)

    def export(
        self, path: str | os.PathLike[str], /, *args: Any, **kwargs: Any
    ) -> None:
        """Write a module that does the same, and needs NumPy alone.

        It has the function and its derivative as plain functions of arrays, with
        checks of the arguments, and ``check_gradient`` against finite differences,
        which runs if the module does. Arrays that the function read outside its
        arguments are constants there: small ones as literals, large ones in a file
        ``.npz`` beside it. ``docs/export.md`` tells more.

        Parameters
        ----------
        path : str or path-like
            The file, ``loss_grad.py`` say.
        *args, **kwargs
            Arguments of the kind that the module is for. May be left out if the
            function has one trace: then it is for arguments like those.

        Raises
        ------
        RuntimeError
            If it has not been called yet, and no arguments are given; or if it does
            what a module of NumPy's functions cannot do, saying where and why.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> import srcgrad
        >>> def loss(x):
        ...     return np.sum(np.tanh(x) ** 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "loss_grad.py")
        ...     srcgrad.grad(loss).export(path, np.ones(3))
        ...     text = path.read_text()
        >>> "def loss_grad(x: np.ndarray) -> np.ndarray:" in text
        True
        >>> "import srcgrad" in text
        False
        """
        _late.load()
        traced, transform = self._parts()
        if not args and not kwargs:
            args, kwargs = traced.example_of(transform)
        Exporting(traced, transform, args, kwargs).export(Path(path))

    def use(self, path: str | os.PathLike[str] | None, /) -> None:
        """Run an exported module, which was edited, in the place of generated code.

        Its functions are compared with the tape first, for the arguments of its
        ``example``. Calls of the kind that the module is for run it from then on, as
        ``explain`` tells; all others go as before. Second derivatives are those of the
        tape.

        Parameters
        ----------
        path : str or path-like, or None
            The file; None: generated code again.

        Raises
        ------
        GradcheckError
            If it computes something else, with the numbers.
        ValueError
            If it is no such module, or its functions take other parameters.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> import srcgrad
        >>> def loss(x):
        ...     return np.sum(x**3)
        >>> slope = srcgrad.grad(loss)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "loss_grad.py")
        ...     slope.export(path, np.ones(2))
        ...     text = path.read_text()
        ...     _ = path.write_text(text.replace("(x * x)", "np.square(x)"))
        ...     slope.use(path)
        ...     lines = slope.diff().splitlines()
        >>> print("\\n".join(line for line in lines if line[:4] in ("-   ", "+   ")))
        -    return 3.0 * (x * x)
        +    return 3.0 * np.square(x)
        >>> slope(np.array([1.0, 2.0]))
        array([ 3., 12.])
        """
        _late.load()
        traced, transform = self._parts()
        if path is None:
            traced.edit(transform, None)
            return
        edited = Edited(Path(path))
        if edited.parameters != edited.exported:
            raise ValueError(
                f"{os.fspath(path)}: `{edited.function.__name__}` takes "
                f"({', '.join(edited.parameters)}), but was exported with "
                f"({', '.join(edited.exported)}): leave the parameters as they were"
            )
        compare_with_tape(edited, traced, transform)
        edited.constants = self._exporting_like(edited).constants()
        traced.edit(transform, edited)

    def diff(self, path: str | os.PathLike[str] | None = None, /) -> str:
        """What was edited in an exported module, as a unified diff.

        The other side is what ``export`` would write now: so it tells as well what has
        changed in the function since then.

        Parameters
        ----------
        path : str or path-like, optional
            The file; by default that in use.

        Returns
        -------
        str
            Empty, if nothing differs.
        """
        _late.load()
        traced, transform = self._parts()
        edited = traced.edited(transform) if path is None else Edited(Path(path))
        if edited is None:
            raise ValueError("no module is in use: give its path")
        found: str = self._exporting_like(edited).diff(edited)
        return found

    def _exporting_like(self, edited: Any) -> Any:
        """The export of the module for its example, as it would be now."""
        traced, transform = self._parts()
        values = edited.values()
        if transform is None:
            values, _ = edited.with_variables(values)
        args, kwargs = edited.call(values)
        return Exporting(traced, transform, args, kwargs)

    def _parts(self) -> tuple[Any, Any]:
        """The traced function, and what of it this is."""
        if self.target is None:
            raise RuntimeError(
                f"{self!r} always runs on the tape: the function is not written in "
                "Python; export a function of your own that calls it"
            )
        return self.target.traced, None if self.is_traced else self
