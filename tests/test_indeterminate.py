"""Where infinite slopes meet factors that vanish: the true derivative, or NaN, and never a 0 that is wrong."""

from __future__ import annotations

import linecache
import math
import random
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

import srcgrad

INF = np.inf
# the function, its derivative at 0 from the right
EXACT: list[tuple[Callable[[Any], Any], float]] = [
    (lambda x: np.sqrt(x) * np.sqrt(x), 1.0),
    (lambda x: np.sqrt(x) ** 2, 1.0),
    (lambda x: np.sqrt(x) ** 2.0, 1.0),
    (lambda x: 3.0 * np.sqrt(x) * np.sqrt(x), 3.0),
    (lambda x: np.sqrt(x) ** 3, 0.0),
    (lambda x: np.cbrt(x) ** 3, 1.0),
    (lambda x: np.cbrt(x) * np.cbrt(x) * np.cbrt(x), 1.0),
    (lambda x: np.cbrt(x) ** 4, 0.0),
    (lambda x: (x**0.25) ** 4, 1.0),
    (lambda x: (x**0.75) * (x**0.75), 0.0),
    (lambda x: -(np.sqrt(x) * np.sqrt(x)) / 2.0, -0.5),
    (lambda x: np.exp(np.sqrt(x) * np.sqrt(x)), 1.0),
    (lambda x: np.where(x > -1.0, np.sqrt(x) * np.sqrt(x), 7.0), 1.0),
    (lambda x: x * np.sqrt(x), 0.0),
    (lambda x: np.sin(x) * np.cbrt(x), 0.0),
    (lambda x: np.cbrt(x) * x + np.sqrt(x) * x, 0.0),
]
# what no rule resolves: NaN is right, and so is the derivative
UNRESOLVED: list[tuple[Callable[[Any], Any], float]] = [
    (lambda x: np.arccos(1.0 - x) ** 2, 2.0),
    (lambda x: np.arccos(1.0 - 2.0 * x) * np.sqrt(x - x * x), 2.0),
    (lambda x: np.arccos(1.0 - x) - (1.0 - x) * np.sqrt(2.0 * x - x * x), 0.0),
    (lambda x: np.cos(np.sqrt(x)), -0.5),
    (lambda x: np.sqrt(x) * np.sin(np.sqrt(x)), 1.0),
    (lambda x: np.sqrt(x) * np.sqrt(2.0 * x), math.sqrt(2.0)),
    (lambda x: np.exp(np.sqrt(x)) - np.sqrt(x), 0.5),
    (lambda x: np.sqrt(np.sqrt(x)) ** 4, 1.0),
    (lambda x: (1.0 - np.sqrt(x)) * np.sqrt(x) + np.sqrt(x) * (np.sqrt(x) - 1.0), 0.0),
    (lambda x: np.cbrt(x**3), 1.0),
    (lambda x: np.sqrt(x**1.5), INF),
    (lambda x: np.arctan(np.divide(1.0, x)), -1.0),
    (lambda x: 1.0 / (1.0 + np.divide(1.0, x)), 1.0),
    (lambda x: np.exp(np.log(x)), 1.0),
    (lambda x: np.logaddexp(np.log(x), 0.0), 1.0),
    (lambda x: np.log(np.exp(np.log(x)) + 2.0), 0.5),
]


def function(source: str, file: str) -> Callable[..., Any]:
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"np": np}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


def both_modes(f: Callable[..., Any], x: float, jit: bool = False) -> list[float]:
    with np.errstate(all="ignore"):
        return [float(srcgrad.grad(f, jit=jit)(x)), float(srcgrad.jvp(f, (x,), (1.0,), jit=jit)[1])]


@pytest.mark.parametrize(("f", "slope"), EXACT, ids=map(str, range(len(EXACT))))
def test_what_is_cancelled(f: Callable[..., Any], slope: float) -> None:
    assert both_modes(f, 0.0) == pytest.approx([slope, slope], abs=1e-15)
    away = (f(0.3 + 1e-6) - f(0.3 - 1e-6)) / 2e-6
    assert both_modes(f, 0.3) == pytest.approx([away, away], rel=1e-8)


@pytest.mark.parametrize(("f", "slope"), UNRESOLVED, ids=map(str, range(len(UNRESOLVED))))
def test_what_is_not_resolved_is_not_zero(f: Callable[..., Any], slope: float) -> None:
    for found in both_modes(f, 0.0):
        assert math.isnan(found) or found == slope


@pytest.mark.parametrize(
    ("predicate", "answer", "expression", "mode"),
    [
        ("keeps_up", False, "np.sqrt(x) * np.sqrt(2.0 * x)", 0),
        ("meets", False, "np.exp(np.sqrt(x)) - np.sqrt(x)", 0),
        ("share_roots", False, "np.sqrt(x) * np.sqrt(2.0 * x)", 1),
        ("is_smooth", True, "np.sqrt(x**1.5)", 1),
    ],
)
def test_wrong_without_the_rule(
    predicate: str, answer: bool, expression: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"def f(x):\n    return {expression}\n"
    assert math.isnan(both_modes(function(source, f"<{predicate} holds>"), 0.0)[mode])
    monkeypatch.setattr(f"srcgrad.analysis.grounds.Grounds.{predicate}", lambda *_: answer)
    assert both_modes(function(source, f"<{predicate} replaced>"), 0.0)[mode] == 0.0


def test_compiled() -> None:
    assert both_modes(EXACT[6][0], 0.0, jit=True) == [1.0, 1.0]
    assert np.isnan(both_modes(UNRESOLVED[3][0], 0.0, jit=True)).all()


def test_second_derivatives() -> None:
    def f(x: float) -> float:
        return np.sqrt(x) ** 2 * x + np.sqrt(x) * np.sqrt(x)

    assert srcgrad.hessian(f, jit=False)(0.0) == 2.0

    def g(x: np.ndarray) -> float:
        r = np.sqrt(np.sum(x * x))
        return r * r

    np.testing.assert_array_equal(srcgrad.hessian(g, jit=False)(np.zeros(2)), 2.0 * np.eye(2))


def test_roots_of_other_arguments_win() -> None:
    """At q = 0 the product does not depend on p at all."""

    def f(p: np.ndarray, q: np.ndarray) -> float:
        return np.sum(np.sqrt(p) * np.sqrt(q))

    for found in srcgrad.grad(f, argnums=(0, 1), jit=False)(np.zeros(2), np.zeros(2)):
        np.testing.assert_array_equal(found, np.zeros(2))


def test_distance_of_hellinger() -> None:
    """In a bin that is empty in both histograms the term is p where q is 0."""

    def f(p: np.ndarray, q: np.ndarray) -> float:
        return np.sum((np.sqrt(p) - np.sqrt(q)) ** 2)

    found = srcgrad.grad(f, jit=False)(np.array([0.0, 0.25]), np.array([0.0, 1.0]))
    assert math.isnan(found[0]) or found[0] == 1.0
    assert found[1] == pytest.approx(-1.0)


def test_what_nobody_asks_for_stays_zero() -> None:
    def unused(x: np.ndarray) -> float:
        y = np.sin(np.sqrt(x)) * np.sqrt(x)
        return y[1]

    def masked(x: np.ndarray) -> float:
        return np.sum(np.where(x > 0.0, np.cos(np.sqrt(x)), 1.0))

    def at_expiry(t: float) -> float:  # the price of an option, flat in the time left
        s = 0.2 * np.sqrt(t)
        return math.erf(np.divide(np.log(1.2), s))

    x = np.array([0.0, 0.5])
    assert srcgrad.grad(unused, jit=False)(x)[0] == 0.0
    with np.errstate(all="ignore"):
        assert srcgrad.grad(masked, jit=False)(x)[0] == 0.0
        assert srcgrad.grad(at_expiry, jit=False)(0.0) == 0.0
        _, pullback = srcgrad.vjp(lambda x: np.cos(np.sqrt(x)), x, jit=False)
        assert pullback(np.array([0.0, 1.0]))[0][0] == 0.0


# Random programs at 0, in whose values all is finite. The one-sided derivative is that of mpmath at the distance H.
UNARY: dict[str, Callable[[Any], Any]] = {
    "np.sqrt({})": mpmath.sqrt,
    "np.cbrt({})": lambda u: mpmath.cbrt(u) if u >= 0 else -mpmath.cbrt(-u),
    "np.arccos(1.0 - {})": lambda u: mpmath.acos(1 - u),
    "np.arccosh(1.0 + {})": lambda u: mpmath.acosh(1 + u),
    "np.arcsin(1.0 - {})": lambda u: mpmath.asin(1 - u),
    "{}**0.25": lambda u: u ** mpmath.mpf(0.25),
    "{}**0.75": lambda u: u ** mpmath.mpf(0.75),
    "{}**1.5": lambda u: u ** mpmath.mpf(1.5),
    "{}**2": lambda u: u**2,
    "{}**3": lambda u: u**3,
    "np.sin({})": mpmath.sin,
    "np.cos({})": mpmath.cos,
    "np.expm1({})": mpmath.expm1,
    "np.log1p({})": lambda u: mpmath.log(1 + u),
    "np.arctan({})": mpmath.atan,
    "(-{})": lambda u: -u,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "{} + {}": lambda a, b: a + b,
    "{} - {}": lambda a, b: a - b,
    "{} * {}": lambda a, b: a * b,
}
VARIABLES = ("x", "y", "a[0]", "a[1]")
NEAR, NEARER = mpmath.mpf(10) ** -300, mpmath.mpf(10) ** -600


class Program:
    """Some lines of one operation each; ``f(x, y, a)`` is the last of them."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed)
        self.lines: list[tuple[str, list[str]]] = []
        for k in range(draw.randint(2, 7)):
            form = draw.choice(list(UNARY)[:3] + list(UNARY) if draw.random() < 0.5 else list(BINARY))
            names = [f"v{j}" for j in range(k)]
            operands = [
                draw.choice(names if names and draw.random() < 0.55 else [*VARIABLES, "0.5", "2.0"])
                for _ in range(form.count("{}"))
            ]
            self.lines.append((form, operands))

    @property
    def source(self) -> str:
        lines = [f"    v{k} = {form.format(*operands)}\n" for k, (form, operands) in enumerate(self.lines)]
        return f"def f(x, y, a):\n{''.join(lines)}    return v{len(lines) - 1} + 0.0\n"

    def at(self, **moved: Any) -> Any:
        """The value, where all variables but some are 0."""
        values = {**dict.fromkeys(VARIABLES, mpmath.mpf(0)), "0.5": mpmath.mpf(0.5), "2.0": mpmath.mpf(2), **moved}
        for k, (form, operands) in enumerate(self.lines):
            values[f"v{k}"] = {**UNARY, **BINARY}[form](*(values[x] for x in operands))
        found = values[f"v{len(self.lines) - 1}"]
        if isinstance(found, mpmath.mpc):
            raise ValueError("not real")
        return found

    def slope(self, variable: str) -> float:
        """The derivative from the right."""
        near, nearer = ((self.at(**{variable: h}) - self.at()) / h for h in (NEAR, NEARER))
        if abs(nearer) < 1e-7:
            return 0.0
        return float(nearer) if abs(nearer - near) <= 1e-8 * abs(nearer) else math.copysign(INF, nearer)

    def is_kink(self, variable: str) -> bool:
        """Whether the slope from the left is the opposite: 0 stands for both."""
        try:
            left = (self.at(**{variable: -NEARER}) - self.at()) / -NEARER
            return bool(abs(left + (self.at(**{variable: NEARER}) - self.at()) / NEARER) <= 1e-8 * abs(left))
        except ValueError:
            return False


@pytest.mark.parametrize("seed", range(120))
def test_random_programs(seed: int) -> None:
    program = Program(seed)
    with mpmath.workdps(1300):
        try:
            slopes = [program.slope(v) for v in VARIABLES]
        except (ValueError, ZeroDivisionError):
            pytest.skip("no real number")
        f = function(program.source, f"<random program of roots {seed}>")
        zero = np.zeros(2)
        directions = [(1.0, 0.0, zero), (0.0, 1.0, zero), (0.0, 0.0, np.eye(2)[0]), (0.0, 0.0, np.eye(2)[1])]
        with np.errstate(all="ignore"):
            x_bar, y_bar, a_bar = srcgrad.grad(f, argnums=(0, 1, 2), jit=False)(0.0, 0.0, zero)
            forward = [srcgrad.jvp(f, (0.0, 0.0, zero), d, jit=False)[1] for d in directions]
        for found in ([x_bar, y_bar, *a_bar], forward):
            for got, slope, variable in zip(found, slopes, VARIABLES, strict=True):
                right = math.isnan(got) or got == pytest.approx(slope, rel=1e-6, abs=1e-9)
                assert right or (got == 0.0 and program.is_kink(variable)), program.source


@pytest.mark.parametrize("x", [-1000.0, 0.5, 1000.0])
def test_quotients_by_what_overflows_are_flat(x: float) -> None:
    """Both modes, and the slope of the slope: a sigmoid by hand has none far out."""
    with np.errstate(all="ignore"):
        found = both_modes(lambda x: 1.0 / (1.0 + np.exp(-x)), x)
        second = srcgrad.hessian(lambda x: 1.0 / np.cosh(x), jit=False)(x)
    expected = 0.0 if abs(x) > 1.0 else math.exp(-x) / (1.0 + math.exp(-x)) ** 2
    assert found == pytest.approx([expected, expected], rel=1e-14)
    assert math.isfinite(second)
