"""The types of IR values: scalars, arrays and stacks of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DType:
    """An element type; ``kind`` is NumPy's letter (b i u f c)."""

    name: str
    kind: str
    numpy: np.dtype

    def __repr__(self) -> str:
        return self.name

    @property
    def real(self) -> DType:
        """The type of the real part: itself unless complex."""
        return {"c64": F32, "c128": F64}.get(self.name, self)

    @property
    def differentiable(self) -> bool:
        return self.kind in "fc"


BOOL = DType("bool", "b", np.dtype(np.bool_))
I8, I16, I32, I64 = (DType(f"i{n}", "i", np.dtype(f"i{n // 8}")) for n in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"u{n}", "u", np.dtype(f"u{n // 8}")) for n in (8, 16, 32, 64))
F32, F64 = DType("f32", "f", np.dtype("f4")), DType("f64", "f", np.dtype("f8"))
C64, C128 = DType("c64", "c", np.dtype("c8")), DType("c128", "c", np.dtype("c16"))

DTYPES = {d.name: d for d in (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, C64, C128)}


def dtype_of(numpy_dtype: object) -> DType | None:
    """The DType of a NumPy dtype, or None where there is none (strings, objects, longdouble)."""
    wanted = np.dtype(numpy_dtype)  # type: ignore[call-overload]  # any dtype-like is welcome
    return next((d for d in DTYPES.values() if d.numpy == wanted), None)


@dataclass(frozen=True)
class Scalar:
    dtype: DType

    def __repr__(self) -> str:
        return self.dtype.name


@dataclass(frozen=True)
class Array:
    """A reference to memory. ``layout`` is C, F or A (any strides); ``ones`` are axes of extent 1 for certain."""

    dtype: DType
    rank: int
    layout: str = "C"
    ones: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        axes = ["1" if axis in self.ones else ":" for axis in range(self.rank)]
        if self.layout != "C":
            axes.append(repr(self.layout))
        return f"{self.dtype}[{', '.join(axes) or '()'}]"


@dataclass(frozen=True)
class Stack:
    """A growable last-in first-out store of scalars or of array references."""

    element: Scalar | Array

    def __repr__(self) -> str:
        return f"stack[{self.element!r}]"


Type = Scalar | Array | Stack


def fits(given: Type, declared: Type) -> bool:
    """Whether a value of one type may be declared with another: an array's may say less of layout and extents.

    A pass that finds an extent to be 1 leaves the types of what was made with it as they are.
    """
    if not isinstance(given, Array) or not isinstance(declared, Array):
        return given == declared
    same = (given.dtype, given.rank) == (declared.dtype, declared.rank)
    return same and declared.layout in (given.layout, "A") and declared.ones <= given.ones


INDEX = Scalar(I64)
TRUTH = Scalar(BOOL)
