"""One function with a known gradient, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Case:
    """A function, where it is evaluated, and the gradient there.

    Parameters
    ----------
    id, source, about : str
        A name; the public reports of faults of this kind; what is peculiar to the function.
    fn, make_args, argnums
        The function, a maker of fresh arguments, and the arguments to differentiate by.
    expected : tuple
        A gradient for each of ``argnums``; with ``order=2`` the Hessian.
    accept : tuple of tuples
        Other conventions at a kink that are right too.
    accept_error : tuple of exception types
        Exceptions that are right too.
    differences : bool
        Whether central differences confirm ``expected``: not at kinks, nor along other arguments than the given.
    """

    id: str
    source: str
    about: str
    fn: Callable[..., Any]
    make_args: Callable[[], Values]
    argnums: tuple[int, ...]
    expected: Values
    accept: tuple[Values, ...]
    accept_error: tuple[type[Exception], ...]
    rtol: float
    order: int
    note: str
    differences: bool

    def is_right(self, gradients: Sequence[Any]) -> bool:
        return any(self._agrees(gradients, reference) for reference in (self.expected, *self.accept))

    def _agrees(self, gradients: Sequence[Any], reference: Values) -> bool:
        return len(gradients) == len(reference) and all(
            np.shape(g) == np.shape(r) and np.allclose(g, r, rtol=self.rtol, atol=1e-9, equal_nan=True)
            for g, r in zip(gradients, reference, strict=True)
        )


CASES: list[Case] = []


def values(*items: Any) -> Values:
    return tuple(np.asarray(x) for x in items)


def case(
    id: str,
    *,
    source: str,
    about: str,
    fn: Callable[..., Any],
    make_args: Callable[[], Values],
    argnums: int | tuple[int, ...],
    expected: Any,
    accept: Sequence[Values] = (),
    accept_error: tuple[type[Exception], ...] = (),
    rtol: float = 1e-6,
    order: int = 1,
    note: str = "",
    differences: bool = True,
) -> None:
    """Add a row; an ``expected`` that is not a tuple belongs to a single argument."""
    wanted = values(*expected) if isinstance(expected, tuple) else values(expected)
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    others = tuple(accept)
    row = Case(id, source, about, fn, make_args, numbers, wanted, others, accept_error, rtol, order, note, differences)
    CASES.append(row)
