"""What a class has under a name, as it stands there."""

from srcgrad.tracing.outside.conditions import MISSING
from srcgrad.tracing.outside.members import class_member, is_slot, member_of


class Base:
    __slots__ = ("size",)

    @property
    def area(self):
        raise AssertionError("a descriptor has run")


class Derived(Base):
    __slots__ = ()


def test_a_member_is_found_on_the_base_that_has_it_and_does_not_run():
    area = vars(Base)["area"]
    assert member_of(Derived, "area") == (Base, area)
    assert class_member(Derived, "area") is area


def test_a_name_that_no_class_has_is_missing():
    assert member_of(Derived, "none") == (Derived, MISSING)


def test_only_a_member_of_slots_is_a_slot():
    assert is_slot(class_member(Derived, "size"))
    assert not is_slot(class_member(Derived, "area"))
    assert not is_slot(MISSING)
