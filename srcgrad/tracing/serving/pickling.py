"""How what we make of functions is pickled: by name, or with what it is made of."""

import pickle
import sys
from typing import Any

from srcgrad.modes import override, state

# Where these are, functions of a script go to other processes as they are.
BY_VALUE = ("joblib.externals.cloudpickle", "cloudpickle")


def reduced(made: Any, parts: Any) -> Any:
    """What ``__reduce__`` gives: a name, where it is found by that; else the parts.

    A decorated function has its function's name, by which that is not found any more.
    Of a script joblib's processes have no names: for them the parts come with it.
    """
    module, name = getattr(made, "__module__", ""), getattr(made, "__qualname__", "")
    if not name or _found(module, name) is not made:
        return parts
    by_value = next(filter(None, map(sys.modules.get, BY_VALUE)), None)
    if module != "__main__" or by_value is None:
        return name
    if id(made) in state.pickled:
        raise pickle.PicklingError(f"{name} calls itself")
    try:
        with override(pickled=state.pickled | {id(made)}):
            return _by_name_or_parts, (name, by_value.dumps(parts))
    except (pickle.PicklingError, TypeError):  # as functions that call themselves
        return name


def _by_name_or_parts(name: str, parts: bytes) -> Any:
    found = _found("__main__", name)
    if found is not None:
        return found
    make, args = pickle.loads(parts)
    return make(*args)


def _found(module: str, path: str) -> Any:
    """What is in a module under a name with dots."""
    found: Any = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found
