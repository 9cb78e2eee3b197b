"""How many traces are kept, and when a function gives up on more of them."""

import threading

import numpy as np
import pytest

import srcgrad
from srcgrad import Variable
from srcgrad.tracing.serving.cache import Cache, Entry
from srcgrad.tracing.serving.direct import usual_way
from tests.tracing.comparing import X, plain


def power(x, n):
    return x ** int(n)


def test_no_more_traces_are_kept_than_asked_for():
    traced = srcgrad.trace(power, max_traces=3)
    for n in "12345123":
        assert plain(traced(X, n)) == plain(X ** int(n))
    assert traced.stats.compiled == 0
    assert traced.explain().count("  trace: ") == 3
    assert plain(traced(X, "3")) == plain(X**3)
    assert traced.stats.compiled == 1


def branches(x):
    return x * range(100)[int(x[0])]


def test_one_warning_for_a_function_that_keeps_missing():
    traced = srcgrad.trace(branches)
    with pytest.warns(
        RuntimeWarning, match=r"branches stays on the tape.*miss"
    ) as seen:
        results = [plain(traced(X + i)) for i in range(40)]
    assert results == [plain(branches(X + i)) for i in range(40)]
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert "int(x[0])" in str(seen[0].message)
    assert "on the tape: no trace was of use twice" in traced.explain()


def test_one_warning_for_ever_new_signatures():
    traced = srcgrad.trace(power, max_traces=20)
    with pytest.warns(RuntimeWarning, match="none was of use twice; .*20'") as seen:
        results = [plain(traced(X, str(n))) for n in range(60)]
    assert results == [plain(X**n) for n in range(60)]
    assert len(seen) == 1
    assert traced.stats.traces == 20
    traced.clear()
    for _ in range(2):
        traced(X, "2")
    assert traced.stats.compiled == 1


def appends(items, x):
    items.append(x * 2.0)
    return x


def test_refused_signatures_do_not_pile_up():
    traced = srcgrad.trace(appends, max_traces=4)
    for n in range(100):
        traced([n], X)
    assert traced.explain().count("on the tape:") <= 16


def test_threads_may_share_a_traced_function():
    traced = srcgrad.trace(lambda x, n: np.sum(x**n) if x[0] > 0 else np.sum(x))
    errors = []

    def work(seed):
        generator = np.random.default_rng(seed)
        try:
            for _ in range(60):
                x, n = generator.normal(size=3), int(generator.integers(1, 4))
                v = Variable(x, requires_grad=True)
                traced(v, n).backward()
                expected = n * x ** (n - 1) if x[0] > 0 else np.ones(3)
                np.testing.assert_allclose(v.grad.data, expected)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert traced.stats.compiled > 200


def test_after_a_few_integers_there_is_an_entry_for_all():
    cache = Cache(max_traces=20)
    keys = [("a", (int, n), (bool, True), (2, 3)) for n in range(4)]
    entries = []
    for key in keys:
        assert cache.find(key) is None or len(entries) == 3
        entries.append(cache.find(key) or cache.make(key))
    assert [entry.changes.ints for entry in entries] == [False, False, True, True]
    assert entries[2] is entries[3]
    assert cache.find(keys[0]) is entries[0]
    assert cache.find(("a", (int, 9), (bool, False), (2, 3))) is None
    cache.clear()
    assert cache.find(keys[3]) is None


F8 = np.dtype(float)


def test_after_a_few_lengths_there_is_an_entry_for_all():
    cache = Cache(max_traces=20)
    keys = [("a", (n, 2), F8, (3,), F8, (0, 0)) for n in (5, 6, 7, 2, 1, 0)]
    entries = [cache.find(key) or cache.make(key) for key in keys]
    changes = [entry.changes.lengths for entry in entries]
    assert changes == [False, False, True, True, False, False]
    assert entries[2] is entries[3]
    for other in ((8, 3), (8,), (8, 2, 1)):
        assert cache.find(("a", other, F8, (3,), F8, (0, 0))) is None
    for number in range(2):  # a few times it is tried again
        exact = cache.keep_lengths(keys[2 + number])
        assert cache.find(keys[2 + number]) is exact
        made = cache.make(("a", (9 + number, 2), F8, (3,), F8, (0, 0)))
        assert made.changes.lengths is (number == 0)


# ----- The table itself; what it holds may be anything like a trace -----


class Made(str):
    direct = usual_way


def filled(cache, *keys):
    for key in keys:
        entry = cache.make(key)
        entry.used = len(list(cache))
        cache.add(entry, Made(f"trace of {key}"))


def test_the_signature_used_least_recently_goes_first():
    cache = Cache(max_traces=2)
    filled(cache, "a", "b")
    cache.get("a").used = 9
    filled(cache, "c")
    assert cache.get("b") is None
    assert [entry.traces for entry in cache.entries()] == [
        ["trace of a"],
        ["trace of c"],
    ]


def test_of_one_signature_the_trace_used_least_recently_goes():
    cache = Cache(max_traces=2)
    entry = cache.make("a")
    for trace in map(Made, ("first", "second", "third")):
        cache.add(entry, trace)
    assert entry.traces == ["third", "second"]
    entry.put_first(entry.traces[1])
    cache.add(entry, Made("fourth"))
    assert entry.traces == ["fourth", "second"]


def test_a_list_that_is_being_read_stays_as_it_is():
    first, second = Made("first"), Made("second")
    entry = Entry(traces=[first, second])
    seen = []
    for trace in entry.traces:
        entry.put_first(second)
        seen.append(trace)
    assert seen == ["first", "second"]
    assert entry.traces == ["second", "first"]


def test_entries_without_traces_are_bounded_too():
    cache = Cache(max_traces=2)
    for key in range(100):
        cache.make(key).refusal = "prints"
    assert len(list(cache)) <= 8
    assert cache.make(99) is cache.get(99)
    cache.clear()
    assert list(cache) == []
