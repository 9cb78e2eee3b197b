"""Python's ``statistics``: every sample; the module is not imported for its rules."""

import subprocess
import sys

PROGRAM = """
import sys, srcgrad
from srcgrad.tape.apply import apply
assert "statistics" not in sys.modules
import statistics
x = srcgrad.Variable(2.0, requires_grad=True)
apply(statistics.mean, ([apply(float, (x,), {}), 4.0],), {}).backward()
print(float(x.grad.data))
"""


def test_rules_come_with_the_first_call_after_the_programs_import():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout == "0.5\n"
