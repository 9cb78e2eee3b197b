"""What is told may run code of the user's, before what comes after it."""

import contextlib
import functools
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


def divides(x):
    least = np.min(np.minimum(1.0 / (x - 1.0), 1.0))
    return x * len(SEEN) + least


def divides_and_tells(x):
    SEEN.append("a")
    return np.minimum(1.0 / (x - 1.0), 1.0)


def note(kind, flag):
    SEEN.append(kind)


class Noted:
    def note(self, kind, flag):
        SEEN.append(kind)


def telling(handler, word="call"):
    return lambda: np.errstate(divide=word, call=handler)


@contextlib.contextmanager
def captured_warnings():
    handler, logger = Counting(), logging.getLogger("py.warnings")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logger.addHandler(handler)
        logging.captureWarnings(True)
        try:
            yield
        finally:
            logging.captureWarnings(False)
            logger.removeHandler(handler)


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
    (warns, captured_warnings),
    (divides, own_warnings),
    (divides, captured_warnings),
    (divides, telling(note)),
    (divides, telling(Noted().note)),
    (divides, telling(functools.partial(note))),
    (divides, telling(Counted(), "log")),
    (divides_and_tells, telling(note)),
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
        return found, len(SEEN)

    usual = contextlib.nullcontext
    for worlds in ((world, usual, world), (usual, world, usual)):
        expected = story(on_tape(function), worlds)
        assert story(srcgrad.trace(function), worlds) == expected


@pytest.mark.parametrize("function", [logs, divides])
@pytest.mark.parametrize("word", ["warn", "ignore", "log"])
def test_what_goes_to_libraries_compiles(function, word):
    traced = srcgrad.trace(function)
    with (
        contextlib.redirect_stdout(io.StringIO()),
        np.errstate(all=word, call=io.StringIO()),
    ):
        for _ in range(3):
            traced(X + 1.0)
    assert traced.stats.compiled == 2
