"""Whole derivatives of functions of tensors, and their products with directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.tensors.backward import grad
from srcgrad.tensors.operations.registry import FUNCTIONS
from srcgrad.tensors.tensor import Tensor


def _leaf(inputs: Tensor) -> Tensor:
    return inputs.detach().clone().requires_grad_()  # type: ignore[no-any-return]  # a tensor


def _jacobian(output: Tensor, argument: Tensor, create_graph: bool) -> Tensor:
    rows = []
    for k in range(output.numel()):
        (row,) = grad(output.reshape(-1)[k], argument, retain_graph=True, create_graph=create_graph, allow_unused=True)
        rows.append(argument.detach() * 0 if row is None else row)
    return FUNCTIONS["stack"](rows).reshape(*output.shape, *argument.shape)  # type: ignore[no-any-return]  # a tensor


def jacobian(func: Callable[..., Any], inputs: Tensor, create_graph: bool = False) -> Tensor:
    """The derivative of each element of ``func(inputs)`` by each element of ``inputs``.

    Examples
    --------
    >>> srcgrad.autograd.functional.jacobian(lambda x: x**2, srcgrad.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    argument = inputs if create_graph else _leaf(inputs)
    return _jacobian(func(argument), argument, create_graph)


def hessian(func: Callable[..., Any], inputs: Tensor) -> Tensor:
    """The second derivatives of a number.

    Examples
    --------
    >>> srcgrad.autograd.functional.hessian(lambda x: (x**3).sum(), srcgrad.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    argument = _leaf(inputs)
    (first,) = grad(func(argument), argument, create_graph=True)
    assert first is not None
    return _jacobian(first, argument, create_graph=False)


def vjp(func: Callable[..., Any], inputs: Tensor, v: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
    """``func(inputs)`` and the product of ``v`` with its Jacobian."""
    argument = _leaf(inputs)
    output = func(argument)
    (found,) = grad(output, argument, v, allow_unused=True)
    return output.detach(), found


def hvp(func: Callable[..., Any], inputs: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
    """``func(inputs)`` and the product of its Hessian with ``v``."""
    argument = _leaf(inputs)
    output = func(argument)
    (first,) = grad(output, argument, create_graph=True)
    assert first is not None
    (found,) = grad((first * v).sum(), argument, allow_unused=True)
    return output.detach(), found
