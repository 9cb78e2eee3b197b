"""Each example runs to its end, where it asserts what it shows."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        cwd=tmp_path,  # an example may not depend on where it is started
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""  # warnings and progress bars are for terminals


def test_each_example_asserts_and_has_a_main():
    names = {path.stem for path in EXAMPLES}
    assert names >= {"digits", "quickstart", "rosenbrock"}
    assert names >= {"gaussian_process", "ode_fit", "bayesian_network"}
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        assert "    assert " in text, path.name
        assert 'if __name__ == "__main__":' in text, path.name
