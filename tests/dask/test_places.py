"""Tasks go to the blocks, and blocks stay where they are."""

import dask.array
import distributed
import numpy as np

from srcgrad.dask import value_and_grad
from srcgrad.dask.places import Places
from tests.dask.losses import X, square, until

w = np.array([0.1, -0.2, 0.3])


def moved(dask_worker):
    """Which blocks have come to a worker from another one."""
    return [
        key
        for each in dask_worker.transfer_incoming_log
        for key, size in each["keys"].items()
        if size > 1_000_000
    ]


def test_blocks_in_memory_stay_there(client):
    large = dask.array.ones((800_000, 3), chunks=(100_000, 3)).persist()
    distributed.wait(large)
    before = client.run(moved)
    of_all = value_and_grad(square, data=large)
    of_all(w)
    of_all(w)
    assert client.run(moved) == before


def test_what_is_yet_to_be_made_is_nowhere(client):
    x = dask.array.from_array(X, chunks=(10, 3))
    (block,) = x[:10].to_delayed().ravel()
    with Places([(block,)]).of((block,)) as context:
        assert context is None


def test_of_two_arrays_it_is_where_both_are(client):
    one, other = client.scheduler_info()["workers"]
    put = client.submit(np.ones, 2, workers=[one], pure=False)
    both = client.submit(np.zeros, 2, workers=[one], pure=False)
    distributed.wait([put, both])
    client.replicate([both], workers=[one, other])
    blocks = dask.delayed(put), dask.delayed(both)
    until(lambda: len(client.who_has([both])[both.key]) == 2)
    with Places([blocks]).of(blocks):
        found = dask.get_annotations()
    assert found == {"workers": [one], "allow_other_workers": True}
