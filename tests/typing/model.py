"""A class whose methods are traced."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import srcgrad

Array = NDArray[np.float64]


@srcgrad.trace
def squared(x: np.ndarray, scale: float = 1.0) -> float:
    """The square of a length."""
    return scale * float(np.sum(x * x))


class Spring:
    """A chain of masses and springs."""

    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    @srcgrad.trace
    def energy(self, x: Array) -> float:
        """The energy of the springs."""
        return 0.5 * self.stiffness * np.sum((x[1:] - x[:-1]) ** 2)

    @srcgrad.trace(verify=True, max_traces=4)
    def force(self, x: Array, *, push: float = 0.0) -> Array:
        """What pulls at the masses."""
        return push - srcgrad.grad(self.energy)(x)


def main() -> None:
    """Look at both."""
    x = np.array([0.0, 1.0, 3.0])
    assert_type(squared(x, scale=2.0), float)
    text: str = squared.explain()
    assert text
    assert_type(squared.explain(as_dict=True), dict[str, Any])
    assert_type(squared.stats.calls, int)

    spring = Spring(2.0)
    assert_type(spring.energy(x), float)
    assert_type(spring.force(x, push=1.0), Array)
    assert_type(Spring.energy(spring, x), float)
    assert_type(srcgrad.grad(spring.energy)(x), Array)
    for _ in range(3):
        spring.energy(x)
    source: str = spring.energy.source()
    assert "def forward" in source
    spring.energy.clear()

    if TYPE_CHECKING:
        squared()  # type: ignore[call-arg]
        squared(x, 2.0, 3.0)  # type: ignore[call-arg]
        squared("text")  # type: ignore[arg-type]
        spring.energy()  # type: ignore[call-arg]
        spring.force(x, 1.0)  # type: ignore[call-arg]
        squared.sauce()  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
