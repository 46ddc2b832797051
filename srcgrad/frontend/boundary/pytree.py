"""Python values taken apart into structure and leaves, and put together again.

>>> describe({"w": 2.0, "bias": (1, None)}).keys
('w', 'bias')
>>> flatten({"w": 2.0, "bias": (1, None)})
[2.0, 1]
>>> map_leaves(lambda leaf: 10 * leaf, {"w": 2.0, "bias": (1, None)})
{'w': 20.0, 'bias': (10, None)}
"""

from __future__ import annotations

import dataclasses
import enum
import types
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numba.typed
import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.generators import FIELDS, memory_of
from srcgrad.frontend.boundary.objects import class_of_object, fields_of, has_fields, is_structured
from srcgrad.frontend.boundary.structure import Choice, Leaf, Maybe, Static, Structure, Tree
from srcgrad.ir.types import BOOL, C128, F64, I64, Array, DType, Scalar, dtype_of

# Numba cannot tell a Python float from a NumPy float64, so a scalar argument of these types is weak in promotion.
WEAK = (BOOL, I64, F64, C128)
NUMBERS = (bool, int, float, complex, np.generic)
CONSTANTS = (str, bytes, types.NoneType, types.ModuleType, enum.Enum, np.dtype, types.EllipsisType)
NATIVE: dict[DType, Callable[[object], object]] = {BOOL: bool, I64: int, F64: float, C128: complex}  # type: ignore[dict-item]  # given a number


def describe(value: object, where: str = "the argument") -> Structure:
    """The structure of a value; ``where`` names it in the error for a value that has none."""
    if isinstance(value, np.ndarray) and not is_structured(value):
        return _describe_array(value, where)
    if is_number(value):
        return scalar_leaf(_scalar_dtype(value, where))
    if isinstance(value, CONSTANTS):
        return Static(value, value)
    if isinstance(value, slice):
        return Static(value, (value.start, value.stop, value.step))
    container = parts_of(value, where)
    if container is not None:
        keys, children = container
        names = [f"{where}[{k!r}]" if isinstance(value, dict) else f"{where}.{k}" for k in keys]
        names = names or [f"{where}[{k}]" for k in range(len(children))]
        return Tree(class_of_object(value), keys, tuple(describe(c, n) for c, n in zip(children, names, strict=True)))
    if callable(value):
        return Static(value, function_key(value))
    raise ArgumentTypeError(
        f"{where} is of type {type(value).__module__}.{type(value).__qualname__}, which srcgrad cannot compile.",
        hint="Pass numbers, NumPy arrays, or tuples, lists, dicts and dataclasses of them.",
    )


def flatten(value: object) -> list[object]:
    """The leaves (scalars and arrays) of a value, depth first, in the order of its structure."""
    leaves: list[object] = []
    _collect(value, leaves)
    return leaves


def map_leaves(change: Callable[..., object], value: object, *others: object) -> object:
    """The same containers with ``change(leaf, *leaves of the others)`` in the place of each leaf of ``value``."""
    if is_number(value) or (isinstance(value, np.ndarray) and not is_structured(value)):
        return change(value, *others)
    container = parts_of(value)
    if container is None:
        return value
    rows = zip(container[1], *(children_of(other) for other in others), strict=True)
    return build_container(class_of_object(value), container[0], [map_leaves(change, *row) for row in rows])


def is_number(value: object) -> bool:
    """Whether a value is a number, and not a member of an enumeration that is one too."""
    return isinstance(value, NUMBERS) and not isinstance(value, enum.Enum) and not is_structured(value)


def children_of(value: object) -> tuple[object, ...]:
    container = parts_of(value)
    assert container is not None
    return container[1]


def leaves_of(structure: Structure) -> Iterator[Leaf]:
    """The leaves of a structure, in flattening order."""
    if isinstance(structure, Leaf):
        yield structure
    elif isinstance(structure, Choice):
        yield structure.leaf
    elif isinstance(structure, Maybe):
        yield from leaves_of(structure.some)
        yield structure.flag
    elif isinstance(structure, Tree):
        for child in structure.children:
            yield from leaves_of(child)


def count_leaves(structure: Structure) -> int:
    return sum(1 for _ in leaves_of(structure))


@cache
def scalar_leaf(dtype: DType) -> Leaf:
    return Leaf(Scalar(dtype), weak=dtype in WEAK)


@cache
def array_leaf(dtype: DType, rank: int, layout: str, writeable: bool) -> Leaf:
    return Leaf(Array(dtype, rank, layout), writeable=writeable)


def layout_of(array: np.ndarray) -> str:
    """The layout as Numba sees it: C before F where both hold."""
    if array.flags.c_contiguous:
        return "C"
    return "F" if array.flags.f_contiguous else "A"


def _describe_array(array: np.ndarray, where: str) -> Leaf:
    if type(array) not in (np.ndarray, np.memmap):
        raise ArgumentTypeError(
            f"{where} is a {type(array).__module__}.{type(array).__qualname__}, not a plain NumPy array.",
            hint="Pass np.asarray(...) of it.",
        )
    dtype = dtype_of(array.dtype)
    if dtype is None:
        raise ArgumentTypeError(
            f"{where} is an array of dtype {array.dtype}.",
            hint="srcgrad knows bool, integers, float32, float64, complex64 and complex128 in native byte order.",
        )
    if not array.flags.aligned:
        raise ArgumentTypeError(f"{where} is not aligned in memory.", hint="Pass np.require(array, requirements='A').")
    return array_leaf(dtype, array.ndim, layout_of(array), array.flags.writeable)


def _scalar_dtype(value: object, where: str) -> DType:
    if isinstance(value, np.generic):
        dtype = dtype_of(value.dtype)
        if dtype is None:
            raise ArgumentTypeError(f"{where} is a NumPy scalar of dtype {value.dtype}.", hint="Convert it to a float.")
        return dtype
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ArgumentTypeError(f"{where} is {value}, which does not fit in 64 bits.", hint="Pass a float.")
        return I64
    return F64 if isinstance(value, float) else C128


def parts_of(value: object, where: str = "the argument") -> tuple[tuple[str, ...], tuple[object, ...]] | None:
    """The keys and children of a container, or None where ``value`` is none."""
    if isinstance(value, dict | numba.typed.Dict):
        odd = next((k for k in value if not isinstance(k, str | int)), None)
        if odd is not None:
            raise ArgumentTypeError(
                f"{where} is a dict with the key {odd!r}.", hint="Keys must be strings or integers."
            )
        return tuple(value), tuple(value.values())
    if isinstance(value, np.random.Generator):
        return FIELDS, memory_of(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value._fields), tuple(value)
    if isinstance(value, tuple | list | numba.typed.List):
        return (), tuple(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(f.name for f in dataclasses.fields(value))
        return names, tuple(getattr(value, name) for name in names)
    fields = fields_of(value)
    return None if fields is None else (tuple(fields), tuple(fields.values()))


def _collect(value: object, leaves: list[object]) -> None:
    if is_number(value) or (isinstance(value, np.ndarray) and not is_structured(value)):
        leaves.append(value)
    elif isinstance(value, enum.Enum):
        return
    else:
        container = parts_of(value)
        for child in container[1] if container else ():
            _collect(child, leaves)


def build_container(cls: Callable[..., object], keys: tuple[str, ...], items: Sequence[object]) -> object:
    """A container of class ``cls``; a dataclass is made without its ``__init__``, which need not take gradients."""
    assert isinstance(cls, type)
    if issubclass(cls, np.random.Generator):
        return None  # nothing in it is differentiated
    if issubclass(cls, dict):
        return cls(zip(keys, items, strict=True))
    if not dataclasses.is_dataclass(cls) and not has_fields(cls):
        return cls(*items) if keys else cls(items)  # type: ignore[call-arg]  # a tuple, list or named tuple
    value: object = cls.__new__(cls)
    for key, item in zip(keys, items, strict=True):
        object.__setattr__(value, key, item)
    return value


def function_key(function: object) -> object:
    """Equal for functions that compile to the same program, so that a lambda written in a call compiles once.

    What a closure holds counts: numbers and strings by value, anything else by the identity of its cell.
    """
    if isinstance(function, partial):
        arguments = (*function.args, *sorted(function.keywords.items()))
        return (partial, function_key(function.func), *(_cell_key(a, a) for a in arguments))
    if not isinstance(function, types.FunctionType):
        by_value = isinstance(function, types.MethodType | types.BuiltinFunctionType | type)
        return function if by_value or type(function).__eq__ is object.__eq__ else Identity(function)
    cells = tuple(_cell_key(_contents(cell), cell) for cell in function.__closure__ or ())
    defaults = tuple(_cell_key(d, d) for d in function.__defaults__ or ())
    keywords = tuple((k, _cell_key(d, d)) for k, d in (function.__kwdefaults__ or {}).items())
    return (function.__code__, id(function.__globals__), cells, defaults, keywords)


def _contents(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not yet bound
        return None


def _cell_key(value: object, holder: object) -> object:
    if isinstance(value, bool | int | float | complex | str | types.NoneType):
        return (type(value), repr(value))
    if isinstance(value, types.FunctionType):
        return function_key(value)
    return ("held by", Identity(holder))


@dataclasses.dataclass(frozen=True, eq=False)
class Identity:
    """A key that is equal only for the very same object, which it keeps alive."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)
