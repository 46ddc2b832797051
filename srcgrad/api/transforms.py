"""The public functions: gradients, products with Jacobians, and the compiled primal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Unpack, overload

from srcgrad.api.binding import Argnums, checked_argnums
from srcgrad.api.compiled import Compiled
from srcgrad.api.derivative import Derivative
from srcgrad.api.directions import Jvp, Pullback, Vjp
from srcgrad.api.matrices import Jacobian
from srcgrad.api.plans import Gradient, Primal
from srcgrad.errors import ArgumentTypeError, AtTheCall
from srcgrad.frontend.boundary.pytree import function_key
from srcgrad.frontend.boundary.structure import Static
from srcgrad.settings import Options, OptionValues

Function = Callable[..., object]


@overload
def grad(
    f: Function,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Derivative: ...
@overload
def grad(
    f: None = None,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Callable[[Function], Derivative]: ...
def grad(
    f: Function | None = None,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Derivative | Callable[[Function], Derivative]:
    """The function that computes the gradient of ``f``.

    Parameters
    ----------
    f : function
        A Python function, or one under ``numba.njit``, that returns one real number. Left out, the result is a
        decorator.
    argnums : int or tuple of int
        The positional arguments to differentiate with respect to; negative numbers count from the last.
    has_aux : bool
        ``f`` returns a pair, the number to differentiate and anything else, which is handed through.
    holomorphic : bool
        ``f`` is a holomorphic function of complex arguments, and its complex derivative is asked for. Without it the
        result is real, and the gradient by a complex argument ``x + iy`` is ``df/dx - i df/dy``.
    **options
        See `srcgrad.settings.Options`.

    Returns
    -------
    Derivative
        A function of the same arguments. An int ``argnums`` gives the gradient, a tuple gives a tuple of them;
        each has the structure, the shapes and the dtypes of its argument, with None in the place of what is
        not floating point. With ``has_aux`` it returns ``(gradient, aux)``. Its attribute ``value_and_grad``
        gives the value too, ``primal`` is the compiled ``f``, and ``backward_source`` shows the generated code.

    Raises
    ------
    ArgumentTypeError
        If ``f`` returns something else than one real number (see `vjp` for those), or an argument among
        ``argnums`` is an integer.
    Error
        If ``f`` is outside the language; the message names the line and what to write instead.

    Examples
    --------
    >>> def energy(x, k):
    ...     total = 0.0
    ...     for i in range(x.shape[0]):
    ...         total += 0.5 * k * x[i] ** 2
    ...     return total
    >>> grad(energy)(np.array([1.0, 2.0]), 3.0)
    array([3., 6.])
    >>> grad(energy, argnums=(0, 1))(np.array([1.0, 2.0]), 3.0)
    (array([3., 6.]), 2.5)
    >>> grad(lambda z: abs(z) ** 2)(1.0 + 2.0j)
    (2-4j)
    >>> grad(lambda z: z * z, holomorphic=True)(1.0 + 2.0j)
    (2+4j)
    """
    return _decorate(f, Gradient(checked_argnums(argnums), has_aux, holomorphic=holomorphic), options)


@overload
def value_and_grad(
    f: Function,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Derivative: ...
@overload
def value_and_grad(
    f: None = None,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Callable[[Function], Derivative]: ...
def value_and_grad(
    f: Function | None = None,
    /,
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    **options: Unpack[OptionValues],
) -> Derivative | Callable[[Function], Derivative]:
    """The function that computes ``f`` and its gradient in one sweep.

    Parameters and errors are those of `grad`.

    Returns
    -------
    Derivative
        A function that returns ``(value, gradient)``; with ``has_aux``, ``((value, aux), gradient)``.

    Examples
    --------
    >>> value_and_grad(lambda x: x * x)(3.0)
    (9.0, 6.0)
    """
    plan = Gradient(checked_argnums(argnums), has_aux, with_value=True, holomorphic=holomorphic)
    return _decorate(f, plan, options)


@overload
def jit(f: Function, /, **options: Unpack[OptionValues]) -> Compiled: ...
@overload
def jit(f: None = None, /, **options: Unpack[OptionValues]) -> Callable[[Function], Compiled]: ...
def jit(f: Function | None = None, /, **options: Unpack[OptionValues]) -> Compiled | Callable[[Function], Compiled]:
    """``f`` itself through the same compiler: fused array expressions, checked indexing, effects kept.

    Parameters
    ----------
    f : function
        Left out, the result is a decorator.
    **options
        See `srcgrad.settings.Options`.

    Examples
    --------
    >>> jit(lambda x, y: x * y)(3.0, 4.0)
    12.0
    """
    made = make_options(options)
    if f is None:
        return lambda function: Compiled(function, Primal(), made)
    return Compiled(f, Primal(), made)


def jvp(
    f: Function, primals: Sequence[object], tangents: Sequence[object], **options: Unpack[OptionValues]
) -> tuple[object, object]:
    """The value of ``f`` and its derivative along a direction, by forward mode.

    Parameters
    ----------
    f : function
        Any function of the language, with any structure of results.
    primals : tuple
        Its positional arguments.
    tangents : tuple
        The direction: of the same structure, shapes and dtypes as ``primals``; None in the place of what is not
        floating point, or is held fixed.

    Returns
    -------
    (result, tangent)
        What ``f`` returns, and its directional derivative, of the same structure.

    Examples
    --------
    >>> jvp(lambda x, y: x * y, (3.0, 4.0), (1.0, 0.0))
    (12.0, 4.0)
    """
    with AtTheCall():
        code = _jvp(Static(f, function_key(f)), make_options(options))
        return code(several(primals, "primals"), several(tangents, "tangents"))


def vjp(f: Function, *primals: object, **options: Unpack[OptionValues]) -> tuple[object, Pullback]:
    """The value of ``f`` and its pullback, by reverse mode.

    Parameters
    ----------
    f : function
        Any function of the language, with any structure of results.
    *primals
        Its arguments.

    Returns
    -------
    (result, pullback)
        What ``f`` returns, and a function from a cotangent (of the structure, shapes and dtypes of the result) to
        a tuple of gradients, one per argument. It may be called many times; the arguments and the result may
        change in between.

    Examples
    --------
    >>> result, pullback = vjp(lambda x, y: (x * y, x + y), 3.0, 4.0)
    >>> result, pullback((1.0, 0.0))
    ((12.0, 7.0), (4.0, 3.0))
    """
    with AtTheCall():
        return _vjp(Static(f, function_key(f)), make_options(options))(primals)


def jacfwd(f: Function, argnums: int = 0, holomorphic: bool = False, **options: Unpack[OptionValues]) -> Jacobian:
    """The function that computes the Jacobian of ``f`` column by column, in forward mode; see `jacobian`."""
    return Jacobian(f, _one(argnums), make_options(options), "fwd", holomorphic)


def jacrev(f: Function, argnums: int = 0, holomorphic: bool = False, **options: Unpack[OptionValues]) -> Jacobian:
    """The function that computes the Jacobian of ``f`` row by row, in reverse mode; see `jacobian`."""
    return Jacobian(f, _one(argnums), make_options(options), "rev", holomorphic)


def jacobian(f: Function, argnums: int = 0, holomorphic: bool = False, **options: Unpack[OptionValues]) -> Jacobian:
    """The function that computes the Jacobian of ``f``, in the mode that takes fewer directions.

    Parameters
    ----------
    f : function
        Returns a float or an array of floats.
    argnums : int
        The argument to differentiate with respect to, a float or an array of floats.
    holomorphic : bool
        Argument and result are complex and the function is holomorphic. Without it a complex result has to belong
        to a real argument (forward mode) and a complex argument to a real result (reverse mode).
    **options
        As for `grad`.

    Returns
    -------
    Jacobian
        A function of the same arguments; its result has the shape of the result of ``f`` followed by the shape of
        the argument.

    Examples
    --------
    >>> jacobian(lambda x: np.array([x[0] * x[1], x[1]]))(np.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 1.]])
    """
    return Jacobian(f, _one(argnums), make_options(options), "auto", holomorphic)


def hessian(f: Function, argnums: int = 0, **options: Unpack[OptionValues]) -> Jacobian:
    """The function that computes the Hessian of ``f``, forward over reverse.

    Parameters
    ----------
    f : function
        Returns one real number.
    argnums : int
        The argument to differentiate with respect to, a float or an array of floats.
    **options
        As for `grad`.

    Returns
    -------
    Jacobian
        A function of the same arguments; its result has the shape of the argument twice.

    Examples
    --------
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    made = make_options(options)
    return Jacobian(Derivative(f, Gradient(_one(argnums)), made), argnums, made, "fwd")


def hvp(f: Function, primals: Sequence[object], tangents: Sequence[object], **options: Unpack[OptionValues]) -> object:
    """The product of the Hessian of ``f`` with a direction, forward over reverse, without the Hessian.

    Parameters
    ----------
    f : function
        Returns one real number.
    primals, tangents : tuple
        As for `jvp`.

    Returns
    -------
    gradient-like
        For one primal the product itself, for several a tuple.

    Examples
    --------
    >>> hvp(lambda x: x[0] ** 2 * x[1], (np.array([2.0, 3.0]),), (np.array([1.0, 0.0]),))
    array([6., 4.])
    """
    with AtTheCall():
        arguments, directions = several(primals, "primals"), several(tangents, "tangents")
        argnums = 0 if len(arguments) == 1 else tuple(range(len(arguments)))
        code = _hvp(Static(f, function_key(f)), argnums, make_options(options))
        return code(arguments, directions)[1]


def several(values: Sequence[object], what: str) -> tuple[object, ...]:
    """The arguments of a call, given as a tuple; a lone array would count as one argument per row."""
    if not isinstance(values, tuple | list):
        hint = "Write a tuple of one entry per argument, (x,) for a function of one."
        raise ArgumentTypeError(f"{what} is a {type(values).__name__}, not a tuple.", hint=hint)
    return tuple(values)


def _one(argnums: object) -> int:
    if not isinstance(argnums, int) or isinstance(argnums, bool):
        raise ArgumentTypeError(f"argnums={argnums!r}.", hint="A Jacobian takes one argument: give an int.")
    return argnums


def _decorate(
    f: Function | None, plan: Gradient, options: OptionValues
) -> Derivative | Callable[[Function], Derivative]:
    made = make_options(options)
    if f is None:
        return lambda function: Derivative(function, plan, made)
    return Derivative(f, plan, made)


# One-shot calls find their compiled code again by what the function says, so that a lambda compiles once.


@lru_cache(maxsize=512)
def _jvp(function: Static, options: Options) -> Jvp:
    assert callable(function.value)
    return Jvp(function.value, options)


@lru_cache(maxsize=512)
def _vjp(function: Static, options: Options) -> Vjp:
    assert callable(function.value)
    return Vjp(function.value, options)


@lru_cache(maxsize=512)
def _hvp(function: Static, argnums: Argnums, options: Options) -> Jvp:
    assert callable(function.value)
    return Jvp(Derivative(function.value, Gradient(argnums), options), options)


def make_options(options: OptionValues) -> Options:
    """The options given by name, or the error that lists them."""
    known = [f.name for f in fields(Options)]
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise ArgumentTypeError(f"There is no option {unknown!r}.", hint=f"The options are {', '.join(known)}.")
    made = Options(**options)
    if isinstance(made.fastmath, bool):
        return made
    return replace(made, fastmath=frozenset(made.fastmath))  # a set would do in njit, so it does here
