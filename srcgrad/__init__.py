"""srcgrad: gradients of plain NumPy programs, from a tape or as generated source.

>>> import numpy as np
>>> import srcgrad
>>> x = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> np.sum(x**2).backward()
>>> x.grad.data
array([2., 4.])
"""

import typing

from srcgrad import autograd, late
from srcgrad.errors import (
    AnomalyError,
    DivergenceError,
    GradcheckError,
    InplaceError,
    NoRuleError,
)
from srcgrad.modes import (
    detect_anomaly,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    set_inplace,
    set_native,
    set_stance,
)
from srcgrad.rules.users import defvjp
from srcgrad.tape.function import Function, Leaf
from srcgrad.tape.stochastic import normal
from srcgrad.tape.user_call import once_differentiable
from srcgrad.tape.variable import Variable

# The tape is there at once, the rest when it is first asked for: see ``late``.
if typing.TYPE_CHECKING:
    from srcgrad.checking import gradcheck, gradgradcheck
    from srcgrad.functional.checkpoint import checkpoint
    from srcgrad.functional.custom import custom_jvp, custom_vjp
    from srcgrad.functional.flattening import flatten
    from srcgrad.functional.gradients import elementwise_grad, grad, value_and_grad
    from srcgrad.functional.jacobians import hessian, hvp, jacobian
    from srcgrad.functional.jvp import jvp, linearize
    from srcgrad.functional.loading import load
    from srcgrad.functional.looking import explain, report, source
    from srcgrad.functional.sparse_jacobians import sparse_hessian, sparse_jacobian
    from srcgrad.functional.stops import stop_gradient
    from srcgrad.functional.vjp import vjp
    from srcgrad.functional.vmap import vmap
    from srcgrad.tracing.decorator import trace

_late = late.LateNames(
    globals(),
    {
        "srcgrad": "checking dask scipy testing",
        "srcgrad.checking": "gradcheck gradgradcheck",
        "srcgrad.functional.checkpoint": "checkpoint",
        "srcgrad.functional.custom": "custom_jvp custom_vjp",
        "srcgrad.functional.flattening": "flatten",
        "srcgrad.functional.gradients": "elementwise_grad grad value_and_grad",
        "srcgrad.functional.jacobians": "hessian hvp jacobian",
        "srcgrad.functional.jvp": "jvp linearize",
        "srcgrad.functional.loading": "load",
        "srcgrad.functional.looking": "explain report source",
        "srcgrad.functional.sparse_jacobians": "sparse_hessian sparse_jacobian",
        "srcgrad.functional.stops": "stop_gradient",
        "srcgrad.functional.vjp": "vjp",
        "srcgrad.functional.vmap": "vmap",
        "srcgrad.tracing.decorator": "trace",
    },
)

if not typing.TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        return _shown_here(_late.find(name))


__version__ = "0.1.0"

__all__ = [
    "AnomalyError",
    "DivergenceError",
    "Function",
    "GradcheckError",
    "InplaceError",
    "Leaf",
    "NoRuleError",
    "Variable",
    "autograd",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "defvjp",
    "detect_anomaly",
    "elementwise_grad",
    "enable_grad",
    "explain",
    "flatten",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "hessian",
    "hvp",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "linearize",
    "load",
    "no_grad",
    "normal",
    "once_differentiable",
    "report",
    "set_grad_enabled",
    "set_inplace",
    "set_native",
    "set_stance",
    "source",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "vjp",
    "vmap",
]


def _shown_here(item: object) -> object:
    """A class says, in messages and pickles, where users find it."""
    if isinstance(item, type):
        item.__module__ = __name__
    return item


for _name in __all__:
    _shown_here(globals().get(_name))
del _name


def __dir__() -> list[str]:
    return ["__version__", *__all__]
