"""Tables of code objects: by identity, and no longer than the code lives."""

import gc

from srcgrad.codes import PerCode, per_code

SOURCE = "def f(x):\n    return x\n"


def code_of(filename):
    namespace = {}
    exec(compile(SOURCE, filename, "exec"), namespace)
    return namespace["f"].__code__


def test_equal_code_of_two_files_has_two_rows():
    first, second = code_of("first.py"), code_of("second.py")
    assert first == second
    table = PerCode()
    table.put(first, "first")
    assert table.get(second) is None
    table.put(second, "second")
    assert (table.get(first), table.get(second)) == ("first", "second")


def test_a_row_goes_with_its_code():
    table = PerCode()
    for number in range(100):
        table.put(code_of(f"{number}.py"), number)
    gc.collect()
    assert len(table) == 0


def test_what_is_found_out_is_found_out_once():
    calls = []

    @per_code
    def name_of(code):
        calls.append(code.co_filename)
        return code.co_name

    code = code_of("once.py")
    assert [name_of(code) for _ in range(3)] == ["f"] * 3
    assert name_of(code_of("twice.py")) == "f"
    assert calls == ["once.py", "twice.py"]
