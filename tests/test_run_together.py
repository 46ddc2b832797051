"""Two loops as one: the same numbers whatever is read where, and two loops still where somebody would notice."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from agreement import confirm_gradients
from interpreter import run

from srcgrad import grad
from srcgrad.ir.core import Function, walk
from srcgrad.ir.text import parse
from srcgrad.optimize.run_together import _Pair, run_together
from srcgrad.primitives.table import infer
from srcgrad.settings import Options

ROOM = 8  # elements beyond n


def program(
    first: list[str],
    second: list[str],
    counts: tuple[str, str] = ("n", "n"),
    between: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
) -> Function:
    """Two loops, some times over, about an array of the caller and one of their own."""
    lines = [
        "def f(u: f64[:], n: i64, times: i64):",
        f"    m: i64 = add(n, {ROOM})",
        *(f"    n{k}: i64 = sub(n, {k})\n    c{k}: i64 = max(n{k}, 0)" for k in (1, 2, 3)),
        "    w: f64[:] = alloc(m, dtype=f64, fill='zeros')",
        "    with for_(times):",
        "        def _(t: i64):",
        f"            with for_({counts[0]}):",
        "                def _(i: i64):",
        *(f"                    {line}" for line in first),
        *(f"            {line}" for line in between),
        f"            with for_({counts[1]}):",
        "                def _(q: i64):",
        *(f"                    {line}" for line in second),
        *(f"            {line}" for line in after),
        "    return 0",
    ]
    return parse("\n".join(lines) + "\n", infer)


def reading(array: str, counter: str, *offsets: int) -> list[str]:
    """A sum of elements, named after the array."""
    lines = []
    for k, offset in enumerate(offsets):
        lines += [f"{array}i{k}: i64 = add({counter}, {offset})", f"{array}{k}: f64 = load({array}, {array}i{k})"]
        lines += [f"{array}s{k}: f64 = mul({array}{k}, {0.3 + 0.2 * k})"]
        lines += [
            f"{array}t{k}: f64 = add({array}t{k - 1}, {array}s{k})" if k else f"{array}t0: f64 = add({array}s0, 0.1)"
        ]
    return lines


def storing(array: str, counter: str, offset: int, value: str) -> list[str]:
    return [f"{array}at: i64 = add({counter}, {offset})", f"store({array}, {array}at, {value})"]


def shifted(reads: tuple[int, ...], at: int, taken: tuple[int, ...], to: int, *counts: str, **more: Any) -> Function:
    """``w[i + at] = u[i + reads]``, then ``u[q + to] = w[q + taken]``."""
    first = [*reading("u", "i", *reads), *storing("w", "i", at, f"ut{len(reads) - 1}")]
    second = [*reading("w", "q", *taken), *storing("u", "q", to, f"wt{len(taken) - 1}")]
    return program(first, second, (counts or ("n", "n")), **more)  # type: ignore[arg-type]  # two counts


def outcome(function: Function, n: int, times: int) -> np.ndarray:
    u = np.linspace(0.5, 1.5, n + ROOM) ** 2
    run(function, u, n, times)
    return u


def loops(function: Function) -> int:
    return sum(op.primitive == "for" for op in walk(function.body))


def test_any_offsets() -> None:
    """Where the pass takes two loops for one, and where it does not, the numbers are the same."""
    generator = random.Random(7)
    taken = 0
    for _ in range(150):
        reads = tuple(generator.choices(range(4), k=generator.randint(1, 3)))
        read_there = tuple(set(generator.choices(range(4), k=generator.randint(1, 3))))
        counts = generator.choices(["n", "c1", "c2", "c3"], k=2)
        before = shifted(reads, generator.randint(0, 3), read_there, generator.randint(0, 4), *counts)
        after = run_together(before)
        taken += after is not before
        for n in (0, 1, 2, 3, 4, 5, 7) if after is not before else ():
            for times in (1, 3):
                np.testing.assert_allclose(outcome(after, n, times), outcome(before, n, times), rtol=1e-14)
    assert taken > 15


STEP = (
    (0, 1),
    0,
    (0, 1),
    1,
    "n",
    "c1",
)  # of the heat equation: w[i] of u[i], u[i + 1], then u[q + 1] of w[q], w[q + 1]


def test_a_step_is_one_loop_and_stores_to_its_own_array_at_the_ends_only() -> None:
    after = run_together(shifted(*STEP))
    (loop,) = (op for op in walk(after.body) if op.primitive == "for" and op.operands[0] is not after.parameters[2])
    (w,) = (op.result for op in walk(after.body) if op.primitive == "alloc")
    assert not any(w in op.operands for op in walk(loop.blocks[0]))


LEFT = {
    "read by others": shifted(*STEP, after=("v: f64 = load(w, 2)", "store(u, 0, v)")),
    "what comes between may be handed on": shifted(*STEP, between=("accumulate(w, 1, 1.0)",)),
    "from far ahead": shifted((0,), 0, (3,), 4),
    "as many as the loop around says": shifted((0, 1), 0, (0,), 1, "t", "t"),
    "a few": shifted((0, 1), 0, (0,), 1, "8", "8"),
}


@pytest.mark.parametrize("name", LEFT)
def test_left(name: str) -> None:
    assert run_together(LEFT[name]) is LEFT[name]


def test_rule_what_others_read_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Pair, "needs_no_memory", lambda pair: True)
    before = LEFT["read by others"]
    assert np.max(np.abs(outcome(run_together(before), 5, 2) - outcome(before, 5, 2))) > 1e-3


def test_rule_what_comes_between_stays_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Pair, "may_swap", lambda pair: True)
    monkeypatch.setattr(_Pair, "needs_no_memory", lambda pair: True)
    before = LEFT["what comes between may be handed on"]
    assert np.max(np.abs(outcome(run_together(before), 5, 2) - outcome(before, 5, 2))) > 1e-3


def test_rule_the_second_reads_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Pair, "hands_on_numbers", lambda pair: True)
    monkeypatch.setattr(_Pair, "delay", lambda pair, flow: 0)
    before = shifted(*STEP)
    assert np.max(np.abs(outcome(run_together(before), 5, 2) - outcome(before, 5, 2))) > 1e-3


def heat(u0: Any, c: Any, steps: int) -> float:
    n = u0.shape[0]
    u, flux = u0.copy(), np.empty(n - 1)
    for _ in range(steps):
        for i in range(n - 1):
            flux[i] = c[i] * (u[i + 1] - u[i])
        for i in range(1, n - 1):
            u[i] += 0.2 * (flux[i] - flux[i - 1])
    return float(np.sum(u * u))


def slices(u0: Any, c: float, steps: int) -> float:
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] = u[1:-1] + c * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return float(np.sum(u * u))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_gradients(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is compiled, in plain Python."""
    monkeypatch.setattr(Options, "reorders", property(lambda options: True))
    u = np.cos(np.arange(float(n)))
    confirm_gradients(heat, (u, np.linspace(0.5, 1.0, max(n - 1, 0)), 3))
    confirm_gradients(slices, (u, 0.1, 3))


def test_jitted() -> None:
    u, c = np.cos(np.arange(40.0)), np.linspace(0.5, 1.0, 39)
    for f, arguments in ((heat, (u, c, 5)), (slices, (u, 0.1, 5))):
        assert "handed_on" in grad(f).backward_source(*arguments, level="compiled")
        np.testing.assert_allclose(grad(f)(*arguments), grad(f, jit=False)(*arguments), rtol=1e-12, atol=1e-14)
