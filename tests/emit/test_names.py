"""An object has one name, a name is one object, and no name hides what is needed."""

import keyword

from hypothesis import given
from hypothesis import strategies as st

from srcgrad.emit.names import Namespace, identifier

HINTS = st.one_of(
    st.sampled_from(["h", "h_1", "h_2", "np", "lambda", "self.W", "params['b']", "ﬁ"]),
    st.text(max_size=8),
)


@given(st.lists(HINTS))
def test_names_are_distinct_identifiers_and_stay(hints):
    names = Namespace(["np"])
    given_names = [names.name(i, hint) for i, hint in enumerate(hints)]
    assert len({*given_names}) == len(given_names)
    assert all(name.isidentifier() for name in given_names)
    assert not {"np", "__debug__", *keyword.kwlist} & {*given_names}
    assert [names.name(i, "other") for i in range(len(hints))] == given_names
    namespace = {}
    exec("\n".join(f"{name} = {i}" for i, name in enumerate(given_names)), namespace)
    assert [namespace[name] for name in given_names] == list(range(len(hints)))


def test_what_takes_the_place_of_another_has_its_name():
    names = Namespace()
    names.share("after", names.name("before", "h"))
    assert names.name("after", "k") == "h"
    assert names.name("other", "h") == "h_1"


def test_a_hint_is_kept_where_it_is_free():
    names = Namespace()
    assert [names.fresh("h") for _ in range(3)] == ["h", "h_1", "h_2"]
    assert names.fresh("h_1") == "h_1_1"


def test_names_that_python_reads_alike_are_alike():
    names = Namespace()
    assert names.fresh("ﬁt") == "fit"
    assert names.fresh("fit") == "fit_1"


def test_a_reserved_name_is_not_given():
    names = Namespace()
    assert names.reserve("scipy")
    assert names.fresh("scipy") == "scipy_1"
    assert not names.reserve("scipy_1")


def test_many_equal_hints_take_linear_time():
    names = Namespace()
    for i in range(50_000):
        names.name(i, "h")
    assert names.name(49_999, "h") == "h_49999"


def test_what_is_no_identifier_becomes_one():
    assert identifier("self.layers[0].W") == "self_layers_0_W"
    assert identifier("") == "x"
    assert identifier("class") == "class"  # a keyword is the namespace's business
