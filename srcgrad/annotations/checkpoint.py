"""``checkpoint``: which loops keep their state now and then only, and which functions are run again.

For a function the name and meaning are JAX's and PyTorch's. Outside of srcgrad's functions it changes nothing.
"""

from __future__ import annotations

from typing import TypeVar

from srcgrad.annotations.custom import Ruled

T = TypeVar("T")


class Checkpointed(Ruled):
    """A function whose values the reverse sweep computes again, from its arguments."""


def checkpoint(what: T, budget: int | str | None = None) -> T:
    """Trade time for memory in the reverse sweep: through a loop, or through a call of a function.

    Parameters
    ----------
    what : range, or anything else that a counted loop may run over; or callable
        Of a loop the state is kept at the start of some iterations only, and what is in between computed again.
        Of a function nothing is kept but its arguments: it is run again in the reverse sweep, as by `jax.checkpoint`.
    budget : int or str, optional
        How much memory a loop may use, in bytes or as ``"64MB"``; by default the option ``checkpoint`` of the
        derivative. How often an iteration is run again follows from it: once as a rule, more often where the budget
        is small, by the schedule of Griewank and Walther (2000), which is the best there is.

    Returns
    -------
    The same, to be looped over or called.

    Examples
    --------
    >>> import numpy as np
    >>> import srcgrad
    >>> def last(x):
    ...     for t in srcgrad.checkpoint(range(10), budget="1kB"):
    ...         x = x + 0.1 * np.sin(x)
    ...     return x
    >>> def plainly(x):
    ...     for t in range(10):
    ...         x = x + 0.1 * np.sin(x)
    ...     return x
    >>> bool(srcgrad.grad(last, jit=False)(1.0) == srcgrad.grad(plainly, jit=False)(1.0))
    True
    """
    if callable(what):
        return Checkpointed(what)  # type: ignore[return-value]  # it is called as the function is
    return what
