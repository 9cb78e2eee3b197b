"""What is told may run code of the user's, before what comes after it."""

import contextlib
import io
import logging
import warnings

import numpy as np
import pytest

import srcgrad
from tests.tracing.comparing import X, on_tape, plain

logger = logging.getLogger(__name__)
logger.propagate = False
SEEN = []


class Counting(logging.Handler):
    def emit(self, record):
        SEEN.append(record.getMessage())


class Counted(io.StringIO):
    def write(self, text):
        SEEN.append(text)
        return len(text)


class Short(logging.Filter):
    def filter(self, record):
        SEEN.append(record)
        return False


def logs(x):
    logger.warning("a")
    return x * len(SEEN)


def logs_between(x):
    before = len(SEEN)
    logger.warning("a")
    return x * (len(SEEN) - before + 2)


def prints(x):
    print("a")
    return x * len(SEEN)


def warns(x):
    warnings.warn("a")  # noqa: B028
    return x * len(SEEN)


def warns_and_catches(x):
    try:
        warnings.warn("a")  # noqa: B028
    except UserWarning:
        return x * 3.0
    return x * 2.0


@contextlib.contextmanager
def counting_handler():
    handler = Counting()
    logger.addHandler(handler)
    yield
    logger.removeHandler(handler)


@contextlib.contextmanager
def counting_filter():
    each = Short()
    logger.addFilter(each)
    yield
    logger.removeFilter(each)


@contextlib.contextmanager
def own_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *args, **kwargs: SEEN.append(args[0])
        yield


@contextlib.contextmanager
def errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


CASES = [
    (logs, counting_handler),
    (logs, counting_filter),
    (logs_between, counting_handler),
    (prints, lambda: contextlib.redirect_stdout(Counted())),
    (warns, own_warnings),
    (warns_and_catches, errors),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("function", "world"), CASES)
def test_what_it_tells_comes_before_what_it_reads(function, world):
    """In that world, in the usual one, and in that again; and the other way round."""

    def story(called, worlds):
        SEEN.clear()
        found = []
        for each in worlds:
            with each():
                found += [plain(called(X)) for _ in range(3)]
        return found

    usual = contextlib.nullcontext
    for worlds in ((world, usual, world), (usual, world, usual)):
        expected = story(on_tape(function), worlds)
        assert story(srcgrad.trace(function), worlds) == expected


def test_what_goes_to_libraries_compiles():
    traced = srcgrad.trace(logs)
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(3):
            traced(np.ones(2))
    assert traced.stats.compiled == 2
