"""Random bodies of `try`: stores, slices, loops and branches around divisions by zero, beside Python itself.

Some hold a `try` of their own, which raises again what it has caught, or does something in any case.
"""

from __future__ import annotations

import linecache
import math
import random
from collections.abc import Callable

import numpy as np
import pytest

from srcgrad import jvp, value_and_grad
from srcgrad.errors import Error

DIVISORS = ("z", "z * a", "b - z", "z + 1.5", "b - 0.5")
TESTS = ("z > 0.2", "a > b", "s > 0.5", "z == 0.0")


class Writer:
    """Writes programs of the numbers a, b, z and the arrays y, w."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self, depth: int = 0) -> str:
        kind = self.random.randrange(5)
        if kind == 0 and depth < 2:
            return f"({self.number(depth + 1)} * {self.number(depth + 1)})"
        if kind == 1:
            return f"float({self.random.choice('yw')}[{self.random.randrange(4)}])"
        return self.random.choice(("a", "b", "s", "(a + 0.5)"))

    def quotient(self) -> str:
        divided = self.random.random() < 0.5
        return f"{self.number()} / ({self.random.choice(DIVISORS)})" if divided else self.number()

    def statement(self, depth: int) -> list[str]:
        at = self.random.randrange(4)
        match self.random.randrange(7):
            case 0 if depth < 2:
                return [f"if {self.random.choice(TESTS)}:", *self.block(depth + 1)]
            case 1 if depth < 2:
                count = self.random.randrange(1, 4)
                return [f"for i in range({count}):", f"    y[i] = 0.5 * float(y[i]) + {self.number()}", *self.block(2)]
            case 2:
                return [f"y[1:3] = y[0:2] * {self.number()}"]
            case 3:
                return [f"w[{at}] += {self.quotient()}"]
            case 4:
                return [f"s = 0.3 * s + {self.quotient()}"]
        return [f"y[{at}] = {self.quotient()}"]

    def block(self, depth: int) -> list[str]:
        count = self.random.randrange(1, 4)
        return ["    " + line for _ in range(count) for line in self.statement(depth)]

    def attempt(self) -> list[str]:
        """A `try` inside of another."""
        lines = ["try:", *self.block(1)]
        if self.random.random() < 0.7:
            again = ["    raise"] if self.random.random() < 0.5 else []
            lines += [f"except {self.random.choice(('ZeroDivisionError', 'Exception'))}:", *self.block(1), *again]
        return [*lines, "finally:", *self.block(1)]

    def program(self) -> str:
        caught = self.random.choice(("ZeroDivisionError", "Exception", "(ValueError, ZeroDivisionError)"))
        tried = [*self.block(0), *(["    " + line for line in self.attempt()] if self.random.random() < 0.6 else [])]
        body = [*self.block(0), "    try:", *("    " + line for line in tried), f"    except {caught}:"]
        body += ["    " + line for line in self.block(1)]
        lines = ["def f(a, b, z):", "    y, w, s = np.zeros(4), np.ones(4), 1.0", *body]
        return "\n".join(
            [*lines, "    return s + y[0] + 2.0 * y[1] + 3.0 * y[2] + y[3] + w[0] * w[1] + w[2] * w[3]", ""]
        )


def made(seed: int) -> Callable[..., float]:
    text, name = Writer(seed).program(), f"<random try {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, Callable[..., float]] = {}
    exec(compile(text, name, "exec"), {"np": np, "math": math}, names)
    return names["f"]


def difference(f: Callable[..., float], z: float, h: float) -> float:
    return (f(0.6 + h, 0.5, z) - f(0.6 - h, 0.5, z)) / (2.0 * h)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_as_python(first: int) -> None:
    """Python's value and its differences, or a refusal; what Python raises itself is left out."""
    compared = 0
    for seed in range(first, first + 20):
        f = made(seed)
        for z in (0.0, 0.7):
            try:
                expected, slope, rough = f(0.6, 0.5, z), difference(f, z, 1e-6), difference(f, z, 1e-5)
            except ZeroDivisionError:
                continue
            if not abs(slope - rough) <= 1e-4 * max(1.0, abs(slope)):
                continue
            try:
                value, found = value_and_grad(f, jit=False)(0.6, 0.5, z)
                along = jvp(f, (0.6, 0.5, z), (1.0, 0.0, 0.0), jit=False)[1]
            except (Error, UnboundLocalError):  # of what a loop or branch that was left half-way assigns to
                continue
            assert value == pytest.approx(expected, rel=1e-9), seed
            assert found == pytest.approx(slope, rel=1e-4, abs=1e-5), seed
            assert along == pytest.approx(found, rel=1e-8, abs=1e-10), seed
            compared += 1
    assert compared >= 5
