"""Losses as modules."""

from __future__ import annotations

from typing import Any

from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.tensors.tensor import Tensor


class _Loss(Module):
    """A loss; ``reduction`` is "mean", "sum" or "none"."""

    function: Any = None

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return type(self).function(input, target, reduction=self.reduction)  # type: ignore[no-any-return]  # a tensor


class MSELoss(_Loss):
    """The mean square of the difference."""

    function = staticmethod(functional.mse_loss)


class L1Loss(_Loss):
    function = staticmethod(functional.l1_loss)


class SmoothL1Loss(_Loss):
    function = staticmethod(functional.smooth_l1_loss)


class HuberLoss(_Loss):
    function = staticmethod(functional.huber_loss)


class BCELoss(_Loss):
    function = staticmethod(functional.binary_cross_entropy)


class BCEWithLogitsLoss(_Loss):
    function = staticmethod(functional.binary_cross_entropy_with_logits)


class NLLLoss(_Loss):
    """Minus the log-probability of the class; ``weight`` is one number for each class."""

    function = staticmethod(functional.nll_loss)

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.nll_loss(input, target, self.weight, self.reduction)


class CrossEntropyLoss(NLLLoss):
    """The same from logits."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__(weight, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(input, target, self.weight, self.reduction, self.label_smoothing)
