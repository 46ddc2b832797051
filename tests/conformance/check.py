"""One case of the table checked against NumPy: values, and derivatives by differences of NumPy's own function.

Each floating argument moves along a random direction, a complex one in both parts. Forward mode must give the
derivative along it, the gradient of a weighted sum of the result the same in total, and the second derivative is
compared with differences of that gradient. Plain Python throughout; `same_jitted` compares compiled code with it.
"""

from __future__ import annotations

import cmath
import linecache
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.special
import scipy.stats

import srcgrad
from conformance.row import Case

NAMES = {"np": np, "math": math, "cmath": cmath, "special": scipy.special, "linalg": scipy.linalg}
NAMES |= {"stats": scipy.stats, "integrate": scipy.integrate}
ARGUMENTS = ("x", "y", "z")
MODES = ("value", "forward", "reverse", "second")


@dataclass
class Outcome:
    """For each mode: is it right ("yes"), refused ("no"), or is there nothing to differentiate ("")?"""

    modes: dict[str, str] = field(default_factory=lambda: dict.fromkeys(MODES, ""))

    def note(self, mode: str, works: bool) -> None:
        if not works or self.modes[mode] != "no":
            self.modes[mode] = "yes" if works else "no"


def checked(case: Case, twice: bool = True) -> Outcome:
    """Compare everything, the second derivative if ``twice``; an AssertionError says what differs."""
    outcome = Outcome()
    program = Program(case, jit=False)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # "mean of empty slice"
        for point in case.points:
            for mode in MODES if twice else MODES[:-1]:
                try:
                    done = getattr(program, mode)(point)
                except srcgrad.Error:
                    outcome.note(mode, works=False)
                else:
                    if done:
                        outcome.note(mode, works=True)
    return outcome


def same_jitted(case: Case) -> None:
    """Values and gradients of compiled code are those of plain code."""
    plain, jitted = Program(case, jit=False), Program(case, jit=True)
    for point in case.points[:1]:
        try:
            expected = plain.gradients(point)
        except srcgrad.Error:
            continue
        found = jitted.gradients(point)
        # What single precision goes into has its digits, in sums of several terms of order one.
        tolerance = 4e-6 if any(map(is_single, (*point, *expected))) else 1e-11
        for a, b in zip(found, expected, strict=True):
            compare(a, b, tolerance, "compiled code")


class Program:
    """The function of a case, and the sum of its result times weights."""

    def __init__(self, case: Case, jit: bool) -> None:
        self.case = case
        self.jit = jit
        self.parameters = ARGUMENTS[: len(case.points[0])]
        inside = ", ".join(self.parameters)
        self.f = defined("f", inside, case.expression, dict(NAMES))
        first = case.points[0]
        weighted = f"np.sum(f({inside}) * weights)"
        if np.iscomplexobj(self.f(*first)):
            weighted = f"np.real({weighted})"
        self.loss = defined("loss", f"{inside}, weights", weighted, {**NAMES, "f": self.f})
        self.primal = srcgrad.jit(self.f, jit=jit)
        self.active = tuple(k for k in range(len(first)) if is_floating(first[k]))
        if self.active:
            self.value_and_grad = srcgrad.value_and_grad(self.loss, self.active, jit=jit)
            self.grad = srcgrad.grad(self.loss, self.active, jit=jit)

    def value(self, point: tuple[Any, ...]) -> bool:
        expected = self.f(*point)
        compare(self.primal(*point), expected, self.tolerance(point, expected), f"the value of {self.case.expression}")
        return True

    def forward(self, point: tuple[Any, ...]) -> bool:
        if not self.has_derivative(point):
            return False
        tangents = tuple(self.direction(point))
        result, found = srcgrad.jvp(self.f, point, tangents, jit=self.jit)
        assert np.asarray(found).dtype == np.asarray(result).dtype, self.place("dtype of the tangent")
        compare(found, self.along(self.f, point), self.slack(point), self.place("forward mode"), loose=True)
        return True

    def reverse(self, point: tuple[Any, ...]) -> bool:
        if not self.has_derivative(point):
            return False
        weights = self.weights(point)
        value, gradients = self.value_and_grad(*point, weights)
        for k, gradient in zip(self.active, gradients, strict=True):
            assert np.shape(gradient) == np.shape(point[k]), self.place("shape of the gradient")
            assert np.asarray(gradient).dtype == np.asarray(point[k]).dtype, self.place("dtype of the gradient")
        tangents = self.direction(point)
        found = sum(np.sum(g * tangents[k]).real for k, g in zip(self.active, gradients, strict=True))
        expected = np.sum(self.along(self.f, point) * weights).real
        compare(found, expected, self.slack(point), self.place("reverse mode"), loose=True)
        compare(value, self.loss(*point, weights), self.slack(point), self.place("value"), loose=True)
        return True

    def second(self, point: tuple[Any, ...]) -> bool:
        """Of float64 only: differences of single precision say little."""
        if not self.has_derivative(point) or self.slack(point) > 1e-7:
            return False
        weights = self.weights(point)
        tangents = (*self.direction(point), 0.0 * weights)
        _, found = srcgrad.jvp(self.grad, (*point, weights), tangents, jit=self.jit)
        for k, part in enumerate(found):
            expected = self.along(lambda *a, k=k: self.grad(*a, weights)[k], point)
            compare(part, expected, 2e-6, self.place("second order"), loose=True)
        return True

    def gradients(self, point: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.has_derivative(point):
            return (self.primal(*point),)
        value, gradients = self.value_and_grad(*point, self.weights(point))
        return value, *gradients

    # What the checks are made of

    def has_derivative(self, point: tuple[Any, ...]) -> bool:
        return bool(self.active) and is_floating(self.f(*point))

    def weights(self, point: tuple[Any, ...]) -> Any:
        result = np.asarray(self.f(*point))
        places = np.arange(result.size).reshape(result.shape)
        drawn = np.cos(1.0 + places)
        if np.iscomplexobj(result):
            drawn = drawn + 1j * np.sin(2.0 + places)
        drawn = drawn.astype(result.dtype)
        return drawn if result.ndim else result.dtype.type(drawn)

    def direction(self, point: tuple[Any, ...]) -> list[Any]:
        return [
            like(np.sin(1.0 + k + np.arange(np.size(a))), a) if is_floating(a) else None for k, a in enumerate(point)
        ]

    def along(self, f: Callable[..., Any], point: tuple[Any, ...]) -> Any:
        """The derivative along the direction, by Richardson's extrapolation, in double precision."""
        wide = [wider(a) for a in point]
        direction = self.direction(tuple(wide))

        def slope(h: float) -> Any:
            ahead, behind = (
                f(*(a if d is None else a + s * d for a, d in zip(wide, direction, strict=True))) for s in (h, -h)
            )
            return (np.asarray(ahead) - np.asarray(behind)) / (2 * h)

        return (4 * slope(5e-4) - slope(1e-3)) / 3

    def tolerance(self, point: tuple[Any, ...], expected: Any) -> float:
        return 2e-6 if is_single(expected) else self.case.rtol

    def slack(self, point: tuple[Any, ...]) -> float:
        return 1e-3 if any(is_single(a) for a in (*point, self.f(*point))) else 1e-7

    def place(self, what: str) -> str:
        return f"{what} of {self.case.expression}"


def defined(name: str, parameters: str, expression: str, names: dict[str, Any]) -> Callable[..., Any]:
    """A function whose source can be found."""
    file = f"<{name} {expression}>"
    text = f"def {name}({parameters}):\n    return {expression}\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    made: Callable[..., Any] = names[name]
    return made


def compare(found: Any, expected: Any, tolerance: float, what: str, loose: bool = False) -> None:
    """The same dtype, shape and numbers, to a tolerance relative to the largest of them."""
    a, b = np.asarray(found), np.asarray(expected)
    if not loose:
        assert a.dtype == b.dtype, f"{what}: dtype {a.dtype}, NumPy has {b.dtype}"
        assert a.shape == b.shape, f"{what}: shape {a.shape}, NumPy has {b.shape}"
    size = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0)) if b.dtype.kind in "fc" else 0.0
    if loose:  # a difference that is NaN says nothing
        a = np.where(np.isnan(b), b, a)
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(size, 1e-3), err_msg=what)


def is_floating(a: Any) -> bool:
    return np.asarray(a).dtype.kind in "fc"


def is_single(a: Any) -> bool:
    return np.asarray(a).dtype in (np.float32, np.complex64)


def like(numbers: np.ndarray, a: Any) -> Any:
    if np.iscomplexobj(a):
        numbers = numbers + 1j * np.cos(3.0 * numbers)
    if not isinstance(a, np.ndarray):
        return type(a)(numbers[0])
    return numbers.reshape(a.shape).astype(a.dtype)


def wider(a: Any) -> Any:
    if not is_floating(a):
        return a
    wide = complex if np.iscomplexobj(a) else float
    return a.astype(wide) if isinstance(a, np.ndarray) else wide(a)
