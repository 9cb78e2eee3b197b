"""What stands for `keys`, `values` and `items` of a dict is what these are."""

import pytest

from srcgrad.tracing.outside.dict_views import Items, Keys, Values

PAIRS = [(Keys, dict.keys), (Values, dict.values), (Items, dict.items)]


@pytest.mark.parametrize(("made", "expected"), PAIRS)
def test_they_show_what_is_there_now(made, expected):
    known = {"a": 1.0, "b": 2.0}
    own, theirs = made(known), expected(known)
    for change in (lambda: None, lambda: known.update(c=3.0), lambda: known.pop("a")):
        change()
        assert [*own] == [*theirs]
        assert [*reversed(own)] == [*reversed(theirs)]
        assert len(own) == len(theirs)
        assert repr(own) == repr(theirs)


def test_keys_and_items_are_sets():
    known = {"a": 1.0, "b": 2.0}
    assert Keys(known) & {"a", "z"} == {"a"}
    assert {"a", "z"} - Keys(known) == {"z"}
    assert Items(known) - {("a", 1.0)} == {("b", 2.0)}
    assert Keys(known) == known.keys()
    assert ("a", 2.0) not in Items(known)
