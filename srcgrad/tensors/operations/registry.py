"""The tables of operations by name: functions of the namespace, methods of tensors, and their in-place forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from srcgrad.tensors.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def operation(*names: str, in_place: bool = False, method: bool = True, function: bool = True) -> Callable[[F], F]:
    """Register a function under its names, in the namespace and as a method; with ``in_place`` also ``name_``."""

    def register(made: F) -> F:
        for name in names or (made.__name__.rstrip("_"),):
            if function:
                FUNCTIONS[name] = made
            if method:
                setattr(Tensor, name, made)
            if in_place:
                setattr(Tensor, f"{name}_", in_place_form(made, name))
        return made

    return register


def in_place_form(made: Callable[..., Any], name: str) -> Callable[..., Tensor]:
    """The method that gives its tensor the result."""

    def update(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return take_on(self, made(self, *args, **kwargs))

    update.__name__ = f"{name}_"
    update.__doc__ = f"In-place form of `{name}`."
    return update


def take_on(target: Tensor, result: Tensor) -> Tensor:
    """Let a tensor be ``result``, in its own dtype and shape."""
    if result.shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    node = result.node
    if node.dtype != target.node.dtype:
        from srcgrad.tensors.dtypes import category
        from srcgrad.tensors.operations.operands import cast

        if category(node.dtype) > category(target.node.dtype):
            raise RuntimeError(
                f"result type {result.dtype.name} can't be cast to the desired output type {target.dtype.name}"
            )
        node = cast(node, target.node.dtype)
    return target.become(node)
