"""Fit the rates of predators and prey to noisy counts, through an ODE solver.

`scipy.integrate.solve_ivp` solves the equations, and srcgrad differentiates it by the
adjoint method: a second equation, backwards in time.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import srcgrad

TIMES = np.linspace(0.0, 8.0, 9)
START = np.array([2.0, 1.0])
TRUE = np.array([1.0, 0.6, 0.8, 0.5])


def rates(t, state, growth, eaten, starved, fed):
    """Lotka's and Volterra's equations."""
    prey, predators = state[0], state[1]
    meetings = prey * predators
    return np.stack(
        [growth * prey - eaten * meetings, fed * meetings - starved * predators]
    )


def counts(parameters):
    """Return the counts at the times."""
    args = tuple(parameters[i] for i in range(4))
    span = TIMES[0], TIMES[-1]
    return solve_ivp(rates, span, START, t_eval=TIMES, args=args, rtol=1e-6).y


def loss(log_parameters, measured):
    """Return the mean square of the relative errors."""
    found = counts(np.exp(log_parameters))
    return np.mean((np.log(found) - np.log(measured)) ** 2)


def main():
    rng = np.random.default_rng(0)
    measured = counts(TRUE) * np.exp(0.02 * rng.normal(size=(2, 9)))

    start = np.log([0.8, 0.8, 0.6, 0.4])
    result = minimize(
        srcgrad.value_and_grad(loss), start, args=(measured,), jac=True, tol=1e-5
    )
    fitted = np.exp(result.x)
    names = ("growth", "eaten", "starved", "fed")
    for name, true, found in zip(names, TRUE, fitted, strict=True):
        print(f"{name:8} true {true:.2f}   fitted {found:.3f}")
    print(f"mean square error {result.fun:.1e} after {result.nfev} solutions")

    assert np.allclose(fitted, TRUE, rtol=0.1)
    assert result.fun < 1e-3


if __name__ == "__main__":
    main()
