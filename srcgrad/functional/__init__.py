"""Functions of functions: gradients and their kin, on ndarrays, floats, containers."""

from srcgrad.functional.checkpoint import checkpoint
from srcgrad.functional.custom import custom_jvp, custom_vjp
from srcgrad.functional.flat import flatten
from srcgrad.functional.gradients import elementwise_grad, grad, value_and_grad
from srcgrad.functional.jacobians import hessian, hvp, jacobian
from srcgrad.functional.jvp import jvp, linearize
from srcgrad.functional.looking import explain, source
from srcgrad.functional.sparse import sparse_hessian, sparse_jacobian
from srcgrad.functional.stops import stop_gradient
from srcgrad.functional.vjp import vjp
from srcgrad.functional.vmap import vmap

__all__ = [
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "explain",
    "flatten",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "linearize",
    "source",
    "sparse_hessian",
    "sparse_jacobian",
    "stop_gradient",
    "value_and_grad",
    "vjp",
    "vmap",
]
