"""``Hookable``: the methods of a Variable for hooks on its gradient."""

from typing import Any

import numpy as np

from srcgrad.errors import located
from srcgrad.modes import refuse
from srcgrad.tape import hooks
from srcgrad.tape.function import VOLATILE, Edge, Leaf, has_edge, hooks_of


class Hookable:
    """Hooks on a Variable, and a gradient that is kept inside a graph.

    They belong to the place in the graph where the Variable is now: after an in-place
    operation, to what it was before.
    """

    __slots__ = ()

    edge: Edge | None
    kept: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def register_hook(self, hook: Any, named: Any = None) -> hooks.Handle:
        """Call ``hook(grad)`` whenever a gradient for this Variable has been computed.

        It gets a Variable. What it returns, if anything, takes the gradient's place: a
        Variable of the same shape. Hooks run in the order of registration; on a leaf
        once in a backward pass, with the sum of all that arrives.

        Parameters
        ----------
        hook : callable
            Or, in the old spelling ``register_hook(name, hook)``, a name.

        Returns
        -------
        Handle
            Its ``remove()`` takes the hook away; so does the end of a ``with`` on it.

        Raises
        ------
        RuntimeError
            If the Variable does not require grad.
        AssertionError
            If there is a hook with this name, as in PyTorch.

        Examples
        --------
        >>> import numpy as np
        >>> import srcgrad
        >>> x = srcgrad.Variable(np.ones(2), requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 2)
        >>> x.sum().backward()
        >>> x.grad.data
        array([2., 2.])
        >>> handle.remove()
        """
        return hooks.register(self._own_hooks("register a hook on"), hook, named)

    def remove_hook(self, name: Any) -> None:
        """Take away the hook that was registered with a name."""
        if self.edge is VOLATILE:
            raise RuntimeError("volatile variables don't support hooks")
        own = None
        if self.edge is not None:
            own = (self.edge[0].hooks or {}).get(self.edge[1])
        hooks.remove(own, name)

    def retain_grad(self) -> None:
        """Keep ``.grad`` of a Variable that is no leaf: what its hooks leave of it.

        Raises
        ------
        RuntimeError
            If the Variable does not require grad.
        """
        own = self._own_hooks("retain the gradient of")
        if self.edge is None or type(self.edge[0]) is Leaf or own.kept is not None:
            return
        if self.kept is None:
            self.kept = Leaf.of(self)
        own.kept = self.kept

    def _own_hooks(self, purpose: str) -> hooks.Hooks:
        refuse("registers a hook")
        if self.edge is VOLATILE:
            raise located(RuntimeError(f"cannot {purpose} a volatile variable"))
        if self.edge is None or not has_edge(self):
            raise located(
                RuntimeError(
                    f"cannot {purpose} a variable that doesn't require gradient"
                ),
                kind="no-graph",
            )
        return hooks_of(*self.edge)
