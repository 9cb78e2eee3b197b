"""Functions of functions: gradients and their kin, on ndarrays, floats, containers."""

from srcgrad.functional.gradients import elementwise_grad, grad, value_and_grad
from srcgrad.functional.jacobians import hessian, hvp, jacobian
from srcgrad.functional.jvp import jvp, linearize
from srcgrad.functional.stops import stop_gradient
from srcgrad.functional.vjp import vjp
from srcgrad.functional.vmap import vmap

__all__ = [
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]
