"""Gradients on Dask: overhead a block, speed of two workers, memory of a worker.

Processes on this machine. Times are those of the clock, since the work is not in this
process: run it on an idle machine.
"""

import os
import statistics
import threading
from time import perf_counter

import dask
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


def network(w, x):
    """Return a loss that is more work."""
    return np.sum(np.tanh(x @ w) ** 2)


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
    return min(clocked(function) for _ in range(ROUNDS))


def clocked(function):
    start = perf_counter()
    function()
    return perf_counter() - start


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


def speed_of_two():
    """Return how long two workers take, one being 1: by the clock, by processors.

    The blocks are in their memory, and a tenth of a second of work each. Processors
    tell what two workers do beside that, on a busy machine, too.
    """
    with (
        cluster_of(1) as small,
        distributed.Client(small, set_as_default=False) as one,
        cluster_of(2) as large,
        distributed.Client(large, set_as_default=False) as two,
    ):
        calls = [call_on(one), call_on(two)]
        times = [[call() for call in calls] for _ in range(1 + ROUNDS)][1:]
    return tuple(
        statistics.median(b[kind] / a[kind] for a, b in times) for kind in range(2)
    )


def call_on(client):
    """Return a call on a cluster, which tells its times: the clock's, the workers'."""
    data = client.persist(rows_in_blocks(100_000, 24))
    w, of_all = np.ones((FEATURES, 40)), value_and_grad(network, data=data)
    workers = [psutil.Process(pid) for pid in client.run(os.getpid).values()]

    def used():
        return sum(sum(worker.cpu_times()[:2]) for worker in workers)

    def call():
        before = used()
        with dask.config.set(scheduler=client):
            seconds = clocked(lambda: of_all(w))
        return seconds, used() - before

    return call


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
    clock, processors = speed_of_two()
    rows = [
        Row("overhead, blocks of 100 rows", overhead(100), 5.0, "ms a block"),
        Row("overhead, blocks of 20,000 rows", overhead(20_000), 5.0, "ms a block"),
        Row("two workers / one, by the clock", clock, 0.6, "x"),
        Row("two workers / one, by processors", processors, 1.3, "x"),
        Row("held by a worker", blocks_held(), 6.0, "blocks"),
    ]
    report("Gradients on Dask", rows)


if __name__ == "__main__":
    main()
