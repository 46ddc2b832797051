"""Derivatives of functions of tensors against differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from srcgrad.tensors.backward import grad
from srcgrad.tensors.random import randn_like
from srcgrad.tensors.tensor import Tensor, leaf


class GradcheckError(RuntimeError):
    """A derivative that differs from the quotient of differences."""


def gradcheck(
    func: Callable[..., object],
    inputs: Tensor | Sequence[object],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare the gradients of ``func`` with central differences.

    Parameters
    ----------
    func : function
        From tensors to a tensor or several.
    inputs : tensors
        float64; those that require a gradient are checked.
    eps, atol, rtol : float
        The step, and the tolerances of the comparison.
    raise_exception : bool
        Raise GradcheckError for a difference; otherwise return False.

    Examples
    --------
    >>> x = srcgrad.tensor([0.5, 2.0], dtype=srcgrad.float64, requires_grad=True)
    >>> srcgrad.autograd.gradcheck(lambda x: x.sin() * x, (x,))
    True
    """
    arguments: list[object] = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    outputs = _several(func(*arguments))
    for i, output in enumerate(outputs):
        if not output.requires_grad:
            continue
        for j, argument in enumerate(arguments):
            if isinstance(argument, Tensor) and argument.requires_grad:
                analytic = _analytic(output, argument)
                numeric = _numeric(func, arguments, i, j, eps)
                if not np.allclose(analytic, numeric, rtol, atol, equal_nan=True):
                    if raise_exception:
                        raise GradcheckError(
                            f"Jacobian mismatch for output {i} with respect to input {j},\nnumerical:{numeric}\n"
                            f"analytical:{analytic}\n"
                        )
                    return False
    return True


def gradgradcheck(
    func: Callable[..., object],
    inputs: Tensor | Sequence[object],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Compare the gradients of the gradients of ``func`` with central differences; see `gradcheck`."""
    arguments = [inputs] if isinstance(inputs, Tensor) else list(inputs)
    outputs = [o for o in _several(func(*arguments)) if o.requires_grad]
    if grad_outputs is None:
        cotangents = [randn_like(o.detach()).requires_grad_() for o in outputs]
    else:
        cotangents = _several(grad_outputs)
    count = len(arguments)

    def gradients(*both: object) -> tuple[Tensor, ...]:
        given = both[:count]
        results = [o for o in _several(func(*given)) if o.requires_grad]
        wanted = [a for a in given if isinstance(a, Tensor) and a.requires_grad]
        found = grad(results, wanted, list(both[count:]), create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None and g.requires_grad)

    return gradcheck(
        gradients, [*arguments, *cotangents], eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception
    )


def _several(outputs: object) -> list[Tensor]:
    return [outputs] if isinstance(outputs, Tensor) else [o for o in outputs if isinstance(o, Tensor)]  # type: ignore[attr-defined]  # a tuple


def _analytic(output: Tensor, argument: Tensor) -> np.ndarray:
    """The Jacobian, a row for each element of the output."""
    rows = []
    for k in range(output.numel()):
        direction = np.zeros(output.numel(), output.dtype.numpy)
        direction[k] = 1
        (row,) = grad(output, argument, leaf(direction.reshape(output.shape)), retain_graph=True, allow_unused=True)
        rows.append(np.zeros(argument.numel()) if row is None else row.detach().numpy().reshape(-1))
    return np.array(rows).reshape(output.numel(), argument.numel())


def _numeric(func: Callable[..., object], arguments: list[object], i: int, j: int, eps: float) -> np.ndarray:
    argument = arguments[j]
    assert isinstance(argument, Tensor)
    columns = []
    for k in range(argument.numel()):
        values = []
        for step in (eps, -eps):
            moved = np.array(argument.detach().numpy())
            moved.reshape(-1)[k] += step
            replaced = [*arguments[:j], leaf(moved, requires_grad=True), *arguments[j + 1 :]]
            values.append(_several(func(*replaced))[i].detach().numpy())
        columns.append((values[0] - values[1]).reshape(-1) / (2 * eps))
    return np.array(columns).T.reshape(-1, argument.numel())
