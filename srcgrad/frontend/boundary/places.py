"""Places outside a function where a program takes values from: globals, closure cells, attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from operator import getitem
from types import CellType, FunctionType, MethodType, NoneType

import numpy as np

from srcgrad.frontend.boundary.generators import FIELDS, memory_of
from srcgrad.frontend.boundary.pytree import Identity, function_key


@dataclass(frozen=True, eq=False)
class Capture:
    """A place outside the function from which a value was taken: ``read`` gives what is there now.

    ``as_array``: there is a list or tuple of numbers, which is read as an array of them.
    """

    name: str
    holder: object  # a cell, a mapping (of globals) or an object with attributes
    key: object
    as_array: bool = False

    def read(self) -> object:
        return self.reader()

    @property
    def reader(self) -> Callable[[], object]:
        """A function that reads, for who does it often."""
        if self.as_array:
            return partial(_array_at, replace(self, as_array=False).reader)
        if isinstance(self.holder, CellType):
            return partial(getattr, self.holder, "cell_contents")
        if isinstance(self.holder, np.random.Generator):
            return partial(_field_of, self.holder, str(self.key))
        field = isinstance(self.holder, tuple) and isinstance(self.key, str)  # of a named tuple
        if isinstance(self.holder, Mapping | list | tuple | np.ndarray) and not field:
            return partial(getitem, self.holder, self.key)
        return partial(getattr, self.holder, str(self.key))

    @property
    def place(self) -> tuple[int, object]:
        """Equal for two captures of the same place (the holder is kept alive by the capture)."""
        return (id(self.holder), (self.key, self.as_array))


def _array_at(reader: Callable[[], object]) -> np.ndarray:
    return np.array(reader())


def _field_of(generator: np.random.Generator, name: str) -> object:
    return memory_of(generator)[FIELDS.index(name)]


@dataclass(frozen=True)
class Captured:
    """A compile-time value that a program was specialised for; ``seen`` identifies it."""

    capture: Capture
    seen: object

    def holds(self) -> bool:
        """Whether the place still has that value."""
        try:
            return key_of(self.capture.read()) == self.seen
        except (ValueError, LookupError, AttributeError):  # an emptied cell, a name or attribute that is gone
            return False


def key_of(value: object) -> object:
    """Equal for values that a program may be specialised for alike."""
    if isinstance(value, bool | int | float | complex | str | bytes | NoneType):
        return (type(value), repr(value))
    if isinstance(value, np.generic):
        return (type(value), value.tobytes())
    if isinstance(value, tuple):
        return (type(value), tuple(map(key_of, value)))
    if isinstance(value, set | frozenset):
        return (frozenset, frozenset(map(key_of, value)))
    if isinstance(value, list | dict):
        return (type(value), len(value), tuple(value) if isinstance(value, dict) else (), Identity(value))
    if isinstance(value, MethodType):  # made anew by each look at the attribute
        return (MethodType, key_of(value.__func__), Identity(value.__self__))
    return function_key(value) if isinstance(value, FunctionType) else Identity(value)
