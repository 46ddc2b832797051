"""Cases for common kinds of functions: the shapes, dtypes, axes and layouts that each is tried with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.row import Case, backwards, between, case, fortran, integers, numbers, readonly, row, strided

Draw = Callable[..., Any]  # draw(*shape, dtype=): numbers in the domain of a function


def inside(low: float, high: float) -> Draw:
    """Numbers in an interval."""
    return lambda *shape, dtype=np.float64: between(low, high, *shape, dtype=dtype)


POSITIVE, UNIT = inside(0.2, 3.0), inside(-0.9, 0.9)


def unary(name: str, draw: Draw = numbers, *, whole: bool = True, signature: str = "(x)", rtol: float = 1e-13) -> None:
    """A function of one number, applied element by element; ``whole`` if it takes integers that ``draw`` gives."""
    cases = [
        case(f"{name}(x)", [draw()], rtol=rtol),
        case(f"{name}(x)", [draw(3, 4)], [draw(0, 4)], [draw(1, 1)], [readonly(draw(2, 2))], rtol=rtol),
        case(f"{name}(x)", [strided(draw(3))], [backwards(draw(3))], rtol=rtol),
        case(f"{name}(x)", [fortran(draw(2, 3, dtype=np.float32))]),
        case(f"{name}(x)", [draw(dtype=np.float32)]),
        case(f"{name}(x)", [np.asarray(draw())], rtol=rtol),
    ]
    if whole:
        cases.append(case(f"{name}(x)", [np.array([1, 2])], rtol=rtol))
        cases.append(case(f"{name}(x)", [2], rtol=rtol))
    row(name, signature, cases)


def of_number(name: str, draw: Draw = numbers, *, whole: bool = True) -> None:
    """A function of the module ``math``."""
    cases = [case(f"{name}(x)", [draw()], [draw()])]
    if name != "math.trunc":  # NumPy's scalars have none
        cases.append(case(f"{name}(x)", [draw(dtype=np.float32)], rtol=1e-6))
    row(name, "(x)", [*cases, case(f"{name}(x)", [2])] if whole else cases)


def binary(
    name: str,
    first: Draw = numbers,
    second: Draw = numbers,
    *,
    whole: bool = True,
    mixed: bool = True,
    signature: str = "(x1, x2)",
    rtol: float = 1e-13,
) -> None:
    """A function of two numbers, with broadcasting; ``mixed``: float32 with a Python number gives float32."""
    call = f"{name}(x, y)"
    cases = [
        case(call, [first(), second()], rtol=rtol),
        case(call, [first(3, 4), second(4)], [first(0, 4), second(4)], [first(3, 1), second(4)], rtol=rtol),
        case(call, [first(3), second()], rtol=rtol),
        case(call, [backwards(first(2, 3)), fortran(second(2, 1))], rtol=rtol),
        case(call, [first(3, dtype=np.float32), second(3, dtype=np.float32)]),
        case(call, [first(), strided(second(3))], rtol=rtol),
    ]
    if mixed:
        cases.append(case(call, [first(3, dtype=np.float32), second()]))
    if whole:
        cases.append(case(call, [np.array([1, 2, 3]), np.array([2, 3, 1])], rtol=rtol))
        cases.append(case(call, [np.array([1, 2, 3]), second(3)], rtol=rtol))
        cases.append(case(call, [np.array([1, 2, 3]), second(3, dtype=np.float32)], rtol=rtol))
    row(name, signature, cases)


def over_axes(
    call: str,
    draw: Draw = numbers,
    *,
    tuples: bool = True,
    keepdims: bool = True,
    empty: bool = True,
    default: int | None = None,
    whole: bool = True,
) -> list[Case]:
    """Cases of a reduction: in ``call``, ``{x}`` is the array and ``{axes}`` what follows it, as ``, axis=0``."""

    def of(x: str, axes: str) -> str:
        return call.format(x=x, axes=axes)

    kept = ", keepdims=True" if keepdims else ""
    cases = [
        case(of("x", ""), [draw(5)], [draw(1)]),
        case(of("x", ""), [draw(2, 3)]),
        case(of("x", ", axis=0"), [draw(3, 4)], [draw(1, 4)], [draw(3, 0)]),
        case(of("x", f", axis=-1{kept}"), [draw(2, 3, 4)]),
        case(of("x", ", axis=1"), [strided(draw(3, 4))], [backwards(draw(3, 4))]),
        case(of("x", ", axis=0"), [fortran(draw(3, 2, dtype=np.float32))]),
        case(of("x", ""), [fortran(draw(3, 2))]),
    ]
    if keepdims:
        cases.append(case(of("x", ", keepdims=True"), [draw(2, 3)]))
    if tuples:
        cases.append(case(of("x", ", axis=(0, 2)"), [draw(2, 3, 4)]))
        cases.append(case(of("x", f", axis=(-1, 0){kept}"), [draw(2, 3, 4)]))
    if empty:
        cases.append(case(of("x", ""), [draw(0)]))
        cases.append(case(of("x", ", axis=0"), [draw(0, 3)]))
    if whole:
        cases.append(case(of("x", ", axis=0"), [integers(-3, 5, 3, 2)]))
        cases.append(case(of("x", ""), [np.array([True, False, True])]))
    return cases


def reduction(name: str, signature: str, more: Sequence[Case] = (), draw: Draw = numbers, **kinds: Any) -> None:
    """A reduction as a function, and as a method where arrays have one."""
    cases = over_axes(name + "({x}{axes})", draw, **kinds)
    method = name.rpartition(".")[2]
    if name.startswith("np.") and hasattr(np.ndarray, method):
        cases.append(case(f"x.{method}()", [draw(4)]))
        cases.append(case(f"x.{method}(axis=-1)", [draw(2, 3)]))
    row(name, signature, [*cases, *more])


def of_matrix(name: str, signature: str, *calls: str, vectors: Sequence[str] = (), note: str = "") -> None:
    """Calls with a matrix ``x``, the first of them for several layouts and dtypes, and calls with a vector."""
    cases = [case(call, [numbers(3, 4)]) for call in calls]
    cases += [case(call, [numbers(5)]) for call in vectors]
    if calls:
        cases.append(case(calls[0], [backwards(numbers(3, 4))]))
        cases.append(case(calls[0], [fortran(numbers(3, 4, dtype=np.float32))]))
    row(name, signature, cases, note)


def of_two(name: str, signature: str, *calls: tuple[str, tuple[int, ...], tuple[int, ...]], note: str = "") -> None:
    """Calls with two arrays ``x`` and ``y``: an expression and the two shapes; the first also of other layouts."""
    cases = [case(call, [numbers(*one), numbers(*two)]) for call, one, two in calls]
    call, one, two = calls[0]
    cases.append(case(call, [strided(numbers(*one)), fortran(numbers(*two, dtype=np.float32))]))
    row(name, signature, cases, note)
