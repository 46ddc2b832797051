"""Element types under PyTorch's names, and PyTorch's promotion, which differs from NumPy's.

A float32 tensor times a float64 number stays float32, an integer tensor divided by anything is a float of the default
type, and a tensor without axes does not widen one that has some.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

ORDER = "biufc"  # kinds of NumPy, from narrow to wide


class DType:
    """An element type of tensors.

    Parameters
    ----------
    name : str
        PyTorch's name, ``float32``.

    Attributes
    ----------
    numpy : numpy.dtype
        The same for NumPy.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.numpy = np.dtype(name)

    @property
    def is_floating_point(self) -> bool:
        return self.numpy.kind == "f"

    @property
    def itemsize(self) -> int:
        return self.numpy.itemsize

    def __repr__(self) -> str:
        return f"srcgrad.{self.name}"

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return dtype_of, (self.numpy,)


float64, float32 = DType("float64"), DType("float32")
int64, int32, int16, int8, uint8 = (DType(name) for name in ("int64", "int32", "int16", "int8", "uint8"))
bool_ = DType("bool")
ALL = (float64, float32, int64, int32, int16, int8, uint8, bool_)
ALIASES = {"double": float64, "float": float32, "long": int64, "int": int32, "short": int16, "bool": bool_}
NUMPY = {dtype.numpy: dtype for dtype in ALL}
_default = [float32.numpy]


def dtype_of(given: object) -> DType:
    """The element type for a DType, a NumPy dtype, ``float`` or a name."""
    if isinstance(given, DType):
        return given
    wanted = np.dtype(given)  # type: ignore[call-overload]  # any dtype-like is welcome
    if wanted not in NUMPY:
        raise TypeError(f"tensors of {wanted} are not supported; the dtypes are {', '.join(d.name for d in ALL)}")
    return NUMPY[wanted]


def numpy_dtype(given: object) -> np.dtype:
    return dtype_of(given).numpy


def get_default_dtype() -> DType:
    """The type of tensors made of Python floats: float32, as in PyTorch."""
    return NUMPY[_default[0]]


def set_default_dtype(dtype: object) -> None:
    """Make tensors of Python floats this type from now on."""
    chosen = numpy_dtype(dtype)
    if chosen.kind != "f":
        raise TypeError("only floating-point types are supported as the default type")
    _default[0] = chosen


def default_dtype() -> np.dtype:
    return _default[0]


def promoted(shaped: Sequence[np.dtype], flat: Sequence[np.dtype], numbers: Sequence[object]) -> np.dtype:
    """The common type of tensors with axes, of tensors without and of Python numbers.

    Each group counts only if its kind is wider than that of all before it.
    """
    found: np.dtype | None = None
    scalars = [_type_of_number(number) for number in numbers]
    for group in (shaped, flat, scalars):
        if not group:
            continue
        widest = group[0]
        for dtype in group[1:]:
            widest = _wider(widest, dtype)
        if found is None or category(widest) > category(found):
            found = widest
    assert found is not None
    return found


def category(dtype: np.dtype) -> int:
    """0 for booleans, 1 for integers, 2 for floats."""
    return {"b": 0, "i": 1, "u": 1, "f": 2}[dtype.kind]


def _wider(a: np.dtype, b: np.dtype) -> np.dtype:
    if category(a) != category(b):
        return a if category(a) > category(b) else b
    return np.promote_types(a, b)


def _type_of_number(number: object) -> np.dtype:
    if isinstance(number, bool | np.bool_):
        return bool_.numpy
    if isinstance(number, int | np.integer):
        return int64.numpy
    return default_dtype()
