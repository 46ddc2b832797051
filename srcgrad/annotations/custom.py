"""Functions whose derivative the user gives: ``custom_vjp``, ``custom_jvp``, ``stop_gradient``.

The names and forms of calls are JAX's. Outside of srcgrad's functions such a function is the function it was made of.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Rule = Callable[..., Any]


class Ruled:
    """What both kinds share: the function, and which of its arguments carry no derivative."""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] | int = ()) -> None:
        if not callable(fun):
            raise TypeError(f"{type(self).__name__} takes a function, got {fun!r}")
        functools.update_wrapper(self, fun)
        self.fun = fun
        self.nondiff_argnums = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else tuple(nondiff_argnums)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fun(*args, **kwargs)

    def __reduce__(self) -> str | tuple[Any, ...]:
        return str(self.fun.__qualname__)


class custom_vjp(Ruled):  # noqa: N801  (JAX's name)
    """A function whose derivative in reverse mode is given by two others.

    Parameters
    ----------
    fun : callable
        The function; it may not write to its arguments.
    nondiff_argnums : sequence of int, optional
        Arguments that carry no derivative. ``bwd`` is given them first.

    See Also
    --------
    custom_jvp : A rule that serves both modes.

    Notes
    -----
    Forward mode cannot use such a rule, and says so. ``hessian``, which is forward mode over reverse mode, can: it
    differentiates ``fwd`` and ``bwd``.

    Examples
    --------
    >>> import numpy as np
    >>> from srcgrad import custom_vjp, grad
    >>> @custom_vjp
    ... def clipped(x, limit):
    ...     return x
    >>> def clipped_fwd(x, limit):
    ...     return x, limit
    >>> def clipped_bwd(limit, ct):
    ...     return min(max(ct, -limit), limit), None
    >>> clipped.defvjp(clipped_fwd, clipped_bwd)
    >>> grad(lambda x: 10.0 * clipped(x, 2.0), jit=False)(1.0)
    2.0
    """

    fwd: Rule | None = None
    bwd: Rule | None = None

    def defvjp(self, fwd: Rule, bwd: Rule) -> None:
        """Give the rule.

        Parameters
        ----------
        fwd : callable
            Takes the arguments; returns the result and what ``bwd`` needs of the forward sweep.
        bwd : callable
            Takes the arguments named by ``nondiff_argnums``, what ``fwd`` kept, and the cotangent of the result;
            returns a tuple with the cotangent of each other argument, None for none.
        """
        self.fwd, self.bwd = fwd, bwd


class custom_jvp(Ruled):  # noqa: N801  (JAX's name)
    """A function whose derivative is given by another, which serves forward mode and, transposed, reverse mode.

    Parameters
    ----------
    fun : callable
        The function; it may not write to its arguments.
    nondiff_argnums : sequence of int, optional
        Arguments that carry no derivative. The rule is given them first.

    See Also
    --------
    custom_vjp : A rule for reverse mode alone.

    Examples
    --------
    >>> import numpy as np
    >>> from srcgrad import custom_jvp, grad
    >>> @custom_jvp
    ... def softplus(x):
    ...     return np.logaddexp(x, 0.0)
    >>> @softplus.defjvp
    ... def softplus_jvp(primals, tangents):
    ...     (x,), (x_dot,) = primals, tangents
    ...     return softplus(x), x_dot / (1.0 + np.exp(-x))
    >>> grad(softplus, jit=False)(0.0)
    0.5
    """

    jvp: Rule | None = None

    def defjvp(self, jvp: Rule) -> Rule:
        """Give the rule, which takes the tuple of arguments and that of their tangents.

        It returns the result and its tangent, which must be linear in the tangents. May be used as a decorator.
        """
        self.jvp = jvp
        return jvp


def stop_gradient(x: T) -> T:
    """The argument as it is, but constant to every derivative.

    Parameters
    ----------
    x : number, array, or containers of these
        Left as it is.

    Returns
    -------
    The same; an array inside a differentiated function comes as a copy.

    Examples
    --------
    >>> from srcgrad import grad, stop_gradient
    >>> grad(lambda x: x * stop_gradient(x), jit=False)(3.0)
    3.0
    """
    return x
