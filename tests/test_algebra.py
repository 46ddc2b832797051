"""The laws of arithmetic in ``optimize`` hold to the last bit: zeros of both signs, infinities, NaN, large numbers."""

from __future__ import annotations

import itertools
import math
from random import Random

import numpy as np
import pytest
from interpreter import run

from srcgrad.ir.build import Builder, build_function
from srcgrad.ir.core import Const, Function, Operand, Value, constant, walk
from srcgrad.ir.text import parse, to_text
from srcgrad.ir.types import BOOL, C128, F32, F64, I64, DType, Scalar
from srcgrad.ir.verify import verify
from srcgrad.optimize.algebra import LAWS
from srcgrad.optimize.fold_constants import fold_constants
from srcgrad.optimize.remove_dead import remove_dead
from srcgrad.primitives.table import infer

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -3.0, math.inf, -math.inf, math.nan, 1e308]
WHOLE = [0, 1, -1, 2, 7, -12]
FLOATING = ["add", "sub", "mul", "div", "neg", "abs", "max", "min", "cos", "cosh"]
INTEGRAL = ["add", "sub", "mul", "neg", "abs", "max", "min", "floordiv", "mod"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
LOGIC = ["and_", "or_", "not_"]
COMPLEX = ["add", "sub", "mul", "neg", "conj", "apart", "apart"]
UNARY = {"neg", "abs", "not_", "cos", "cosh", "conj"}


def random_expression(seed: int, dtype: DType) -> Function:
    """Few values and many constants, so that laws apply often and to each other's results."""
    rng = Random(seed)
    x, y, c = Value(Scalar(dtype), "x"), Value(Scalar(dtype), "y"), Value(Scalar(BOOL), "c")
    literals = [constant(v, dtype) for v in (WHOLE if dtype.kind == "i" else [0.0, -0.0, 1.0, -1.0, -2.5])]

    def body(b: Builder) -> list[Operand]:
        numbers: list[Operand] = [x, y, *literals]
        truths: list[Operand] = [c, Const(True, BOOL), Const(False, BOOL)]
        for _ in range(rng.randint(3, 9)):
            names = INTEGRAL if dtype.kind == "i" else FLOATING
            if dtype.kind == "c":
                names = COMPLEX
            kind = rng.choice([*names, *names, "compare", "logic", "select", "ipow"])
            pick = lambda pool=numbers: rng.choice(pool[-5:] if rng.random() < 0.6 else pool)  # noqa: E731
            if kind == "compare":
                name = rng.choice(COMPARISONS if dtype.kind != "c" else ["eq", "ne"])
                truths.append(b(name, pick(), pick()))
            elif kind == "logic":
                name = rng.choice(LOGIC)
                truths.append(b(name, *(pick(truths) for _ in range(1 if name in UNARY else 2))))
            elif kind == "select":
                numbers.append(b("select", pick(truths), pick(), pick()))
            elif kind == "ipow":
                numbers.append(b("ipow", pick(), constant(rng.choice([0, 1, 2]))))
            elif kind == "apart":
                part = b(rng.choice(["real", "imag"]), pick())
                together = b("complex", part, b(rng.choice(["real", "imag"]), pick()))
                numbers.append(rng.choice([together, b("cast", part, dtype=dtype)]))
            elif kind in ("floordiv", "mod"):
                numbers.append(b(kind, pick(), constant(rng.choice([1, 1, 3]))))
            else:
                numbers.append(b(kind, *(pick() for _ in range(1 if kind in UNARY else 2))))
        return [numbers[-1], numbers[-2], truths[-1]]

    return build_function(infer, "f", [x, y, c], body)


def bits(value: np.generic) -> object:
    """The bit pattern; one for all NaN, whose sign and payload arithmetic does not define."""
    if value.dtype.kind == "c":
        return bits(value.real), bits(value.imag)
    return "nan" if value != value else value.tobytes()


@pytest.mark.parametrize("dtype", [F64, F32, I64, C128], ids=repr)
def test_folding_keeps_every_bit(dtype: DType) -> None:
    points = WHOLE if dtype.kind == "i" else SPECIAL
    smaller = 0
    for seed in range(300):
        function = random_expression(seed, dtype)
        folded = remove_dead(fold_constants(function))
        verify(folded, infer)
        smaller += len(list(walk(folded.body))) < len(list(walk(remove_dead(function).body)))
        for k, (x, y) in enumerate(Random(seed).sample(list(itertools.product(points, points)), 12)):
            given = (x, y, bool(k % 2))
            before, after = run(function, *given), run(folded, *given)
            assert [bits(v) for v in before] == [bits(v) for v in after], (seed, given, to_text(function))
    assert smaller > 50


SIMPLER = [
    ("mul(x, 1.0)", "x"),
    ("div(x, -1.0)", "neg(x)"),
    ("sub(x, 0.0)", "x"),
    ("add(x, 0.0)", "add(x, 0.0)"),
    ("add(x, -0.0)", "x"),
    ("mul(x, 0.0)", "mul(x, 0.0)"),
    ("add(x, -2.0)", "sub(x, 2.0)"),
    ("pow(x, 1.0)", "x"),
    ("pow(x, 0.0)", "1.0"),
    ("ipow(x, 1)", "x"),
    ("max(x, x)", "x"),
    ("eq(x, x)", "eq(x, x)"),
    ("sub(n, n)", "0"),
    ("eq(n, n)", "True"),
    ("mul(n, 0)", "0"),
    ("floordiv(n, 1)", "n"),
    ("mod(n, 1)", "0"),
    ("select(c, x, x)", "x"),
    ("select(c, True, False)", "c"),
    ("select(c, False, True)", "not_(c)"),
    ("and_(c, True)", "c"),
    ("or_(True, c)", "True"),
    ("cast(3, dtype=f64)", "3.0"),
    ("cast(x, dtype=f64)", "x"),
    ("add(2, 3)", "5"),
    ("lt(2, 3)", "True"),
    ("sqrt(2.0)", "1.4142135623730951"),
    ("div(1.0, 0.0)", 'f64("inf")'),
]


@pytest.mark.parametrize(("before", "after"), SIMPLER)
def test_law(before: str, after: str) -> None:
    head = "def f(x: f64, n: i64, c: bool):\n    "
    kind = _kind(before)
    function = parse(f"{head}r: {kind} = {before}\n    return r\n", infer)
    expected = (
        f"{head}r: {kind} = {after}\n    return r\n" if "(x" in after or "(c" in after else f"{head}return {after}\n"
    )
    assert to_text(fold_constants(function)) == expected


def _kind(text: str) -> str:
    name, first = text.split("(")[0], text.split("(")[1][0]
    if name in ("eq", "lt", "and_", "or_") or "True" in text:
        return "bool"
    return "i64" if first == "n" or text == "add(2, 3)" else "f64"


CHAINS = [
    (["add(n, 3)", "add(a, 4)"], "add(n, 7)"),
    (["add(n, 3)", "sub(a, 3)"], "n"),
    (["sub(n, 3)", "add(a, 1)"], "sub(n, 2)"),
    (["sub(n, 1)", "add(a, 1)"], "n"),
    (["add(n, m)", "sub(a, n)"], "m"),
    (["add(n, m)", "sub(a, m)"], "n"),
    (["sub(n, m)", "add(a, m)"], "n"),
    (["sub(n, m)", "sub(n, a)"], "m"),
]


@pytest.mark.parametrize(("ops", "after"), CHAINS)
def test_chains_of_integers(ops: list[str], after: str) -> None:
    head = "def f(n: i64, m: i64):\n    "
    text = f"{head}a: i64 = {ops[0]}\n    r: i64 = {ops[1]}\n    return r\n"
    expected = f"{head}r: i64 = {after}\n    return r\n" if "(" in after else f"{head}return {after}\n"
    assert to_text(remove_dead(fold_constants(parse(text, infer)))) == expected


def test_every_law_is_of_a_primitive() -> None:
    others = {"select", "cast", "pow", "ipow", "real", "imag"}
    for name in LAWS:
        assert name in {*others, *FLOATING, *INTEGRAL, *COMPARISONS, *LOGIC, *COMPLEX}
