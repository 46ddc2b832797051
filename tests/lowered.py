"""Run a function through the front end and the interpreter, beside Python itself."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from interpreter import run

import srcgrad.library  # noqa: F401  # fills the registry, as the compiler does
from srcgrad.api.marshal import rebuilder
from srcgrad.frontend.boundary.known import of_unequal_extents, stretched
from srcgrad.frontend.boundary.pytree import describe, flatten
from srcgrad.frontend.lower import Lowered, lower
from srcgrad.ir.verify import verify
from srcgrad.primitives.table import infer


def lowered(function: Callable[..., Any], *args: Any, wide: bool = False, **kwargs: Any) -> tuple[Lowered, list[Any]]:
    """The lowered function, and the leaves it takes for these arguments; ``wide`` lets extents of 1 meet others."""
    target = getattr(function, "py_func", function)
    bound = inspect.signature(target).bind(*args, **kwargs)
    bound.apply_defaults()
    values = tuple(bound.arguments.values())
    structures = tuple(describe(v) for v in values)
    result = lower(function, stretched(structures) if wide else structures)
    verify(result.function, infer)
    return result, [*flatten(values), *(capture.read() for capture in result.hidden)]


def through_ir(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The value of a call, computed by the interpreter; arrays are changed in place as Python changes them."""
    result, leaves = lowered(function, *args, **kwargs)
    try:
        with np.errstate(all="ignore"):
            flat = run(result.function, *leaves)
    except ValueError as error:
        if not of_unequal_extents(*error.args):
            raise
        result, leaves = lowered(function, *args, wide=True, **kwargs)
        with np.errstate(all="ignore"):
            flat = run(result.function, *leaves)
    return rebuilder(result.result)(flat[0] if len(flat) == 1 else flat)


def check(function: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """The same value and the same changed arguments as Python gives, or the same exception."""
    theirs, ours = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    with np.errstate(all="ignore"):
        try:
            wanted = function(*theirs[0], **theirs[1])
        except Exception as raised:
            error = type(raised)
        else:
            same(through_ir(function, *ours[0], **ours[1]), wanted)
            same(ours, theirs)
            return
    try:
        through_ir(function, *ours[0], **ours[1])
    except error:
        return
    raise AssertionError(f"{function.__name__} should raise {error.__name__}")


def same(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        same(list(ours.values()), list(theirs.values()))
    elif isinstance(theirs, tuple | list):
        assert type(ours) is type(theirs) and len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            same(a, b)
    elif isinstance(theirs, bool | int | float | complex | np.generic | np.ndarray):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)
        assert np.asarray(ours).dtype.itemsize == np.asarray(theirs).dtype.itemsize or not isinstance(
            theirs, np.generic | np.ndarray
        )
    else:
        assert type(ours) is type(theirs)
        same(getattr(ours, "__dict__", None) or {}, getattr(theirs, "__dict__", None) or {})
