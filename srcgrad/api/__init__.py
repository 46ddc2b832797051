"""The public functions and the objects they return: thin, the compiler does the work."""

from srcgrad.api.compiled import Compiled
from srcgrad.api.derivative import Derivative
from srcgrad.api.directions import Pullback
from srcgrad.api.matrices import Jacobian
from srcgrad.api.transforms import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jit,
    jvp,
    value_and_grad,
    vjp,
)

__all__ = [
    "Compiled",
    "Derivative",
    "Jacobian",
    "Pullback",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "value_and_grad",
    "vjp",
]
