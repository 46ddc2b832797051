"""PyTorch's ``torch.autograd``: gradients of tensors, custom functions, and checks of both."""

from srcgrad.autograd import functional
from srcgrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from srcgrad.tensors.backward import backward, grad
from srcgrad.tensors.custom import Function
from srcgrad.tensors.modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)

__all__ = [
    "Function",
    "GradcheckError",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]
