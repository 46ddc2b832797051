"""The IR prints and parses back; the verifier finds what is no program; the interpreter means what docs/ir.md says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from interpreter import run

from srcgrad.ir.core import Block, Const, Function, Op, Value, constant
from srcgrad.ir.text import parse, to_text
from srcgrad.ir.types import C64, C128, DTYPES, F32, F64, I64, U8, Array, Scalar
from srcgrad.ir.verify import InvalidProgramError, verify
from srcgrad.primitives.table import infer

PROGRAMS = {
    "a loop that carries": """
def scaled_sum(x: f64[:], c: f64):
    n: i64 = dim(x, axis=0)
    with for_(n, 0.0) as (total,):
        def _(i: i64, s: f64):
            v: f64 = load(x, i)
            w: f64 = mul(v, c)
            s_1: f64 = add(s, w)
            yield s_1
    return total
""",
    "memory and views": """
def views(a: f64[:, :], n: i64):
    m: i64 = dim(a, axis=1)
    b: f64[:, :] = alloc(n, m, dtype=f64, fill='zeros')
    row: f64[:] = slice(b, 0, axes='i:')
    part: f64[:, 'A'] = slice(row, 2, 2, -1, axes='s')
    store(part, 1, 1.5)
    accumulate(row, 1, -0.0)
    t: f64[:, :, 'F'] = transpose(b, permutation=(1, 0))
    e: f64[:, :, 1, 'F'] = expand(t, axes=(2,))
    r: f64[:] = reshape(b, 6)
    z: f64[:] = alloc(6, dtype=f64, fill='zeros', shadow=True)
    q: f64[:, 'A'] = relax(r)
    _1: f64 = load(e, 1, 0, 0)
    _2: f64 = load(q, 3)
    _3: f64 = load(z, 5)
    return _1, _2, _3, b
""",
    "branches, checks and a while loop": """
def control(x: f64, n: i64):
    _1: bool = gt(x, 0.0)
    check(_1, x, exception='ValueError', message='got {0}')
    j: i64 = check_index(n, 3)
    with if_(_1) as (y,):
        def _():
            _2: f64 = neg(x)
            yield _2
        def _():
            yield f64("nan")
    with while_(y, 0) as (z, count):
        def _(u: f64, k: i64):
            _3: bool = lt(u, 10.0)
            yield _3
        def _(u_1: f64, k_1: i64):
            _4: f64 = add(u_1, 3.0)
            _5: i64 = add(k_1, 1)
            yield _4, _5
    return z, count, j
""",
    "a callee and a stack": """
def caller(x: f64[:]):
    s: stack[f64] = stack(element=(f64,))
    first, count = call(x, s, callee='callee', types=(f64, i64))
    _1: f64 = pop(s)
    _2: f64 = add(first, _1)
    return _2, count

def callee(x: f64[:], s: stack[f64]):
    v: f64 = load(x, 0)
    push(s, v)
    store(x, 0, 9.0)
    return v, 7
""",
    "nothing": """
def nothing():
    pass
""",
    "an empty loop": """
def empty(n: i64):
    with for_(n):
        def _(i: i64):
            pass
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_text_round_trip(name: str) -> None:
    text = PROGRAMS[name].lstrip("\n")
    function = parse(text, infer)
    verify(function, infer)
    assert to_text(function) == text


def test_document_shows_the_text_form() -> None:
    document = (Path(__file__).parent.parent / "docs" / "ir.md").read_text()
    shown = re.findall(r"```python\n(def .*?)```", document, re.DOTALL)
    assert shown
    for text in shown:
        assert to_text(parse(text, infer)) == text


@pytest.mark.parametrize(
    "const",
    [
        constant(True),
        constant(-3),
        constant(-0.0),
        constant(float("inf")),
        constant(1e-300),
        constant(2j),
        Const(complex(-0.0, 1.0), C128),
        Const(complex(1.0, float("nan")), C64),
        Const(2.0, F32),
        Const(255, U8),
    ],
    ids=lambda c: f"{c.dtype}-{c.value}",
)
def test_constants_keep_type_sign_and_nan(const: Const) -> None:
    (again,) = parse(to_text(Function("f", Block((), (), (const,)))), infer).results
    assert isinstance(again, Const)
    assert again.key() == const.key()


def test_names_are_made_unique() -> None:
    x, y, z, t = (Value(Scalar(F64), n) for n in ("x", "x", "x_1", ""))
    text = to_text(Function("f", Block((x, y, z, t), (), (x, y, z, t))))
    assert text == "def f(x: f64, x_1: f64, x_1_1: f64, _1: f64):\n    return x, x_1, x_1_1, _1\n"
    assert to_text(parse(text, infer)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x: f64):\n    return y\n", "line 2 of the IR, 'y': y is not defined"),
        ("def f(x: f64):\n    y: i64 = neg(x)\n", "the type is f64"),
        ("def f(x: f64):\n    y: f64 = twist(x)\n", "KeyError 'twist'"),
        ("def f(x: f65):\n    pass\n", "'f65': not a type"),
        ("def f(x: f64):\n    x += 1\n", "not an op"),
    ],
)
def test_parse_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(SyntaxError, match=re.escape(message)):
        parse(text, infer)


def test_verify_finds_a_value_out_of_scope() -> None:
    function = parse(PROGRAMS["a loop that carries"], infer)
    loop = function.body.ops[1]
    leaked = loop.blocks[0].ops[0].result
    with pytest.raises(InvalidProgramError, match="out of scope"):
        verify(replace(function, body=replace(function.body, yields=(leaked,))), infer)


def test_verify_finds_a_wrong_type_and_a_second_definition() -> None:
    x = Value(Scalar(F64), "x")
    wrong = Op("neg", (x,), (Value(Scalar(I64)),))
    with pytest.raises(InvalidProgramError, match="results are"):
        verify(Function("f", Block((x,), (wrong,), ())), infer)
    again = Op("neg", (x,), (x,))
    with pytest.raises(InvalidProgramError, match="defined twice"):
        verify(Function("f", Block((x,), (again,), ())), infer)


def test_interpreter_loops_and_views() -> None:
    function = parse(PROGRAMS["a loop that carries"], infer)
    assert run(function, np.arange(4.0), 2.0) == (12.0,)
    v1, v2, v3, b = run(parse(PROGRAMS["memory and views"], infer), np.ones((3, 3)), 2)
    assert (v1, v2, v3) == (1.5, 0.0, 0.0)
    np.testing.assert_array_equal(b, [[0, 1.5, 0], [0, 0, 0]])


def test_interpreter_branches_and_checks() -> None:
    function = parse(PROGRAMS["branches, checks and a while loop"], infer)
    assert run(function, 1.0, -1) == (11.0, 4, 2)
    with pytest.raises(IndexError, match="index 3 is out of range for an axis of extent 3"):
        run(function, 1.0, 3)
    with pytest.raises(ValueError, match=r"got -1\.0"):
        run(function, -1.0, 0)


def test_interpreter_calls_write_into_arguments() -> None:
    x = np.array([1.0, 2.0])
    assert run(parse(PROGRAMS["a callee and a stack"], infer), x) == (2.0, 7)
    assert x[0] == 9.0


def test_interpreter_asserts_what_the_compiler_must_prove() -> None:
    function = parse("def f(x: f64[:], i: i64):\n    v: f64 = load(x, i)\n    return v\n", infer)
    with pytest.raises(AssertionError, match=re.escape("(-1,) in (2,)")):
        run(function, np.zeros(2), -1)


def test_every_dtype_prints() -> None:
    for dtype in DTYPES.values():
        x = Value(Array(dtype, 0, "A"), "x")
        text = to_text(Function("f", Block((x,), (), ())))
        assert parse(text, infer).parameters[0].type == x.type
