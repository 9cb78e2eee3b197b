"""Logistic regression on data that are made, and differentiated, block by block.

`python examples/ten_million_rows.py 10000000` has 1.6 GB of them; without a number it
is a thousandth of that. No process holds more than a few blocks: the client has the
parameters, and scipy.optimize.minimize. scikit-learn gets the same data, all at once;
its optimizer is the same, so that the parameters agree to rounding.
"""

import sys
from time import perf_counter

import dask
import dask.array
import distributed
import numpy as np
import psutil
from scipy.optimize import minimize

from srcgrad.dask import value_and_grad

FEATURES = 20
ROWS_OF_BLOCK = 100_000
PENALTY = 1e-4  # of the mean, so that there is one optimum


def make_block(number, rows):
    """Return the block of a number: features, and labels of -1 and 1."""
    rng = np.random.default_rng([34, number])
    features = rng.normal(size=(rows, FEATURES))
    chance = 1.0 / (1.0 + np.exp(0.5 - features @ np.linspace(-1.0, 1.0, FEATURES)))
    return features, np.where(rng.random(rows) < chance, 1.0, -1.0)


def make_data(rows):
    """Return the data as Dask arrays: nothing is computed yet."""
    size = min(ROWS_OF_BLOCK, rows // 4)
    counts = [min(size, rows - start) for start in range(0, rows, size)]
    blocks = [
        dask.delayed(make_block, pure=True)(number, count)
        for number, count in enumerate(counts)
    ]
    features = [
        dask.array.from_delayed(block[0], (count, FEATURES), float)
        for block, count in zip(blocks, counts, strict=True)
    ]
    labels = [
        dask.array.from_delayed(block[1], (count,), float)
        for block, count in zip(blocks, counts, strict=True)
    ]
    return dask.array.concatenate(features), dask.array.concatenate(labels)


def loss(parameters, features, labels):
    """Return the mean logistic loss of a block, and the penalty."""
    margins = labels * (features @ parameters[1:] + parameters[0])
    penalty = 0.5 * PENALTY * np.sum(parameters[1:] ** 2)
    return np.mean(np.logaddexp(0.0, -margins)) + penalty


def fit(rows):
    """Return the optimum, and of each evaluation the time, the loss, and our memory."""
    value_and_gradient = value_and_grad(loss, data=make_data(rows), reduce="mean")
    curve, start = [], perf_counter()

    def evaluate(parameters):
        value, gradient = value_and_gradient(parameters)
        memory = psutil.Process().memory_info().rss // 2**20
        curve.append((perf_counter() - start, value, memory))
        return value, gradient

    options = {"gtol": 1e-9, "ftol": 1e-15}
    found = minimize(
        evaluate, np.zeros(FEATURES + 1), jac=True, method="L-BFGS-B", options=options
    )
    return found.x, curve


def fit_at_once(rows):
    """Return scikit-learn's optimum; a worker imports that, and has the memory."""
    from sklearn.linear_model import LogisticRegression

    features, labels = dask.compute(*make_data(rows), scheduler="sync")
    model = LogisticRegression(C=1.0 / (PENALTY * rows), tol=1e-9, max_iter=1000)
    model.fit(features, labels)
    return np.concatenate([model.intercept_, model.coef_[0]])


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        parameters, curve = fit(rows)
        for number, (seconds, value, memory) in enumerate(curve):
            print(f"{number:3}  {seconds:8.2f} s  {memory} MB  loss {value:.12f}")
        expected = client.submit(fit_at_once, rows).result()
    print("intercept and first coefficients, ours and scikit-learn's:")
    print(parameters[:4], expected[:4], sep="\n")
    gap = np.max(np.abs(parameters - expected))
    print(f"greatest difference to scikit-learn's parameters: {gap:.1e}")
    assert gap < 1e-8


if __name__ == "__main__":
    main()
