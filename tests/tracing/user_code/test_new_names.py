"""Names that nothing else has."""

from srcgrad.tracing.user_code.new_names import NewNames


def test_each_thing_has_a_name_of_its_own_and_keeps_it():
    names = NewNames({"a"})
    first, second = names.of(1, "a"), names.of(2, "a")
    assert len({"a", first, second}) == 3
    assert names.of(1, "a") == first
    assert names.of(2, "other") == second
