"""``map``: a function of many arguments, in batches, on whatever runs tasks."""

import contextlib
import functools
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from typing import Any

import dask
import distributed
from dask.base import get_scheduler
from dask.callbacks import Callback

from srcgrad.dask.programs import Program, pickled, received, sources_of, unpickled
from srcgrad.dask.sums import sent, unwarned
from srcgrad.errors import add_note, explained, located, told
from srcgrad.tracebacks import DOOR

# By default there are so many batches, for tens of workers.
BATCHES = 128


def map(
    gradient: Callable[..., Any],
    many_arguments: Iterable[Any],
    *,
    executor: Any = None,
    batch_size: int | None = None,
    progress: Callable[..., Any] | None = None,
) -> list[Any]:
    """Call a gradient, or any function, with many arguments, on many processors.

    Parameters
    ----------
    gradient : callable
        A function as ``srcgrad.grad`` makes it, or one that calls such functions.
    many_arguments : iterable
        A tuple of arguments for each call; what is no tuple is the only one.
    executor : optional
        A pool of ``concurrent.futures``, or a ``joblib.Parallel``. By default Dask: its
        client, if there is one, or the scheduler that is configured.
    batch_size : int, optional
        So many calls are one task.
    progress : callable, optional
        ``tqdm.tqdm``, or what is called like it: ``progress(total=n)`` gives a bar
        that is told of each task, by ``update(1)``, and closed at the end.

    Returns
    -------
    list
        What the calls give, in the order of the arguments. An error of one is raised,
        with its number in a note; from a pool of processes a RuntimeError that tells
        of it, if it cannot be pickled.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad.dask
    >>> slope = srcgrad.grad(lambda x, power: np.sum(x**power))
    >>> srcgrad.dask.map(slope, [(3.0, 2), (4.0, 2), (2.0, 3)])
    [6.0, 8.0, 12.0]
    """
    with DOOR:
        calls = [
            each if isinstance(each, tuple) else (each,) for each in many_arguments
        ]
        if not calls:
            return []
        size = -(-len(calls) // BATCHES) if batch_size is None else batch_size
        if size < 1:
            raise ValueError(f"batch_size is 1 or more, but got {size}")
        program = Program((), gradient, sources_of(gradient)).pickled()
        batches = [
            (start, pickled(calls[start : start + size]))
            for start in range(0, len(calls), size)
        ]
        with unwarned(), _bar(progress, len(batches)) as advance:
            found = _run(program, batches, executor, advance)
        return [result for results in found for result in results]


Batch = tuple[int, bytes]
Advance = Callable[[], Any]


def batch(program: bytes, start: int, given: bytes) -> list[Any]:
    """What the calls of a batch give; runs elsewhere."""
    function, found = received(program), []
    for number, args in enumerate(unpickled(given), start):
        try:
            found.append(function(*args))
        except Exception as error:
            add_note(error, f"in call {number} of srcgrad.dask.map")
            raise
    return found


def batch_in_pool(dumps: Callable[[Any], bytes], *given: Any) -> list[Any]:
    """The same, but an error that cannot be pickled, which breaks a pool, is told."""
    try:
        return batch(*given)
    except Exception as error:
        try:
            pickle.loads(dumps(error))
            raised = error
        except Exception:
            notes = getattr(error, "__notes__", ())
            raised = explained(RuntimeError(told(error)), *notes)
    raise raised  # here, as the error before would go along


def _one_for(executor: Any) -> Callable[..., Any]:
    """What runs a batch in a pool; joblib's have cloudpickle."""
    if isinstance(executor, ThreadPoolExecutor):
        return batch
    is_plain = isinstance(executor, ProcessPoolExecutor)
    return functools.partial(batch_in_pool, pickle.dumps if is_plain else pickled)


def _run(
    program: bytes, batches: Sequence[Batch], executor: Any, advance: Advance
) -> Iterable[Any]:
    """What the batches give, in order."""
    one = _one_for(executor)
    if isinstance(executor, Executor):
        futures = [executor.submit(one, program, *each) for each in batches]
        return _from_pool(futures, advance)
    if executor is None or isinstance(executor, distributed.Client):
        return _by_dask(program, batches, executor, advance)
    if not callable(executor):
        raise located(
            TypeError(f"executor is a pool, but got {type(executor).__name__}"),
            "take a pool of concurrent.futures, or joblib.Parallel(n_jobs=2)",
        )
    # As `joblib.delayed` writes a call.
    calls: Iterable[Any] = ((one, (program, *each), {}) for each in batches)
    return [(result, advance())[0] for result in executor(calls)]


def _from_pool(futures: Sequence[Future[Any]], advance: Advance) -> list[Any]:
    try:
        for future in as_completed(futures):
            future.result()
            advance()
    finally:  # after an error the others are not wanted
        for future in futures:
            future.cancel()
    return [future.result() for future in futures]


def _by_dask(
    program: bytes, batches: Sequence[Batch], executor: Any, advance: Advance
) -> Iterable[Any]:
    one, common = dask.delayed(batch, pure=False), sent(program)
    tasks = [one(common, *each) for each in batches]
    client = executor or getattr(get_scheduler(), "__self__", None)
    if not isinstance(client, distributed.Client):
        keys = {task.key for task in tasks}
        with Callback(posttask=lambda key, *_: advance() if key in keys else None):
            return dask.compute(*tasks)  # type: ignore[no-any-return]
    futures = client.compute(tasks)
    try:
        for _ in distributed.as_completed(futures):
            advance()
        return client.gather(futures)  # type: ignore[no-any-return]
    finally:
        client.cancel(futures)


@contextlib.contextmanager
def _bar(progress: Callable[..., Any] | None, total: int) -> Iterator[Advance]:
    """What is told that one more is done."""
    if progress is None:
        yield lambda: None
        return
    if not callable(progress):
        raise located(
            TypeError(f"progress makes a bar, but got {type(progress).__name__}"),
            "take a class that does: progress=tqdm.tqdm",
        )
    bar = progress(total=total)
    try:
        yield lambda: bar.update(1)
    finally:
        bar.close()
