"""What is proved of an index, and what must not be: one small program each."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from interpreter import run

from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.optimize.decide_comparisons import decide_comparisons
from srcgrad.optimize.prove_indices import prove_indices
from srcgrad.primitives.table import infer


def program(body: str) -> Function:
    """A function of an array and two integers whose body uses j as an index."""
    head = "def f(x: f64[:], y: f64[:, :], n: i64, m: i64, t: bool):\n    d: i64 = dim(x, axis=0)\n"
    lines = "\n".join("    " + line for line in body.strip("\n").splitlines())
    return parse(f"{head}{lines}\n", infer)


def loop(trips: str, *inside: str) -> str:
    """A counted loop over i that adds up ``load(x, j)``."""
    lines = [f"        {line}" for line in (*inside, "v: f64 = load(x, j)", "r: f64 = add(s, v)", "yield r")]
    return "\n".join([f"with for_({trips}, 0.0) as (total,):", "    def _(i: i64, s: f64):", *lines, "return total"])


OR_NO_TRIPS = """
c: bool = lt(1, d)
z: bool = le(m, 0)
e: bool = or_(c, z)
check(e, exception='ValueError', message='')
"""
CHECK = "j: i64 = check_index(i, d)"
PROVED = {
    "the counter of a loop over the axis": loop("d", CHECK),
    "an iteration from the end": loop("d", "b: i64 = sub(d, i)", "a: i64 = sub(b, 1)", "j: i64 = check_index(a, d)"),
    "a clamped trip count": "c: i64 = sub(d, 2)\nk: i64 = max(0, c)\n"
    + loop("k", "a: i64 = add(i, 2)", "j: i64 = check_index(a, d)"),
    "every second element": "c: i64 = add(d, 1)\nh: i64 = floordiv(c, 2)\n"
    + loop("h", "a: i64 = mul(i, 2)", "j: i64 = check_index(a, d)"),
    "a minimum": "k: i64 = min(n, d)\nl: i64 = max(k, 0)\n" + loop("l", CHECK),
    "a remainder": "k: i64 = mod(n, 3)\n" + loop("3", "q: i64 = dim(y, axis=1)", "j: i64 = check_index(k, 3)"),
    "a branch": loop(
        "n",
        "c: bool = lt(i, d)",
        "with if_(c) as (w,):",
        "    def _():",
        "        p: i64 = check_index(i, d)",
        "        g: f64 = load(x, p)",
        "        yield g",
        "    def _():",
        "        yield 0.0",
        "j: i64 = mod(0, 1)",
    ),
    "a check passed before": "c: bool = le(n, d)\ncheck(c, exception='ValueError', message='')\n" + loop("n", CHECK),
    "a check that passed, or the loop does not run": OR_NO_TRIPS + loop("m", "j: i64 = check_index(1, d)"),
    "a check in front of the loop for an index further on": loop(
        "n", "b: i64 = add(i, 1)", "p: i64 = check_index(b, d)", "w: f64 = load(x, p)", CHECK
    ),
    "the extent of fresh memory": """
k: i64 = max(n, 0)
a: f64[:] = alloc(k, dtype=f64, fill='zeros')
with for_(k):
    def _(i: i64):
        j: i64 = check_index(i, k)
        store(a, j, 1.0)
return a
""",
    "a position that grows by at most 1": """
with for_(d, 0.0, 0) as (total, last):
    def _(i: i64, s: f64, k: i64):
        j: i64 = check_index(k, d)
        v: f64 = load(x, j)
        c: bool = gt(v, 0.0)
        with if_(c) as (k_1,):
            def _():
                k_2: i64 = add(k, 1)
                yield k_2
            def _():
                yield k
        yield v, k_1
return total
""",
    "the test of a while": """
with while_(0, 0.0) as (last, total):
    def _(i: i64, s: f64):
        c: bool = lt(i, d)
        e: bool = lt(s, 9.0)
        both: bool = and_(c, e)
        yield both
    def _(i_1: i64, s_1: f64):
        j: i64 = check_index(i_1, d)
        v: f64 = load(x, j)
        i_2: i64 = add(i_1, 1)
        yield i_2, v
return total
""",
    "a test carried from the end of a while": """
b: bool = lt(0, d)
with while_(b, 0, 0.0) as (done, last, total):
    def _(go: bool, i: i64, s: f64):
        yield go
    def _(go_1: bool, i_1: i64, s_1: f64):
        j: i64 = check_index(i_1, d)
        v: f64 = load(x, j)
        i_2: i64 = add(i_1, 1)
        c: bool = lt(i_2, d)
        e: bool = lt(v, 9.0)
        both: bool = and_(c, e)
        yield both, i_2, v
return total
""",
    "a selection that wraps around by hand": loop(
        "d",
        "a: i64 = sub(i, 1)",
        "c: bool = lt(a, 0)",
        "b: i64 = add(a, d)",
        "k: i64 = select(c, b, a)",
        "j: i64 = check_index(k, d)",
    ),
}
# A write into a parameter keeps the check where it is: a check in front of the loop would be told apart.
WRITES = "store(x, 0, 1.0)"
NOT_PROVED = {
    "a trip count that may be too large": loop("n", CHECK, WRITES),
    "a check that passes too if another loop does not run": OR_NO_TRIPS
    + loop("n", "j: i64 = check_index(1, d)", WRITES),
    "one too far": loop("d", "a: i64 = add(i, 1)", "j: i64 = check_index(a, d)", WRITES),
    "another array's extent": loop("d", "e: i64 = dim(y, axis=0)", "j: i64 = check_index(i, e)", WRITES),
    "the other side of a branch": loop(
        "n",
        "c: bool = lt(i, d)",
        "with if_(c) as (w,):",
        "    def _():",
        "        yield 0.0",
        "    def _():",
        "        p: i64 = check_index(i, d)",
        "        g: f64 = load(x, p)",
        "        yield g",
        "j: i64 = mod(0, 1)",
    ),
    "a remainder by what may be negative": "k: i64 = mod(n, m)\n" + loop("1", "j: i64 = check_index(k, m)", WRITES),
    "a maximum": "k: i64 = max(n, d)\nl: i64 = max(k, 0)\n" + loop("l", CHECK, WRITES),
    "a test that allows the end": """
with while_(0, 0.0) as (last, total):
    def _(i: i64, s: f64):
        c: bool = le(i, d)
        yield c
    def _(i_1: i64, s_1: f64):
        j: i64 = check_index(i_1, d)
        v: f64 = load(x, j)
        i_2: i64 = add(i_1, 1)
        yield i_2, v
return total
""",
    "a carried test that did not hold at first": """
with while_(t, n, 0.0) as (done, last, total):
    def _(go: bool, i: i64, s: f64):
        yield go
    def _(go_1: bool, i_1: i64, s_1: f64):
        j: i64 = check_index(i_1, d)
        v: f64 = load(x, j)
        i_2: i64 = add(i_1, 1)
        c: bool = lt(i_2, d)
        yield c, i_2, v
return total
""",
    "numbers that could overflow": f"k: i64 = mul(n, {1 << 50})\n" + loop("d", "j: i64 = check_index(k, d)", WRITES),
}


def checks(function: Function) -> int:
    return sum(op.primitive in ("check_index", "check") for op in walk(function.body))


@pytest.mark.parametrize("name", PROVED)
def test_proved(name: str) -> None:
    function = program(PROVED[name])
    after = prove_indices(function)
    assert not any(op.primitive == "check_index" for op in walk(after.body))
    assert checks(after) <= 1


@pytest.mark.parametrize("name", NOT_PROVED)
def test_not_proved(name: str) -> None:
    function = program(NOT_PROVED[name])
    after = prove_indices(function)
    assert sum(op.primitive == "check_index" for op in walk(after.body)) == 1


def test_a_check_in_its_place_proves_nothing() -> None:
    """It is gone as soon as nobody uses the index."""
    function = program(loop("n", "b: i64 = add(i, 1)", "p: i64 = check_index(b, d)", CHECK, WRITES))
    assert checks(prove_indices(function)) == 2


PASSED = {
    "the same": ("lt(1, d)", True),
    "less": ("ge(d, 1)", True),
    "more": ("lt(2, d)", False),
    "another": ("gt(n, 0)", False),
}


@pytest.mark.parametrize("name", PASSED)
@pytest.mark.parametrize("or_idle", [False, True])
def test_a_check_behind_another(name: str, or_idle: bool) -> None:
    """What an earlier check lets pass need not be checked, on the same or on more conditions; on fewer it must be."""
    second, implied = PASSED[name]
    body = OR_NO_TRIPS + f"b: bool = {second}\n"
    body += "a: bool = or_(b, z)\n" if or_idle else ""
    body += f"check({'a' if or_idle else 'b'}, exception='ValueError', message='')\nreturn 0.0"
    assert checks(decide_comparisons(program(body))) == (1 if implied and or_idle else 2)


def test_the_check_goes_to_the_outermost_loop_it_can() -> None:
    function = program("""
with for_(n, 0.0) as (total,):
    def _(i: i64, s: f64):
        with for_(m, s) as (sum,):
            def _(k: i64, u: f64):
                a: i64 = add(i, k)
                j: i64 = check_index(a, d)
                v: f64 = load(x, j)
                w: f64 = add(u, v)
                yield w
        yield sum
return total
""")
    after = prove_indices(function)
    assert [op.primitive for op in after.body.ops][-2:] == ["check", "for"]
    assert checks(after) == 1


def nested(trips: str, index: str) -> Function:
    """``load(x, j)`` in two loops over i and k."""
    return program(f"""
with for_(n, 0.0) as (total,):
    def _(i: i64, s: f64):
        twice: i64 = mul(i, 2)
        thrice: i64 = mul(i, 3)
        e: i64 = sub(m, twice)
        l: i64 = max(0, e)
        with for_({trips}, s) as (sum,):
            def _(k: i64, u: f64):
                a: i64 = add({index}, k)
                j: i64 = check_index(a, d)
                v: f64 = load(x, j)
                w: f64 = add(u, v)
                yield w
        yield sum
return total
""")


@pytest.mark.parametrize(("trips", "index"), [("i", "0"), ("i", "i"), ("l", "0")])
def test_a_triangular_loop_is_checked_once(trips: str, index: str) -> None:
    after = prove_indices(nested(trips, index))
    assert [op.primitive for op in after.body.ops][-2:] == ["check", "for"]
    assert checks(after) == 1


def test_an_index_that_peaks_where_the_inner_loop_is_empty_is_checked_in_front_of_that() -> None:
    (outer,) = (op for op in prove_indices(nested("l", "thrice")).body.ops if op.primitive == "for")
    assert [op.primitive for op in outer.blocks[0].ops][-2:] == ["check", "for"]


@pytest.mark.parametrize("trips", ["i", "l"])
@pytest.mark.parametrize("index", ["0", "i", "twice", "thrice"])
def test_triangular_loops_raise_as_before(trips: str, index: str) -> None:
    before = nested(trips, index)
    after = prove_indices(before)
    for length, n, m in itertools.product(range(8), range(5), range(-1, 6)):
        given = np.ones(length), np.ones((1, 1)), n, m, True
        assert _sum_or_error(before, given) == _sum_or_error(after, given), (length, n, m)


def _sum_or_error(function: Function, given: tuple[object, ...]) -> object:
    try:
        return run(function, *given)
    except IndexError as error:
        return type(error)


@pytest.mark.parametrize(("start", "length", "index"), [(0, 3, 3), (2, 3, 3), (2, 1, 2)])
def test_the_error_names_the_index_that_fails_first(start: int, length: int, index: int) -> None:
    body = loop("n", f"a: i64 = add(i, {start})", "j: i64 = check_index(a, d)")
    after = prove_indices(program(body))
    assert not any(op.primitive == "check_index" for op in walk(after.body))
    with pytest.raises(IndexError, match=f"index {index} is out of range for an axis of extent {length}"):
        run(after, np.zeros(length), np.zeros((1, 3)), 9, 0, True)
