"""One test of many small cases: for each, what pytest does would take the longest."""

import functools
import inspect

import pytest


def for_each(names, cases, ids=repr):
    """Run a test on all cases, and say of which ones it does not hold.

    As ``pytest.mark.parametrize``, where a case needs no fixture for itself.
    """
    keys, cases = names.split(", "), list(cases)

    def of_all(test):
        @functools.wraps(test)
        def run(**fixtures):
            errors = {}
            for case in cases:
                values = case if len(keys) > 1 else [case]
                try:
                    test(**dict(zip(keys, values, strict=True)), **fixtures)
                except pytest.skip.Exception:
                    continue
                except Exception as error:
                    errors[ids(case)] = error
            told = [f"{case}: {type(e).__name__}: {e}" for case, e in errors.items()]
            if told:
                raise AssertionError("\n".join(told)) from next(iter(errors.values()))

        signature = inspect.signature(test)
        fixtures = [p for name, p in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=fixtures)
        return run

    return of_all
