"""What a function finds in modules: a worker that has something else says so."""

import dask.array
import numpy as np
import pytest

from srcgrad.dask import value_and_grad
from srcgrad.dask.modules_there import Checked, digests_of
from tests.dask import losses
from tests.dask.losses import W, X

x = dask.array.from_array(X, chunks=(10, 3))
w = W["w"]
calls = 0


def counts():
    global calls
    calls += 1
    return calls


def reads_settings():
    class Own:
        gain = 2.0

    return losses.Settings.gain * Own.gain * losses.told(w, X)


def test_numbers_and_arrays_are_known_by_their_places():
    places = set(digests_of(reads_settings))
    assert ("tests.dask.losses", "Settings.gain") in places
    assert ("tests.dask.losses", "TABLE") in places
    assert (__name__, "w") in places


def test_what_a_function_sets_itself_may_be_another():
    assert digests_of(counts) == {}


def test_a_function_that_travels_as_a_value_takes_its_own_along():
    assert digests_of(lambda: w) == {}


def test_nan_is_nan(monkeypatch):
    monkeypatch.setattr(losses, "SCALE", float("nan"))
    run = Checked(losses.scaled, digests_of(losses.scaled))
    assert np.all(np.isnan(run(w, X)))
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match=r"losses\.SCALE is another here"):
        run(w, X)


@pytest.mark.filterwarnings("ignore:each worker runs")
@pytest.mark.parametrize("name", ["SCALE", "TABLE", "Settings.gain"])
@pytest.mark.parametrize("loss", [losses.told, lambda w, x: losses.told(w, x)])
def test_workers_do_not_run_a_function_with_other_modules(
    client, monkeypatch, loss, name
):
    expected = sum(loss(w, X[k : k + 10]) for k in range(0, len(X), 10))
    of_all = value_and_grad(loss, data=x)
    assert of_all(w)[0] == pytest.approx(expected, rel=1e-13)
    owner, _, own = f"tests.dask.losses.{name}".rpartition(".")
    monkeypatch.setattr(f"{owner}.{own}", np.full(3, 2.0) if name == "TABLE" else 2.0)
    with pytest.raises(RuntimeError, match=f"losses.{name} is another here"):
        of_all(w)
    monkeypatch.undo()
    assert of_all(w)[0] == pytest.approx(expected, rel=1e-13)
