"""The tape by hand: Variables, operators, hooks."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad
from srcgrad import Variable


def halved(grad: Variable) -> Variable:
    """A hook."""
    return grad / 2


@srcgrad.no_grad()
def length(x: Variable) -> Variable:
    """Off the tape."""
    return (x * x).sum().sqrt()


def operators(x: Variable, a: NDArray[np.float64]) -> None:
    """All give Variables."""
    assert_type(x + x, Variable)
    assert_type(x + a, Variable)
    assert_type(2.0 * x, Variable)
    assert_type(x @ a, Variable)
    assert_type(-(abs(x) ** 2), Variable)
    assert_type(x > 0.0, Variable)
    assert_type(x[0], Variable)
    assert_type(list(x), list[Variable])
    assert_type(x.T @ x.reshape(-1), Variable)
    if TYPE_CHECKING:
        x + "text"  # type: ignore[operator]
        x.tofile("file")  # type: ignore[attr-defined]


def main() -> None:
    """Go back."""
    x = Variable(np.array([1.0, 2.0]), requires_grad=True)
    operators(x, np.ones(2))

    y = (x * x).exp().sum(axis=0)
    assert_type(y, Variable)
    assert_type(y.item(), Any)
    with x.register_hook(halved):
        y.backward(retain_graph=True)
    assert_type(x.grad, Variable | Any)
    assert_type(x.grad.data, np.ndarray[Any, Any] | Any)
    x.zero_grad()
    x.grad = None
    assert_type(y.grad_fn, srcgrad.Function | Any)
    assert_type(y.creator.name(), str)
    assert_type(x.shape, tuple[int, ...])
    assert_type(x.detach().requires_grad_(), Variable)

    (again,) = srcgrad.autograd.grad((x * x).sum(), [x])
    assert_type(again, Variable)
    assert_type(length(x), Variable)

    with srcgrad.no_grad():
        step = x.detach().clone().mul_(0.5)
    assert_type(step, Variable)
    assert_type(step.requires_grad, bool)
    step += 1.0
    assert_type(step, Variable)

    w = Variable([[1.0, 2.0]], requires_grad=True)
    for _ in range(3):
        loss = ((w @ np.ones(2) - 1.0) ** 2).mean()
        loss.backward()
        w.data -= 0.1 * w.grad.data
        w.grad.zero_()
    assert_type(len(w), int)
    assert_type(float(w.sum().detach()), float)
    assert_type(np.asarray(w.detach()), NDArray[Any])
    assert_type(w.max(axis=1, keepdims=True).astype(np.float32), Variable)
    step[0], step.requires_grad = 3.0, True

    assert srcgrad.gradcheck(lambda v: (v * v).sum(), [x])


if __name__ == "__main__":
    main()
