"""Functions as users write them, for the tests of ``srcgrad.Function``."""

import numpy as np

import srcgrad
from srcgrad import Function

STYLES = ["static", "instance"]


class Cube(Function):
    """The newer style; differentiable at any order."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


class Scaled(Function):
    """The older style: an object with parameters, called once."""

    def __init__(self, factor):
        self.factor = factor

    def forward(self, x, y):
        self.save_for_backward(x, None, y)
        return self.factor * x * y

    def backward(self, g):
        x, nothing, y = self.saved_tensors
        assert nothing is None
        return self.factor * g * y, self.factor * g * x


class Exp(Function):
    """Residuals its result, and computes its gradient on ndarrays."""

    @staticmethod
    def forward(ctx, x):
        out = np.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @srcgrad.once_differentiable
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        assert type(g) is np.ndarray
        assert type(out) is np.ndarray
        return g * out


class SinCos(Function):
    """Two results."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return np.sin(x), np.cos(x)

    @staticmethod
    def backward(ctx, gsin, gcos):
        (x,) = ctx.saved_tensors
        return gsin * np.cos(x) - gcos * np.sin(x)


class Product(Function):
    """``needs_input_grad``, None gradients, and an argument that is no array."""

    @staticmethod
    def forward(ctx, x, w, power):
        ctx.save_for_backward(x, w)
        return x * w**power

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx = dw = None
        if ctx.needs_input_grad[0]:
            dx = g * w * 5.0
        if ctx.needs_input_grad[1]:
            dw = g * x * np.cos(w)
        return dx, dw, None


def function_of(forward, backward=lambda ctx, g: g, style="static"):
    """A Function, made of a forward and a backward."""
    wrap = staticmethod if style == "static" else lambda method: method
    members = {"forward": wrap(forward), "backward": wrap(backward)}
    cls = type("Made", (Function,), members)
    return cls.apply if style == "static" else lambda *args: cls()(*args)
