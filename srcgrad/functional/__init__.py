"""Functions of functions: gradients and their kin, on ndarrays, floats, containers."""

from srcgrad.functional.gradients import grad, value_and_grad

__all__ = ["grad", "value_and_grad"]
