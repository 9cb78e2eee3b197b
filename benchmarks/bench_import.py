"""What an import costs: of srcgrad, and of its peers where they are installed.

Each import runs in a process of its own, with byte code there, and the processes take
turns; what counts is the ratio to ``import numpy``.
"""

import importlib.util
import os
import statistics
import subprocess
import sys

from ratios import Row, report

ROUNDS = 21
BUDGET = 2.0  # times `import numpy`, which is part of it

PROGRAMS = {
    "numpy": "import numpy",
    "srcgrad": "import srcgrad",
    "srcgrad, a decorated function": "import srcgrad; srcgrad.trace(lambda x: x)",
    "srcgrad.grad": "import srcgrad; srcgrad.grad",
    "autograd": "import autograd.numpy",
    "jax": "import jax.numpy",
    "torch": "import torch",
}
PEERS = ("autograd", "jax", "torch")
TIMED = """
import time
start = time.process_time()
{}
print(time.process_time() - start)
"""


def seconds(program: str) -> float:
    """Return the processor time of an import in a process of its own."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(program)],
        capture_output=True,
        text=True,
        check=True,
        env=env,
    )
    return float(done.stdout)


def rows() -> list[Row]:
    programs = {
        name: program
        for name, program in PROGRAMS.items()
        if name not in PEERS or importlib.util.find_spec(name)
    }
    for program in programs.values():
        seconds(program)  # byte code is written, files are read
    times = [
        {name: seconds(program) for name, program in programs.items()}
        for _ in range(ROUNDS)
    ]
    return [
        Row(
            f"import {name}",
            statistics.median(each[name] / each["numpy"] for each in times),
            BUDGET if name == "srcgrad" else float("inf"),
            "x numpy",
        )
        for name in programs
    ]


if __name__ == "__main__":
    report("Imports, as multiples of NumPy's", rows())
