"""Gradients on Dask: overhead a block, speed of two workers, memory of a worker.

Processes on this machine. Times are those of the clock, since the work is not in this
process: run it on an idle machine.
"""

import os
import threading
from time import perf_counter

import dask.array
import distributed
import numpy as np
import psutil
from ratios import Row, report

import srcgrad
import srcgrad.dask
from srcgrad.dask import value_and_grad

FEATURES = 20
BLOCKS = 200
ROUNDS = 5


def loss(w, x):
    """Return a logistic loss of rows that all have the label 1."""
    return np.sum(np.logaddexp(0.0, -(x @ w)))


def cluster_of(workers):
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0"
    )


def rows_in_blocks(rows, blocks):
    """Return data that are made where they are needed."""
    shape, chunks = (rows * blocks, FEATURES), (rows, FEATURES)
    return dask.array.random.default_rng(0).normal(size=shape, chunks=chunks)


def fastest(function):
    """Return the shortest time of a few calls, after a first."""
    function()
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)


def compiled_alone(rows):
    """Return the time of the compiled gradient of a block, in this process."""
    w, block = np.zeros(FEATURES), np.ones((rows, FEATURES))
    gradient = srcgrad.value_and_grad(loss)
    gradient.compile(w, block)
    return fastest(lambda: gradient(w, block))


def overhead(rows):
    """Return the milliseconds a block beyond the compiled gradient, data in memory."""
    with cluster_of(1) as cluster, distributed.Client(cluster):
        (compiled,) = srcgrad.dask.map(compiled_alone, [rows])
        data = rows_in_blocks(rows, BLOCKS).persist()
        distributed.wait(data)
        w, of_all = np.zeros(FEATURES), value_and_grad(loss, data=data)
        each = fastest(lambda: of_all(w)) / BLOCKS
    return 1e3 * (each - compiled)


def time_with(workers):
    """Return the time of a call with large blocks, in the memory of the workers."""
    w = np.zeros(FEATURES)
    with cluster_of(workers) as cluster, distributed.Client(cluster):
        data = rows_in_blocks(200_000, 24).persist()
        distributed.wait(data)
        of_all = value_and_grad(loss, data=data)
        return fastest(lambda: of_all(w))


def blocks_held():
    """Return how many blocks a worker of one thread holds at most, of 64."""
    rows, w = 100_000, np.zeros(FEATURES)
    data = rows_in_blocks(rows, 64)
    with cluster_of(1) as cluster, distributed.Client(cluster) as client:
        small = value_and_grad(loss, data=rows_in_blocks(10, 8))
        small(w)  # what is imported has its memory
        of_all = value_and_grad(loss, data=data)
        of_all(w, blocks=[0])
        (pid,) = client.run(os.getpid).values()
        worker = psutil.Process(pid)
        before, peak = worker.memory_info().rss, 0
        thread = threading.Thread(target=of_all, args=(w,))
        thread.start()
        while thread.is_alive():
            peak = max(peak, worker.memory_info().rss)
            thread.join(0.005)
    return (peak - before) / (8 * rows * FEATURES) + 1  # that which was there before


def main():
    rows = [
        Row("overhead, blocks of 100 rows", overhead(100), 5.0, "ms a block"),
        Row("overhead, blocks of 20,000 rows", overhead(20_000), 5.0, "ms a block"),
        Row("two workers / one", time_with(2) / time_with(1), 0.6, "x"),
        Row("held by a worker", blocks_held(), 6.0, "blocks"),
    ]
    report("Gradients on Dask", rows)


if __name__ == "__main__":
    main()
