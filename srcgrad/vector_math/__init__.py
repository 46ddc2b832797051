"""Elementary functions without branches, which LLVM vectorises in loops; the C library's it calls one by one.

At most 1 ulp from the exact value for exp and the logarithms, 2 for the others, 1 for those of float32 (with an f at
the end, as in C), over the whole range with subnormals, infinities, NaN and signed zeros. Two are less exact: sin, cos
and tan of more than 2**40 are the C library's own, and logaddexp has 2 ulp of its larger operand. They are Numba
functions: generated modules import them, and any function under `numba.njit` may.

>>> from srcgrad.vector_math import exp
>>> round(exp(1.0), 12)
2.718281828459
"""

from srcgrad.vector_math.arctangent import atan, atan2, atan2f, atanf
from srcgrad.vector_math.circular import cos, cosf, sin, sinf, tan, tanf
from srcgrad.vector_math.error_function import erf, erff
from srcgrad.vector_math.exponential import exp, exp2, exp2f, expf, expm1, expm1f, logistic, logisticf
from srcgrad.vector_math.hyperbolic import cosh, coshf, sinh, sinhf, tanh, tanhf
from srcgrad.vector_math.hypotenuse import hypot, hypotf
from srcgrad.vector_math.logarithm import log, log1p, log1pf, logf
from srcgrad.vector_math.logarithm_of_base import log2, log2f, log10, log10f
from srcgrad.vector_math.logarithm_of_sum import logaddexp, logaddexpf
from srcgrad.vector_math.power import pow, powf

__all__ = [
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "erf",
    "erff",
    "exp",
    "exp2",
    "exp2f",
    "expf",
    "expm1",
    "expm1f",
    "hypot",
    "hypotf",
    "log",
    "log1p",
    "log1pf",
    "log2",
    "log2f",
    "log10",
    "log10f",
    "logaddexp",
    "logaddexpf",
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
