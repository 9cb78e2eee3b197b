"""Kernels that another process compiles, or has compiled."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad.native import tier
from tests.native.answered import by_tape
from tests.native.test_native_lowering import DONE, X

pytest.importorskip("numba", reason="Numba is not installed: `pip install .[native]`")


def test_a_process_beside_compiles_what_is_called_often(monkeypatch):
    monkeypatch.setattr(tier, "SECONDS_OF_NUMBA", 0.0)
    with srcgrad.set_native(True):
        derived = srcgrad.value_and_grad(srcgrad.trace(DONE["a loop of numbers"]))
        for _ in range(2):
            derived(X)
    end = time.monotonic() + 120.0
    expected, slopes = by_tape(DONE["a loop of numbers"], X)
    while "of NumPy's time" not in derived.explain() and time.monotonic() < end:
        value, found = derived(X)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        np.testing.assert_allclose(found, slopes, rtol=1e-12)
        time.sleep(0.01)
    assert "of NumPy's time" in derived.explain()


def test_another_process_takes_it_from_the_cache(tmp_path):
    program = textwrap.dedent(
        """
        import numpy as np
        import srcgrad

        with srcgrad.set_native("now"):
            derived = srcgrad.value_and_grad(lambda x: np.sum(np.sin(x) * x))
            for _ in range(3):
                value, slopes = derived(np.linspace(0.0, 1.0, 30))
        assert "machine code" in derived.explain(), derived.explain()
        print(value)
        """
    )
    script = tmp_path / "script.py"
    script.write_text(program)
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = str(Path(srcgrad.__file__).parents[1])
    run = [sys.executable, str(script)]
    told, caches = [], []
    for _ in range(2):
        done = subprocess.run(
            run, env=environment, capture_output=True, text=True, check=True
        )
        told.append(done.stdout)
        files = [*tmp_path.rglob("*.nbc")]
        caches.append({file.name: file.stat().st_mtime_ns for file in files})
    assert told[0] == told[1]
    assert caches[0] == caches[1] != {}
