"""What has been tried leaves the tables as they were."""

from srcgrad.tracing.graphs.journals import Journal


def change(journal, table, **items):
    for key, item in items.items():
        journal.changes(table, key)
        table[key] = item


def taken_back(journal, place, gone):
    return {key: then for _, key, then in journal.taken_back(place, gone)}


def test_what_was_changed_twice_is_as_it_was_first():
    journal, table = Journal(), {"a": 1}
    change(journal, table, a=2)
    change(journal, table, a=3)
    assert taken_back(journal, 0, {2, 3}) == {"a": 1}
    assert taken_back(journal, 1, {3}) == {"a": 2}


def test_what_stays_is_not_taken_back():
    journal, table, other = Journal(), {"a": 1}, {"a": 1}
    change(journal, table, a=2, b=5)
    change(journal, other, a=3)
    assert taken_back(journal, 0, {3, 5}) == {"a": 1, "b": None}
    assert [t is other for t, _, _ in journal.taken_back(0, {3})] == [True]


def test_what_is_forgotten_is_not_known():
    journal, table = Journal(), {}
    change(journal, table, a=2)
    journal.forget()
    assert len(journal) == 0
    assert taken_back(journal, 0, {2}) == {}
