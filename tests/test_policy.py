"""Each number of the compile policy says why it is what it is, and is asked for."""

import itertools
import re
from pathlib import Path

import pytest

from srcgrad import policy

SOURCE = Path(policy.__file__).read_text(encoding="utf-8")
NAMES = [name for name in vars(policy) if name.isupper()]
READERS = [
    path.read_text(encoding="utf-8")
    for path in Path(policy.__file__).parent.rglob("*.py")
    if path != Path(policy.__file__)
]


@pytest.mark.parametrize("name", NAMES)
def test_a_number_is_read_somewhere(name):
    imported = re.compile(rf"srcgrad\.policy import \(?[\w\s,]*\b{name}\b")
    assert any(map(imported.search, READERS))


def test_each_line_of_numbers_has_a_comment_above():
    lines = SOURCE.splitlines()
    for above, line in itertools.pairwise(lines):
        if re.match(r"[A-Z_]+\b.* = ", line):
            assert re.match(r"# (?!-----)", above), line
