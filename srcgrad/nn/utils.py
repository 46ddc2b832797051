"""Gradients within bounds, and parameters as one vector: `torch.nn.utils`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from srcgrad.tensors.operations.registry import FUNCTIONS
from srcgrad.tensors.tensor import Tensor, leaf


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale gradients in place so that their norm, all taken together, is at most ``max_norm``.

    Parameters
    ----------
    parameters : tensor or tensors
        Those without a gradient are left out.
    max_norm : float
    norm_type : float
        The p of the norm; infinity is the largest magnitude.
    error_if_nonfinite : bool
        Raise RuntimeError if the norm is NaN or infinite.

    Returns
    -------
    Tensor
        The norm before.
    """
    gradients = _gradients(parameters)
    if not gradients:
        return leaf(np.zeros((), np.float32))
    values = [gradient.array() for gradient in gradients]
    norms = np.array([np.linalg.norm(v.ravel(), norm_type) for v in values], values[0].dtype)
    total = np.linalg.norm(norms, norm_type).astype(values[0].dtype)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    scale = max_norm / (total + 1e-6)
    if not scale >= 1.0:
        for gradient, value in zip(gradients, values, strict=True):
            gradient.set_value(value * value.dtype.type(scale))
    return leaf(np.asarray(total))


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Bring each element of the gradients between ``-clip_value`` and ``clip_value``, in place."""
    for gradient in _gradients(parameters):
        gradient.set_value(np.clip(gradient.array(), -float(clip_value), float(clip_value)))


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    several = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in several if p.grad is not None]


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements one after the other."""
    return FUNCTIONS["cat"]([p.reshape(-1) for p in parameters])  # type: ignore[no-any-return]  # a tensor


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """The other way: set the parameters from such a vector."""
    values, start = vec.detach().array(), 0
    for parameter in parameters:
        stop = start + parameter.numel()
        parameter.set_value(values[start:stop].reshape(parameter.shape))
        start = stop
