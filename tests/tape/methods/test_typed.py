"""The stub of Variable's methods is fresh, and tells what they give."""

import inspect
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from srcgrad import Function, Variable

ROOT = Path(__file__).parents[3]
STUB = ROOT / "srcgrad" / "tape" / "methods" / "typed.pyi"


def test_the_stub_is_fresh():
    made = runpy.run_path(str(ROOT / "docs" / "make_stub.py"))["stub"]()
    assert STUB.read_text(encoding="utf-8") == made, "run python docs/make_stub.py"


def declared():
    """The methods and properties in the stub: their parameters, and what they give."""
    text = STUB.read_text(encoding="utf-8").partition("class Typed:")[2]
    pattern = r"def (\w+)\(\s*self,?\s*([^)]*?)\s*\) -> ([^:]+): \.\.\."
    found = reversed(re.findall(pattern, text))  # a property before its setter
    return {name: (given, kind) for name, given, kind in found}


# What a method is given; else nothing, or what an operator is given.
GIVEN = {
    "__getitem__": (0,),
    "argpartition": (1,),
    "choose": ([1.0, 2.0],),
    "clamp_": (0.0, 1.0),
    "clip": (0.0, 1.0),
    "clip_": (0.0, 1.0),
    "compress": ([True, False],),
    "copy_": (np.ones((2, 2)),),
    "fill_": (1.0,),
    "repeat": (2,),
    "reshape": (2, 2),
    "searchsorted": (2.5,),
    "swapaxes": (0, 1),
    "take": ([0],),
}
# What has to be of integers, or in order, or likely, or without axes, or a constant.
BITS = "and or xor lshift rshift".split()
OF = {f"__{r}{name}__": [[3, 1], [0, 2]] for name in BITS for r in ("", "r", "i")}
OF |= {"__invert__": [1, 2], "bernoulli": [0.2, 0.7], "choose": [1, 0]}
OF |= {"__round__": 1.5, "searchsorted": [1.0, 2.0]}
CONSTANT = ("__array__", "numpy", *OF)
LEAVES = ("__copy__", "flat", "grad", "grad_fn", "requires_grad_")
KINDS = {
    "Function": Function,
    "Iterator[Variable]": Iterator,
    "NDArray[Any]": np.ndarray,
    "Self": Variable,
    "Variable": Variable,
    "tuple[Variable, ...]": tuple,
    "tuple[Variable, Variable]": tuple,
}


@pytest.mark.parametrize("name", declared())
def test_the_stub_tells_what_a_member_gives(name):
    given, kind = declared()[name]
    x = Variable(OF.get(name, [[4.0, 2.0], [3.0, 1.5]]), name not in CONSTANT)
    x = x if name in CONSTANT or name in LEAVES else x * 1.0
    found = getattr(x, name)
    if not isinstance(inspect.getattr_static(Variable, name), property):
        operands = (x.clone(),) if given.startswith(("other", "b:")) else ()
        found = found(*GIVEN.get(name, operands))
    if kind.endswith(" | Any"):
        assert found is None
    else:
        assert isinstance(found, KINDS[kind]), type(found)
