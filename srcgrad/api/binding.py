"""The parameters of the user's function: how a call binds to them, and which arguments ``argnums`` means."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter
from types import FunctionType

from srcgrad.errors import ArgumentTypeError
from srcgrad.frontend.boundary.callables import python_function

Argnums = int | Sequence[int]
Path = tuple[int, ...]  # a parameter's position; for an argument taken by *args its position in there too


@dataclass(frozen=True)
class Parameters:
    """The parameters of a function, in order."""

    name: str
    rows: tuple[Parameter, ...]

    @property
    def variadic(self) -> bool:
        return any(p.kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD) for p in self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.rows)

    def binder(self, target: Callable[..., object]) -> Callable[..., object]:
        """A function with this very signature that calls ``target`` with one argument per parameter, in order.

        Python itself then binds keywords and defaults, and complains about a wrong call in its own words.
        """
        name = self.name if self.name.isidentifier() else "function"
        defaults = {f"_default_{k}": p.default for k, p in enumerate(self.rows) if p.default is not Parameter.empty}
        signature = inspect.Signature([_plain(p, f"_default_{k}") for k, p in enumerate(self.rows)])
        text = f"def {name}{signature}:\n    return _target_({', '.join(self.names)})\n"
        namespace: dict[str, object] = {"_target_": target, **defaults}
        exec(text, namespace)
        bound = namespace[name]
        assert isinstance(bound, FunctionType)
        bound.__qualname__ = self.name  # which Python's own complaints begin with
        return bound

    def positional_stub(self) -> Callable[..., object]:
        """A function of as many plain parameters, for Numba to count."""
        names = ", ".join(f"a{k}" for k in range(len(self.rows)))
        namespace: dict[str, object] = {}
        exec(f"def stub({names}): pass", namespace)
        stub = namespace["stub"]
        assert callable(stub)
        return stub


class _Text(str):
    """Prints bare, so that a default shows as the name under which the binder finds it."""

    __slots__ = ()
    __repr__ = str.__str__


def _plain(parameter: Parameter, default: str) -> Parameter:
    empty = Parameter.empty
    return parameter.replace(annotation=empty, default=empty if parameter.default is empty else _Text(default))


def parameters_of(function: Callable[..., object]) -> Parameters:
    """The parameters of a function, a Numba dispatcher or another derivative."""
    try:
        plain = python_function(function) or function
        # A decorator's wrapper is called as it is written, whatever functools.wraps says of it.
        signature = inspect.signature(plain, follow_wrapped=not isinstance(plain, FunctionType))
    except (TypeError, ValueError) as cause:
        raise ArgumentTypeError(
            f"srcgrad got {function!r}, which is not a Python function.",
            hint="Write a function that calls it: srcgrad reads the source of what it differentiates.",
        ) from cause
    name = getattr(function, "__name__", "function")
    return Parameters(name, tuple(p for p in signature.parameters.values() if not _settled(function, p)))


def _settled(function: Callable[..., object], parameter: Parameter) -> bool:
    """Whether a parameter is not for the caller: given by functools.partial, or an option of a library function."""
    if isinstance(function, functools.partial):
        return parameter.name in function.keywords
    package = (getattr(function, "__module__", None) or type(function).__module__).split(".")[0]
    return package in ("numpy", "scipy", "math") and parameter.default is not Parameter.empty


def argument_paths(parameters: Parameters, argnums: Argnums, given: Sequence[object]) -> tuple[Path, ...]:
    """The arguments meant by ``argnums``, as in a call with positional arguments only.

    ``given`` holds the bound value of each parameter (a tuple for ``*args``).
    """
    slots: list[Path] = []
    for position, parameter in enumerate(parameters.rows):
        if parameter.kind is Parameter.VAR_POSITIONAL:
            extra = given[position]
            assert isinstance(extra, tuple)
            slots += [(position, k) for k in range(len(extra))]
        elif parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
            slots.append((position,))
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    for number in numbers:
        if not -len(slots) <= number < len(slots):
            raise ArgumentTypeError(
                f"argnums={argnums!r}, but {parameters.name}() takes {len(slots)} positional arguments.",
                hint=f"Count from 0: the last one is {len(slots) - 1}.",
            )
    paths = tuple(slots[number] for number in numbers)
    if len(set(paths)) < len(paths):
        raise ArgumentTypeError(f"argnums={argnums!r} names an argument twice.", hint="Name each argument once.")
    return paths


def checked_argnums(argnums: object) -> Argnums:
    """``argnums`` itself if it is an int or a non-empty sequence of different ints."""
    if isinstance(argnums, int) and not isinstance(argnums, bool):
        return argnums
    numbers = tuple(argnums) if isinstance(argnums, list | tuple) else ()
    if not numbers or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        raise ArgumentTypeError(f"argnums={argnums!r}.", hint="Give an int, or a tuple of ints: argnums=(0, 2).")
    return numbers
