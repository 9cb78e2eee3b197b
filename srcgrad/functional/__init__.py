"""Functions of functions: gradients and their kin, on ndarrays, floats, containers."""

from srcgrad.functional.gradients import elementwise_grad, grad, value_and_grad
from srcgrad.functional.vmap import vmap

__all__ = ["elementwise_grad", "grad", "value_and_grad", "vmap"]
