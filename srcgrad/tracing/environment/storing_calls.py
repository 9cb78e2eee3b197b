"""Functions that do what a statement does: ``setattr(model, name, value)``.

A copy that is recorded runs what it runs for the statement, and one that is followed
notes what is stored into as it does there:

>>> sorted(function.__name__ for function in STATEMENTS)
['__setattr__', 'delattr', 'delitem', 'setattr', 'setitem']
"""

import operator
from collections.abc import Callable
from types import BuiltinFunctionType, WrapperDescriptorType
from typing import Any

from srcgrad.tracing.refusal import give_up


def _set_attribute(storing: Any, item: Any, name: Any, value: Any) -> None:
    storing.store_attribute(value, item, _text(name))


def _set_plainly(storing: Any, item: Any, name: Any, value: Any) -> None:
    storing.store_attribute(value, item, _text(name), is_plain=True)


def _delete_attribute(storing: Any, item: Any, name: Any) -> None:
    storing.delete_attribute(item, _text(name))


def _set_item(storing: Any, item: Any, index: Any, value: Any) -> None:
    storing.store(value, item, index)


def _delete_item(storing: Any, item: Any, index: Any) -> None:
    storing.delete_item(item, index)


STATEMENTS: dict[Any, Callable[..., None]] = {
    setattr: _set_attribute,
    object.__setattr__: _set_plainly,
    delattr: _delete_attribute,
    operator.setitem: _set_item,
    operator.delitem: _delete_item,
}
_KINDS = (BuiltinFunctionType, WrapperDescriptorType)


def is_statement(function: Any) -> bool:
    """Whether a call of it is another way to write a statement that stores."""
    return type(function) in _KINDS and function in STATEMENTS


def _text(name: Any) -> str:
    return name if type(name) is str else give_up("sets an attribute by such a name")
