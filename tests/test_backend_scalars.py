"""Every scalar primitive at ordinary and special operands: plain, jitted and interpreted give the same number."""

from __future__ import annotations

import itertools
import random
from typing import Any

import interpreter
import numpy as np
import pytest

import srcgrad.primitives  # noqa: F401  # fills the table
from srcgrad.backend.numba_jit import compile_function
from srcgrad.ir.build import build_function
from srcgrad.ir.core import Function, Value
from srcgrad.ir.types import BOOL, C64, C128, F32, F64, I8, I32, I64, U8, U64, DType, Scalar
from srcgrad.primitives.scalar import SCALARS
from srcgrad.primitives.special import SPECIAL
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

PLAIN = Options(jit=False)
JITTED = Options(fastmath=False, cache=False)
FLOATS = [0.0, -0.0, 1.0, -2.5, 0.3, 3.7, np.inf, -np.inf, np.nan]
INTEGERS = {I8: [0, 1, -3, 7, 127, -128], I32: [0, 1, -3, 7, 2**31 - 1], I64: [0, 1, -3, 7, 2**40]}
UNSIGNED = {U8: [0, 1, 7, 255], U64: [0, 1, 7, 2**64 - 1]}
VALUES: dict[DType, list[Any]] = {F64: FLOATS, F32: FLOATS, **INTEGERS, **UNSIGNED, BOOL: [False, True]}
VALUES |= {C128: [0.0, 1.0 + 2.0j, -0.5j, 3.0], C64: [0.0, 1.0 + 2.0j, -0.5j, 3.0]}

ARITHMETIC = ["add", "sub", "mul", "max", "min", "lt", "le", "gt", "ge", "eq", "ne", "abs", "neg", "ipow", "select"]
BITS = ["bit_and", "bit_or", "bit_xor", "invert"]
LOGIC = ["and_", "or_", "not_", "eq", "ne", "select", "bit_and", "bit_or", "bit_xor", "invert", "add", "mul"]
COMPLEX = ["add", "sub", "mul", "neg", "conj", "real", "imag", "eq", "ne", "exp", "sin", "cos", "sqrt", "ipow"]
OF_COMPLEX = {"real", "imag", "conj", "complex"}
INTEGER_ONLY = {"bit_and", "bit_or", "bit_xor", "invert", "lshift", "rshift", "and_", "or_", "not_"}


def primitives_of(dtype: DType) -> list[str]:
    match dtype.kind:
        case "f":
            return sorted(set(SCALARS) - INTEGER_ONLY - OF_COMPLEX - {"cast"})
        case "c":
            return COMPLEX
        case "b":
            return LOGIC
    return [*ARITHMETIC, *BITS, "floordiv", "mod", "lshift", "rshift"]


def arity(name: str) -> int:
    return max(int(d) for d in "012" if "{" + d + "}" in SCALARS[name].template) + 1


def function_of(name: str, dtype: DType) -> Function:
    """One op, on parameters."""
    types = [Scalar(dtype)] * arity(name)
    if name == "select":
        types[0] = Scalar(BOOL)
    if name == "ipow":
        types[1] = Scalar(I64)
    parameters = [Value(t, n) for t, n in zip(types, "abc", strict=False)]
    return build_function(infer, name.rstrip("_") + "_of", parameters, lambda b: [b(name, *parameters)])


MOST = 400  # operands of one function


def operands_of(name: str, dtype: DType) -> list[tuple[Any, ...]]:
    if name == "select":
        return [(c, VALUES[dtype][0], VALUES[dtype][1]) for c in (False, True)]
    if name == "ipow":
        return [(v, n) for v in VALUES[dtype] for n in ([0, 1, 2, 3] if dtype.kind in "iu" else [-2, 0, 1, 2, 3])]
    if name in ("lshift", "rshift"):
        return [(v, n) for v in VALUES[dtype] for n in (0, 1, 5)]
    every = list(itertools.product(VALUES[dtype], repeat=arity(name)))
    return random.Random(0).sample(every, MOST) if len(every) > MOST else every


def ulps_of(name: str, dtype: DType, jitted: bool) -> int:
    """NumPy's own loops, libm and SciPy differ in the last place or two; log-gamma loses more near its zeros."""
    if name in ("gamma", "lgamma"):
        return 64
    if name in SPECIAL:
        return 4096  # series and fractions carry along what exp and log lose
    if name in ("erf", "erfc"):
        return 4
    return 4 if jitted or (dtype == F32 and name in ("pow", "ipow")) else 0


def same(found: Any, expected: Any, ulps: int) -> bool:
    x, y = np.asarray(found), np.asarray(expected)
    if y.dtype.kind not in "fc":
        return bool(x == y)
    tolerance = ulps * float(np.finfo(y.dtype).eps)
    return bool(np.allclose(x, y, rtol=tolerance, atol=1e-300 if ulps else 0.0, equal_nan=True))


def is_convention(name: str, operands: tuple[Any, ...]) -> bool:
    """SciPy and the C library disagree on log-gamma of minus infinity."""
    return name == "lgamma" and operands == (-np.inf,)


def check(name: str, dtype: DType, jitted: bool) -> None:
    function = function_of(name, dtype)
    run = compile_function(function, JITTED if jitted else PLAIN)
    kinds = [p.type.dtype.numpy.type for p in function.parameters if isinstance(p.type, Scalar)]
    for operands in operands_of(name, dtype):
        if is_convention(name, operands):
            continue
        (expected,) = interpreter.run(function, *operands)
        found = run(*(kind(x) for kind, x in zip(kinds, operands, strict=True)))
        assert same(found, expected, ulps_of(name, dtype, jitted)), (name, operands, found, expected)
        if jitted:  # Numba unboxes to Python's numbers, so its own type is asked
            (signature,) = run.entry.nopython_signatures
            assert str(signature.return_type) == expected.dtype.name, (name, signature)
        else:
            natural = isinstance(found, bool | int | float) and expected.dtype in (np.bool_, np.int64, np.float64)
            assert natural or np.asarray(found).dtype == expected.dtype, (name, operands, type(found))


@pytest.mark.parametrize("dtype", VALUES, ids=repr)
def test_plain(dtype: DType) -> None:
    for name in primitives_of(dtype):
        check(name, dtype, jitted=False)


@pytest.mark.parametrize("dtype", [F64, F32], ids=repr)
def test_jitted_floats(dtype: DType) -> None:
    for name in primitives_of(dtype):
        check(name, dtype, jitted=True)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [d for d in VALUES if d.kind != "f"], ids=repr)
def test_jitted_others(dtype: DType) -> None:
    for name in primitives_of(dtype):
        check(name, dtype, jitted=True)
