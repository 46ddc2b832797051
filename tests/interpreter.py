"""The meaning of the IR, as a direct interpreter over NumPy: what every other way to run a program is compared with.

It shares nothing with the back end: each scalar primitive is an explicit NumPy expression on scalars of the
exact dtype. What ``docs/ir.md`` promises (indices in range, trip counts not negative, types) is asserted here,
so a pass that drops a check it needed fails instead of reading somewhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence

import numpy as np
from scipy import special

from srcgrad.frontend.nodes.messages import exception_named
from srcgrad.ir.core import Block, Const, Function, Op, Operand, Value
from srcgrad.ir.messages import OUT_OF_RANGE
from srcgrad.ir.types import Array, DType, Scalar, Stack, Type
from srcgrad.primitives.routines import ROUTINES
from srcgrad.primitives.special import SPECIAL

# What a value is at run time: a NumPy scalar, an array, or a list for a stack.
Runtime = object
Environment = MutableMapping[Value, Runtime]


def run(function: Function, *arguments: Runtime) -> tuple[Runtime, ...]:
    """The results of a function; array arguments are taken by reference and may be written to."""
    with np.errstate(all="ignore"):
        return _Machine(function.callees).call(function, arguments)


class _Machine:
    def __init__(self, callees: Mapping[str, Function]) -> None:
        self.callees = callees

    def call(self, function: Function, arguments: Sequence[Runtime]) -> tuple[Runtime, ...]:
        environment: Environment = {}
        return self.block(function.body, [_coerced(a, p.type) for a, p in _pairs(arguments, function)], environment)

    def block(self, block: Block, arguments: Sequence[Runtime], environment: Environment) -> tuple[Runtime, ...]:
        environment.update(zip(block.parameters, arguments, strict=True))
        for op in block.ops:
            for value, result in zip(op.results, self.op(op, environment), strict=True):
                _expect(result, value.type, op)
                environment[value] = result
        return tuple(_read(x, environment) for x in block.yields)

    def op(self, op: Op, environment: Environment) -> tuple[Runtime, ...]:
        operands = [_read(x, environment) for x in op.operands]
        match op.primitive:
            case "for":
                return self.for_(op, operands, environment)
            case "while":
                return self.while_(op, operands, environment)
            case "if":
                return self.block(op.blocks[0 if operands[0] else 1], (), environment)
            case "call":
                if op.text("callee") in ROUTINES:
                    ROUTINES[op.text("callee")].plain(*operands)
                    return ()
                return self.call(self.callees[op.text("callee")], operands)
            case name if name in MEMORY:
                return MEMORY[name](op, *operands)
            case "cast" | "ipow":
                return (TYPED[op.primitive](op.result.type.dtype, *operands),)
            case name:
                return (SCALARS[name](*operands),)

    def for_(self, op: Op, operands: Sequence[Runtime], environment: Environment) -> tuple[Runtime, ...]:
        trips, *carried = operands
        assert trips >= 0, f"{trips} trips at {op.location}"
        for i in range(int(trips)):
            carried = list(self.block(op.blocks[0], (np.int64(i), *carried), environment))
        return tuple(carried)

    def while_(self, op: Op, operands: Sequence[Runtime], environment: Environment) -> tuple[Runtime, ...]:
        test, body = op.blocks
        carried = tuple(operands)
        while self.block(test, carried, environment)[0]:
            carried = self.block(body, carried, environment)
        return carried


def _pairs(arguments: Sequence[Runtime], function: Function) -> list[tuple[Runtime, Value]]:
    return list(zip(arguments, function.parameters, strict=True))


def _coerced(argument: Runtime, type_: Type) -> Runtime:
    """A Python scalar as a NumPy scalar of the parameter's dtype; anything else as it is."""
    if isinstance(type_, Scalar):
        return type_.dtype.numpy.type(argument)
    _expect(argument, type_, None)
    return argument


def _read(operand: Operand, environment: Mapping[Value, Runtime]) -> Runtime:
    if isinstance(operand, Const):
        return operand.dtype.numpy.type(operand.value)
    return environment[operand]


def _expect(result: Runtime, type_: Type, op: Op | None) -> None:
    where = f"{op.primitive} at {op.location}" if op else "an argument"
    match type_:
        case Stack():
            assert isinstance(result, list), f"{where}: a stack is a list"
        case Array():
            assert isinstance(result, np.ndarray) and result.dtype == type_.dtype.numpy, f"{where}: {type_!r}"
            assert result.ndim == type_.rank, f"{where}: rank {result.ndim}, expected {type_!r}"
            assert all(result.shape[k] == 1 for k in type_.ones), f"{where}: shape {result.shape}, expected {type_!r}"
            flags = {"C": result.flags.c_contiguous, "F": result.flags.f_contiguous, "A": True}
            assert flags[type_.layout], f"{where}: strides {result.strides}, expected {type_!r}"
        case Scalar():
            assert isinstance(result, np.generic), f"{where}: {result!r} is not a NumPy scalar"
            assert result.dtype == type_.dtype.numpy, f"{where}: {result.dtype}, expected {type_!r}"


# Memory


def _position(array: np.ndarray, indices: Sequence[Runtime]) -> tuple[int, ...]:
    position = tuple(int(i) for i in indices)
    assert len(position) == array.ndim
    assert all(0 <= i < n for i, n in zip(position, array.shape, strict=True)), f"{position} in {array.shape}"
    return position


def _alloc(op: Op, *extents: Runtime) -> tuple[Runtime, ...]:
    dtype = op.attributes["dtype"]
    assert isinstance(dtype, DType)
    shape = tuple(int(n) for n in extents)
    if op.attributes["fill"] == "zeros":
        return (np.zeros(shape, dtype.numpy),)
    # Not zero, so that a program that reads what it never wrote does not look right by luck.
    return (np.full(shape, {"b": True, "f": np.nan, "c": np.nan}.get(dtype.kind, 77), dtype.numpy),)


def _load(op: Op, array: np.ndarray, *indices: Runtime) -> tuple[Runtime, ...]:
    return (array[_position(array, indices)],)


def _store(op: Op, array: np.ndarray, *rest: Runtime) -> tuple[Runtime, ...]:
    array[_position(array, rest[:-1])] = rest[-1]
    return ()


def _accumulate(op: Op, array: np.ndarray, *rest: Runtime) -> tuple[Runtime, ...]:
    position = _position(array, rest[:-1])
    array[position] = array[position] + rest[-1]
    return ()


def _slice(op: Op, array: np.ndarray, *rest: Runtime) -> tuple[Runtime, ...]:
    operands = [int(x) for x in rest]
    key: list[int | slice] = []
    for axis, letter in enumerate(op.text("axes")):
        taken = [operands.pop(0) for _ in range({":": 0, "i": 1, "s": 3}[letter])]
        key.append({":": _whole, "i": _one, "s": _some}[letter](array.shape[axis], *taken))
    return (array[tuple(key)],)


def _whole(extent: int) -> slice:
    return slice(None)


def _one(extent: int, i: int) -> int:
    assert 0 <= i < extent, f"index {i} in {extent}"
    return i


def _some(extent: int, start: int, count: int, step: int) -> slice:
    assert count >= 0 and step != 0
    if count == 0:
        return slice(0, 0)
    last = start + (count - 1) * step
    assert 0 <= start < extent and 0 <= last < extent, f"slice {start}:{count}:{step} of {extent}"
    stop = last + (1 if step > 0 else -1)
    return slice(start, stop if stop >= 0 else None, step)


def _reshape(op: Op, array: np.ndarray, *extents: Runtime) -> tuple[Runtime, ...]:
    return (array.reshape(tuple(int(n) for n in extents), copy=False),)


def _push(op: Op, stack: list[Runtime], value: Runtime) -> tuple[Runtime, ...]:
    stack.append(value)
    return ()


def _check_index(op: Op, i: Runtime, n: Runtime) -> tuple[Runtime, ...]:
    wrapped = i + n if i < 0 else i
    if not 0 <= wrapped < n:
        raise IndexError(OUT_OF_RANGE.format(i, n))
    return (wrapped,)


def _check(op: Op, condition: Runtime, *values: Runtime) -> tuple[Runtime, ...]:
    if not condition:
        raise exception_named(op.text("exception"))(op.text("message").format(*values))
    return ()


MEMORY: dict[str, Callable[..., tuple[Runtime, ...]]] = {
    "alloc": _alloc,
    "load": _load,
    "store": _store,
    "accumulate": _accumulate,
    "dim": lambda op, a: (np.int64(a.shape[op.integer("axis")]),),
    "slice": _slice,
    "transpose": lambda op, a: (np.transpose(a, op.attributes["permutation"]),),
    "reshape": _reshape,
    "expand": lambda op, a: (np.expand_dims(a, op.attributes["axes"]),),
    "relax": lambda op, a: (a,),
    "stack": lambda op: ([],),
    "push": _push,
    "pop": lambda op, s: (s.pop(),),
    "check_index": _check_index,
    "check": _check,
}

# Scalars


def _cast(dtype: DType, x: np.generic) -> Runtime:
    """NumPy's conversion: floats towards zero to integers, complex to its real part, to bool whether it is not 0."""
    if dtype.kind != "c" and x.dtype.kind == "c" and dtype.kind != "b":
        x = x.real
    return x.astype(dtype.numpy)


def _ipow(dtype: DType, a: np.generic, n: np.int64) -> Runtime:
    if dtype.kind in "iu":
        if n < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        return np.array(pow(int(a), int(n), 1 << 64), np.uint64).astype(dtype.numpy)[()]
    return np.power(a, dtype.numpy.type(n))


def _bit(name: str) -> Callable[..., Runtime]:
    function = getattr(np, name)
    return lambda a, b: function(a, b)


TYPED: dict[str, Callable[..., Runtime]] = {"cast": _cast, "ipow": _ipow}


def _in_double(function: Callable[..., float]) -> Callable[..., Runtime]:
    return lambda *operands: operands[-1].dtype.type(function(*map(np.float64, operands)))


SCALARS: dict[str, Callable[..., Runtime]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: np.divide(a, b, dtype=a.dtype),
    "floordiv": lambda a, b: np.floor_divide(a, b),
    "mod": lambda a, b: np.mod(a, b),
    "neg": lambda a: -a,
    "real": lambda z: z.real,
    "imag": lambda z: z.imag,
    "conj": np.conj,
    "complex": lambda a, b: np.result_type(a, np.complex64).type(complex(a, b)),
    "pow": lambda a, b: np.power(a, b),
    "max": lambda a, b: np.maximum(a, b),
    "min": lambda a, b: np.minimum(a, b),
    "larger": lambda a, b: b if b > a else a,
    "smaller": lambda a, b: b if b < a else a,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and_": lambda a, b: np.logical_and(a, b),
    "or_": lambda a, b: np.logical_or(a, b),
    "not_": lambda a: np.logical_not(a),
    "bit_and": _bit("bitwise_and"),
    "bit_or": _bit("bitwise_or"),
    "bit_xor": _bit("bitwise_xor"),
    "invert": lambda a: ~a,
    "lshift": _bit("left_shift"),
    "rshift": _bit("right_shift"),
    "select": lambda c, a, b: a if c else b,
    "abs": lambda a: np.abs(a),
    "sign": lambda x: np.sign(x),
    "copysign": lambda a, b: np.copysign(a, b),
    "floor": lambda x: np.floor(x),
    "ceil": lambda x: np.ceil(x),
    "trunc": lambda x: np.trunc(x),
    "rint": lambda x: np.rint(x),
    "fmod": lambda a, b: np.fmod(a, b),
    "stop": lambda x: x,
    "isnan": lambda x: x != x,
    "isinf": lambda x: np.abs(x) == np.inf,
    "isfinite": lambda x: np.abs(x) < np.inf,
    "signbit": lambda x: np.signbit(x),
    "sqrt": lambda x: np.sqrt(x),
    "cbrt": lambda x: np.cbrt(x),
    "hypot": lambda a, b: np.hypot(a, b),
    "exp": lambda x: np.exp(x),
    "exp2": lambda x: np.exp2(x),
    "expm1": lambda x: np.expm1(x),
    "log": lambda x: np.log(x),
    "log2": lambda x: np.log2(x),
    "log10": lambda x: np.log10(x),
    "log1p": lambda x: np.log1p(x),
    "logaddexp": lambda a, b: np.logaddexp(a, b),
    "logaddexp2": lambda a, b: np.logaddexp2(a, b),
    "sin": lambda x: np.sin(x),
    "cos": lambda x: np.cos(x),
    "tan": lambda x: np.tan(x),
    "arcsin": lambda x: np.arcsin(x),
    "arccos": lambda x: np.arccos(x),
    "arctan": lambda x: np.arctan(x),
    "arctan2": lambda a, b: np.arctan2(a, b),
    "deg2rad": lambda x: np.deg2rad(x),
    "rad2deg": lambda x: np.rad2deg(x),
    "sinh": lambda x: np.sinh(x),
    "cosh": lambda x: np.cosh(x),
    "tanh": lambda x: np.tanh(x),
    "arcsinh": lambda x: np.arcsinh(x),
    "arccosh": lambda x: np.arccosh(x),
    "arctanh": lambda x: np.arctanh(x),
    "erf": lambda x: special.erf(x),
    "erfc": lambda x: special.erfc(x),
    "gamma": lambda x: special.gamma(x),
    "lgamma": lambda x: special.gammaln(x),
    **{name: _in_double(function) for name, function in SPECIAL.items()},
}
