"""Subscripts, array expressions and stores do what NumPy does, run by the interpreter of the IR."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pytest
from interpreter import run

from srcgrad.frontend.arrays.construct import array_of
from srcgrad.frontend.arrays.delayed import copy, expression, materialized
from srcgrad.frontend.arrays.indexing import augment, read, write
from srcgrad.frontend.numbers import scalars
from srcgrad.frontend.numbers.promotion import as_scalar
from srcgrad.frontend.values import (
    ArrayValue,
    Delayed,
    FrontValue,
    ScalarValue,
    SliceValue,
    Static,
    TupleValue,
    is_array,
)
from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Operand, Value
from srcgrad.ir.types import Array, Scalar, dtype_of
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer

Program = Callable[..., FrontValue | None]


def front(value: object, arguments: list[object], parameters: list[Value], known: bool = False) -> FrontValue:
    """A Python value as the front end has it: arrays and numbers become parameters, unless they are ``known``."""
    if isinstance(value, tuple | list):
        return TupleValue(tuple(front(v, arguments, parameters, known) for v in value), type(value))
    if isinstance(value, slice):
        return SliceValue(*(front(v, arguments, parameters, known) for v in (value.start, value.stop, value.step)))
    if isinstance(value, np.ndarray):
        layout = "C" if value.flags.c_contiguous else "F" if value.flags.f_contiguous else "A"
        parameter = Value(Array(dtype_of(value.dtype), value.ndim, layout))
    elif isinstance(value, bool | float | int) and not known:
        parameter = Value(Scalar(dtype_of(type(value))))
    else:
        return Static(value)
    arguments.append(value)
    parameters.append(parameter)
    return ArrayValue(parameter) if isinstance(value, np.ndarray) else ScalarValue(parameter, weak=True)


def outcome(program: Program, *values: object, known: bool = False) -> object:
    """What ``program(builder, *values)`` gives when it is built and run, or that it raises."""
    arguments: list[object] = []
    parameters: list[Value] = []
    given = [front(v, arguments, parameters, known) for v in values]

    def body(builder: Builder) -> Sequence[Operand]:
        builder.stretches = True  # NumPy's whole rule: nobody makes the program again where extents are not equal
        result = program(builder, *given)
        if result is None:
            return ()
        if is_array(result):
            return (materialized(builder, result).ref,)
        return (as_scalar(result).operand,)

    try:
        function = build_function(infer, "program", parameters, body)
        verify(function, infer)
        results = run(function, *arguments)
    except (IndexError, ValueError, TypeError):
        return "raises"
    return results[0] if results else None


def python_outcome(function: Callable[[], object]) -> object:
    try:
        with np.errstate(all="ignore"):
            return function()
    except (IndexError, ValueError, TypeError):
        return "raises"


def assert_same(got: object, expected: object, what: object = "") -> None:
    if isinstance(expected, str) or isinstance(got, str):
        # NumPy looks at index arrays even where nothing is selected; here an index is checked where it is used.
        nothing = isinstance(expected, str) and np.size(got) == 0
        assert nothing or (isinstance(got, str) and isinstance(expected, str)), (what, got, expected)
        return
    assert np.shape(got) == np.shape(expected), (what, got, expected)
    assert np.asarray(got).dtype == np.asarray(expected).dtype, (what, got, expected)
    np.testing.assert_allclose(got, expected, rtol=1e-14, err_msg=str(what))


BOUNDS = [None, -7, -4, -3, -1, 0, 1, 2, 4, 5, 9]


@pytest.mark.parametrize("known", [True, False], ids=["literal", "run time"])
@pytest.mark.parametrize("step", [None, 1, 2, 3, -1, -2, -3])
def test_every_slice(step: int | None, known: bool) -> None:
    for start, stop in itertools.product(BOUNDS, BOUNDS):
        for n in (0, 1, 4, 6):
            x, key = np.arange(float(n)), slice(start, stop, step)
            assert_same(outcome(lambda b, x, k: read(b, x, (k,)), x, key, known=known), x[key], (n, key))


def random_key(rng: random.Random, shape: tuple[int, ...]) -> tuple[object, ...]:
    parts: list[object] = []
    for n in shape[: rng.randint(0, len(shape))]:
        kind = rng.choice(["int", "slice", "slice", "list", "array", "mask"])
        if kind == "int":
            parts.append(rng.randint(-n - 1, n))
        elif kind == "slice":
            bounds = [rng.choice([None, rng.randint(-5, 5)]) for _ in range(2)]
            parts.append(slice(*bounds, rng.choice([None, 1, 2, -1])))
        elif kind == "list":
            parts.append([rng.randint(-n, n - 1) for _ in range(2)])
        elif kind == "array":
            size = rng.choice([(3,), (1,), (2, 3), (2, 1)])
            parts.append(np.array([rng.randint(-n, n - 1) for _ in range(int(np.prod(size)))]).reshape(size))
        elif not any(isinstance(p, np.ndarray | list) for p in parts):
            parts.append(np.array([rng.random() < 0.6 for _ in range(n)]))
        else:
            parts.append(slice(None))
        if rng.random() < 0.15:
            parts.append(None)
    if rng.random() < 0.3:
        parts.insert(rng.randint(0, len(parts)), Ellipsis)
    return tuple(parts)


def as_python(key: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(np.array(p) if isinstance(p, list) else p for p in key)


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_keys_read(start: int) -> None:
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 3)))
        x = np.random.default_rng(seed).normal(size=shape)
        key = random_key(rng, shape)
        got = outcome(lambda b, x, k: read(b, x, k.items), x, key, known=rng.random() < 0.5)
        assert_same(got, python_outcome(partial(operator.getitem, x, as_python(key))), (seed, shape, key))


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_keys_written(start: int) -> None:
    for seed in range(start, start + 100):
        rng = random.Random(seed)
        shape = tuple(rng.randint(1, 4) for _ in range(rng.randint(1, 3)))
        x = np.random.default_rng(seed).normal(size=shape)
        key = random_key(rng, shape)
        chosen = python_outcome(partial(operator.getitem, x, as_python(key)))
        if isinstance(chosen, str):
            continue
        place = np.shape(chosen)
        place = tuple(1 if rng.random() < 0.2 else n for n in place[rng.randint(0, len(place)) :])
        value = rng.choice([2.5, np.random.default_rng(seed).normal(size=place)])
        if not isinstance(value, float) and not np.shape(chosen):
            value = 3.5
        update = rng.choice([None, "add", "mul", "sub"])
        mine, theirs = x.copy(), x.copy()
        if update is None:
            outcome(lambda b, x, v, k: write(b, x, k.items, v), mine, value, key)
            theirs[as_python(key)] = value
        else:
            combine = lambda b, p, q, name=update: scalars.binary(b, name, p, q)  # noqa: E731
            outcome(lambda b, x, v, k: augment(b, update, x, k.items, v, combine), mine, value, key)  # noqa: B023
            theirs[as_python(key)] = getattr(np, {"add": "add", "mul": "multiply", "sub": "subtract"}[update])(
                theirs[as_python(key)], value
            )
        assert_same(mine, theirs, (seed, shape, key, value, update))


def apply(name: str) -> Callable[..., FrontValue]:
    return lambda b, *operands: expression(b, operands, lambda b, *v: scalars.apply(b, name, v))


@pytest.mark.parametrize("dtypes", list(itertools.product("dfilb?", repeat=2)), ids="".join)
def test_promotion_and_broadcasting(dtypes: tuple[str, str]) -> None:
    rng = np.random.default_rng(0)
    shapes = [(3,), (1,), (2, 3), (2, 1), (), (0,), (1, 3), (4,)]
    for p, q in itertools.product(shapes, shapes):
        a, b = (np.asarray(rng.integers(0, 2, s) + 1).astype(d) for s, d in zip((p, q), dtypes, strict=True))
        for name, function in (("add", np.add), ("mul", np.multiply), ("div", np.divide), ("lt", np.less)):
            expected = python_outcome(lambda: function(a, b))  # noqa: B023
            if isinstance(expected, np.ndarray | np.generic) and expected.dtype == np.float16:
                continue
            assert_same(outcome(apply(name), a, b), expected, (name, p, q))


def test_numbers_are_weak() -> None:
    x = np.array([1.0, 2.0], np.float32)
    assert_same(outcome(apply("mul"), x, 2.5), x * 2.5)
    assert_same(outcome(apply("mul"), np.arange(3), 2.5), np.arange(3) * 2.5)
    assert_same(outcome(apply("exp"), np.arange(3)), np.exp(np.arange(3)))


@pytest.mark.parametrize(
    ("target", "source"),
    [(slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None)), (slice(None, None, -1), slice(None))],
)
def test_overlapping_store_reads_what_was_there(target: slice, source: slice) -> None:
    def program(b: Builder, x: ArrayValue, two: FrontValue) -> None:
        old = read(b, x, (Static(source),))
        write(b, x, (Static(target),), apply("mul")(b, old, two))

    mine, theirs = np.arange(5.0), np.arange(5.0)
    outcome(program, mine, 2.0)
    theirs[target] = theirs[source] * 2.0
    assert_same(mine, theirs)


def allocations(program: Program, *values: object) -> int:
    parameters: list[Value] = []
    given = [front(v, [], parameters) for v in values]
    count = 0

    def body(builder: Builder) -> Sequence[Operand]:
        program(builder, *given)
        nonlocal count
        count = sum(op.primitive == "alloc" for op in builder.ops)
        return ()

    build_function(infer, "program", parameters, body)
    return count


def test_no_temporary_where_none_is_needed() -> None:
    x, y = np.arange(5.0), np.arange(5.0)
    half = Static(slice(None, -1))

    def from_another(b: Builder, x: ArrayValue, y: ArrayValue) -> None:
        write(b, x, (half,), apply("mul")(b, read(b, y, (half,)), Static(2.0)))

    def from_itself(b: Builder, x: ArrayValue, y: ArrayValue) -> None:
        write(b, x, (half,), apply("mul")(b, read(b, x, (half,)), read(b, y, (half,))))

    def from_neighbour(b: Builder, x: ArrayValue, y: ArrayValue) -> None:
        write(b, x, (half,), read(b, x, (Static(slice(1, None)),)))

    assert allocations(from_another, x, y) == 0
    assert allocations(from_itself, x, y) == 0
    assert allocations(from_neighbour, x, y) == 1


@pytest.mark.parametrize("value", [[1, 2], [[1, 2.5], [3, 4]], [], [True, False], ((1.0,), (2.0,))])
def test_arrays_of_lists(value: object) -> None:
    assert_same(outcome(lambda b, v: array_of(b, v), value), np.array(value))
    assert_same(outcome(lambda b, v: array_of(b, v), value, known=True), np.array(value))


def test_array_of_rows() -> None:
    x = np.arange(3.0)
    assert_same(outcome(lambda b, v: array_of(b, v), [x, x + 1]), np.array([x, x + 1]))
    assert outcome(lambda b, v: array_of(b, v), [x, x[1:]]) == "raises"


def test_copy_of_a_view_is_contiguous() -> None:
    x = np.arange(6.0).reshape(2, 3)
    copied = outcome(lambda b, x: copy(b, x), x.T)
    assert_same(copied, x.T)


def test_delayed_has_no_memory() -> None:
    def program(b: Builder, x: ArrayValue) -> None:
        assert isinstance(apply("exp")(b, x), Delayed)
        assert not any(op.primitive == "alloc" for op in b.ops)

    outcome(program, np.arange(3.0))
