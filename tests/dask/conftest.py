"""A cluster of two processes, for all tests of a process of pytest's."""

import distributed
import pytest


@pytest.fixture(scope="session")
def cluster():
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as found:
        yield found


@pytest.fixture
def client(cluster):
    with distributed.Client(cluster) as found:
        yield found
