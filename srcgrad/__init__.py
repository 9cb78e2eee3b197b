"""srcgrad: gradients of plain NumPy programs, from a tape or as generated source.

>>> import numpy as np
>>> import srcgrad
>>> x = srcgrad.Variable(np.array([1.0, 2.0]), requires_grad=True)
>>> np.sum(x**2).backward()
>>> x.grad.data
array([2., 4.])
"""

from srcgrad import autograd
from srcgrad.checking import gradcheck, gradgradcheck
from srcgrad.errors import (
    AnomalyError,
    DivergenceError,
    GradcheckError,
    InplaceError,
    NoRuleError,
)
from srcgrad.functional import (
    checkpoint,
    custom_jvp,
    custom_vjp,
    elementwise_grad,
    explain,
    flatten,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    linearize,
    source,
    sparse_hessian,
    sparse_jacobian,
    stop_gradient,
    value_and_grad,
    vjp,
    vmap,
)
from srcgrad.modes import (
    detect_anomaly,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    set_inplace,
    set_stance,
)
from srcgrad.rules.users import defvjp
from srcgrad.tape.function import Function, Leaf
from srcgrad.tape.stochastic import normal
from srcgrad.tape.user_call import once_differentiable
from srcgrad.tape.variable import Variable
from srcgrad.tracing.decorator import trace

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
    "no_grad",
    "normal",
    "once_differentiable",
    "set_grad_enabled",
    "set_inplace",
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

# A class says, in messages and pickles, where users find it.
for _name in __all__:
    _item = globals()[_name]
    if isinstance(_item, type):
        _item.__module__ = __name__
del _name, _item


def __dir__() -> list[str]:
    return ["__version__", *__all__]
