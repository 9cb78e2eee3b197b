"""The guides of the site: each does its task, typed in from top to bottom.

Their cells run as one script, but for those that only draw (tag ``picture``), which the
build of the site runs. ``TASKS`` says of each what a reader should have at its end.
"""

import linecache
import re
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import srcgrad

DOCS = Path(__file__).parents[1] / "docs"
CELL = re.compile(
    r"^```\{code-cell\} ipython3\n(---\n.*?^---\n)?(.*?)^```", re.M | re.S
)

TASKS = {
    "first-ten-minutes": "close(w, [1.0, -2.0, 0.5], 0.01) and close(b, 0.3, 0.01)",
    "guides/fit": "all(close(fitted[name], truth[name], 0.03) for name in truth)",
    "guides/class": "value.item() < 1e-3 and close(spring.rest, 1.3, 1e-3)",
    "guides/ode": "close(found.x, truth, 0.03)",
    "guides/gaussian_process": "0.05 < noise < 0.15 and np.all(spread < 1.2)",
    "guides/many_gradients": "close(at_once, one_by_one, 1e-12)",
    "guides/parallel": "close(again, fits, 1e-12) and close(fits, [2.0, 0.7], 0.25)",
    "guides/nan": "close(grad(right)(points), grad(shorter)(points), 1e-12)",
    "guides/own_derivative": "close(grad(loss)(x), [0.0, 0.914, 0.699], 1e-2)",
    "guides/teaching": "close(gradient(p), -np.log(p) - 1.0, 1e-12)",
    "guides/from_autograd": "training_loss(weights) < 1.1",
}

NAMES = {
    "np": np,
    "close": lambda a, b, most: np.allclose(a, b, rtol=0.0, atol=most),
    "grad": srcgrad.grad,
    "p": np.array([0.5, 0.3, 0.2]),
}


def typed_in(page):
    """The cells of a page as a script."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    cells = [code for tags, code in CELL.findall(text) if "picture" not in tags]
    assert cells, "a guide without code"
    return "\n\n".join(cells)


@pytest.mark.parametrize("page", TASKS)
def test_a_guide_does_its_task(page, tmp_path, capsys):
    path = tmp_path / f"{Path(page).name}.py"
    path.write_text(typed_in(page), encoding="utf-8")
    linecache.checkcache(str(path))
    with warnings.catch_warnings():
        # Of divisions by zero, of which some guides tell, and of numbers that leave.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = runpy.run_path(str(path), run_name="__main__")  # as a script
        assert eval(TASKS[page], NAMES | found)
    assert "Traceback" not in capsys.readouterr().err


def test_every_guide_has_its_task():
    pages = {path.stem for path in (DOCS / "guides").glob("*.md")} - {"index"}
    assert {f"guides/{page}" for page in pages} == {*TASKS} - {"first-ten-minutes"}


def test_every_public_name_is_in_the_reference():
    pages = (DOCS / "reference").glob("*.md")
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    listed = {*re.findall(r"^(?:   |\.\. auto\w+:: )(\w+)$", text, re.M)}
    assert {*srcgrad.__all__} - {"autograd"} <= listed
