"""Elementary functions without branches, which LLVM vectorises in loops; the C library's it calls one by one.

At most 1 ulp from the exact value for exp and log, 2 for the others, 1 for those of float32 (with an f at the end, as
in C), over the whole range with subnormals, infinities, NaN and signed zeros; sin, cos and tan of more than 2**40 are
the C library's own. They are Numba functions: generated modules import them, and any function under `numba.njit` may.

>>> from srcgrad.vector_math import exp
>>> round(exp(1.0), 12)
2.718281828459
"""

from srcgrad.vector_math.arctangent import atan, atanf
from srcgrad.vector_math.circular import cos, cosf, sin, sinf, tan, tanf
from srcgrad.vector_math.error_function import erf, erff
from srcgrad.vector_math.exponential import exp, expf, expm1, expm1f, logistic, logisticf
from srcgrad.vector_math.hyperbolic import cosh, coshf, sinh, sinhf, tanh, tanhf
from srcgrad.vector_math.logarithm import log, log1p, log1pf, logf
from srcgrad.vector_math.power import pow, powf

__all__ = [
    "atan",
    "atanf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "erf",
    "erff",
    "exp",
    "expf",
    "expm1",
    "expm1f",
    "log",
    "log1p",
    "log1pf",
    "logf",
    "logistic",
    "logisticf",
    "pow",
    "powf",
    "sin",
    "sinf",
    "sinh",
    "sinhf",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
]
