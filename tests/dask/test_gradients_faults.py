"""Workers that are killed, slow or new, and a client that goes: the same numbers."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import dask.array
import distributed
import numpy as np
import pytest

from srcgrad.dask import value_and_grad
from tests.dask.losses import X, flags, square, until, waiting

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one of them
ROOT = Path(__file__).parents[2]
w = np.array([0.1, -0.2, 0.3])
x = dask.array.from_array(X, chunks=(10, 3))


def data_in(folder):
    """Rows in blocks, of which one waits to be let go."""
    return x.map_blocks(waiting, str(folder), dtype=float, meta=np.empty((0, 0)))


@pytest.fixture
def running(client, tmp_path):
    """A gradient that is being computed, and what it will be; its block 3 waits."""
    started, go = flags(tmp_path)
    of_all = value_and_grad(square, data=data_in(tmp_path))
    of_all(w, blocks=[0, 5])  # what is to be traced
    found = []
    thread = threading.Thread(target=lambda: found.append(of_all(w)))
    thread.start()
    until(started.exists)
    try:
        yield found, thread, started, go
    finally:
        go.touch()
        thread.join()


def assert_is_undisturbed(running):
    found, thread, _, go = running
    go.touch()
    thread.join(120)
    value, gradient = value_and_grad(square, data=x)(w)
    assert found[0][0] == value
    assert found[0][1].tolist() == gradient.tolist()


def test_a_worker_is_killed_while_it_computes(running, client):
    started = running[2]
    killed = int(started.read_text())
    started.unlink()
    os.kill(killed, KILL)
    until(started.exists)  # the block is tried again, by another process
    assert int(started.read_text()) != killed
    assert_is_undisturbed(running)
    client.wait_for_workers(2)


def test_a_killed_worker_had_blocks_in_memory(client):
    data = (x + 0.0).persist()
    distributed.wait(data)
    of_all = value_and_grad(square, data=data)
    first = of_all(w)
    killed = min(client.run(os.getpid).values())
    os.kill(killed, KILL)
    again = of_all(w)
    assert (again[0], again[1].tolist()) == (first[0], first[1].tolist())
    until(lambda: killed not in client.run(os.getpid).values())
    client.wait_for_workers(2)


def test_a_worker_joins_while_another_one_is_slow(running, client, cluster):
    cluster.scale(3)
    client.wait_for_workers(3)
    assert_is_undisturbed(running)
    cluster.scale(2)


CLIENT = """
import sys
import dask.array, distributed
import numpy as np
from srcgrad.dask import value_and_grad
from tests.dask.losses import square
from tests.dask.test_gradients_faults import data_in

with distributed.Client(sys.argv[1]):
    value_and_grad(square, data=data_in(sys.argv[2]))(np.ones(3), blocks=[0, 3])
"""


def test_a_client_that_goes_leaves_nothing(client, cluster, tmp_path):
    def left(dask_scheduler):
        return len(dask_scheduler.tasks)

    until(lambda: client.run_on_scheduler(left) == 0)
    started, go = flags(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-c", CLIENT, cluster.scheduler_address, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: started.exists() or process.poll() is not None)
        assert client.run_on_scheduler(left) > 0
    finally:
        process.kill()
        process.wait()
        go.touch()
    until(lambda: client.run_on_scheduler(left) == 0)
