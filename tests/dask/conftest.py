"""A cluster of two processes, for all tests of a process of pytest's."""

import dask
import distributed
import pytest


@pytest.fixture(scope="session")
def cluster():
    with (
        dask.config.set({"distributed.worker.daemon": True}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, dashboard_address=None
        ) as found,
    ):
        yield found


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as found:
        yield found
