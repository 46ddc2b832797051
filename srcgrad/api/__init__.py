"""The public functions and the objects they return: thin, the compiler does the work."""

from srcgrad.api.compiled import Compiled
from srcgrad.api.derivative import Derivative
from srcgrad.api.directions import Pullback
from srcgrad.api.transforms import grad, jit, jvp, value_and_grad, vjp

__all__ = ["Compiled", "Derivative", "Pullback", "grad", "jit", "jvp", "value_and_grad", "vjp"]
