"""Derivatives of one's own: Functions, ``custom_vjp``, rules."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad
from srcgrad import Function, Variable

Array = NDArray[np.float64]


class Exp(Function):
    """In PyTorch's newer style."""

    @staticmethod
    def forward(ctx: Any, x: Array) -> Array:
        """Compute it."""
        out = np.exp(x)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    @srcgrad.once_differentiable
    def backward(ctx: Any, g: Array) -> Array:
        """Go back."""
        (out,) = ctx.saved_tensors
        return g * out


class Scale(Function):
    """In the older one."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def forward(self, x: Array) -> Array:
        """Compute it."""
        return self.factor * x

    def backward(self, g: Array) -> Array:
        """Go back."""
        return self.factor * g


@srcgrad.custom_vjp
def clipped(x: float, limit: float = 1.0) -> float:
    """The identity, through which no large gradient goes."""
    return x


clipped.defvjp(
    lambda x, limit: (x, limit),
    lambda limit, g: (np.clip(g, -limit, limit), None),
)


@srcgrad.custom_jvp
def distance(x: Array) -> Array:
    """Without a corner at zero."""
    return np.abs(x)


@distance.defjvp
def _(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (x,), (t,) = primals, tangents
    return np.abs(x), np.where(x >= 0, t, -t)


def double(x: Array) -> Array:
    """Of a library, say."""
    return 2.0 * x


def main() -> None:
    """Use them."""
    x = Variable(np.zeros(2), requires_grad=True)
    Scale(3.0)(Exp.apply(x)).sum().backward()
    assert x.grad.data.tolist() == [3.0, 3.0]

    assert_type(clipped(2.0, limit=0.5), float)
    assert_type(srcgrad.grad(clipped)(2.0, 0.5), float)
    assert_type(srcgrad.grad(lambda x: 5.0 * clipped(x))(2.0), Any)
    assert_type(distance(np.zeros(2)), Array)
    assert srcgrad.grad(lambda x: distance(x).sum())(np.zeros(2)).tolist() == [1.0, 1.0]
    square = np.frompyfunc(lambda x: x * x, 1, 1)
    srcgrad.defvjp(square, x=lambda g, x: 2.0 * g * x)


if __name__ == "__main__":
    main()
