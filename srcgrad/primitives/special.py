"""Special functions, as scipy.special has them. In each rule y is the primitive's own result.

Their values come from functions of our own (`bessel`, `modified_bessel`, `gamma_functions`), whose source goes into
the generated module: compiled code cannot call SciPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from srcgrad.primitives import (
    bessel,
    bessel_any_order,
    chebyshev,
    fractional_bessel,
    gamma_functions,
    modified_bessel,
    scaled_error_function,
    special_integrals,
)
from srcgrad.primitives.bessel import bessel_j0, bessel_j1, bessel_jn, bessel_y0, bessel_y1, bessel_yn
from srcgrad.primitives.bessel_any_order import bessel_jv, bessel_yv
from srcgrad.primitives.elementary import digamma, slope_of_abs
from srcgrad.primitives.fractional_bessel import (
    generalised_exponential_integral,
    scaled_iv,
    scaled_kv,
    unscaled_iv,
    unscaled_kv,
)
from srcgrad.primitives.gamma_functions import (
    binomial,
    exponential_integral,
    exponential_integral_1,
    hurwitz_zeta,
    incomplete_beta,
    inverse_erf,
    inverse_erfc,
    inverse_incomplete_beta,
    inverse_lower_gamma,
    lower_gamma,
    normal_quantile,
    polygamma_of,
    student_distribution,
    upper_gamma,
)
from srcgrad.primitives.modified_bessel import (
    bessel_i0,
    bessel_i0e,
    bessel_i1,
    bessel_i1e,
    bessel_k0,
    bessel_k0e,
    bessel_k1,
    bessel_k1e,
)
from srcgrad.primitives.scalar import scalar
from srcgrad.primitives.scaled_error_function import scaled_erfc
from srcgrad.primitives.special_integrals import dawson, lambert, owen, owen_beyond, student_quantile

# All functions whose source may be needed in a generated module, by name.
SOURCES: dict[str, Callable[..., float]] = {
    name: f
    for module in (
        bessel,
        bessel_any_order,
        chebyshev,
        fractional_bessel,
        gamma_functions,
        modified_bessel,
        scaled_error_function,
        special_integrals,
    )
    for name, f in vars(module).items()
    if getattr(f, "__module__", "") == module.__name__
}
# The primitive -> the function that it is.
SPECIAL: dict[str, Callable[..., float]] = {}


def special(
    name: str,
    function: Callable[..., float],
    partials: Callable[..., object],
    *,
    operands: int = 1,
    singular: bool = False,
    passive: tuple[int, ...] = (),
) -> None:
    """Add a row; with respect to ``passive`` operands there is no derivative."""
    inside = ", ".join(f"{{{k}}}" for k in range(operands))
    template = f"{function.__name__}({inside})"
    scalar(name, template, partials, functions=(function,), singular=singular, passive=passive, cost=60)
    SPECIAL[name] = function


# Bessel functions. Those of order 1 vanish at 0 with slope one half.
special("j0", bessel_j0, lambda x, y: -bessel_j1(x))
special("j1", bessel_j1, lambda x, y: bessel_j0(x) - y / x if x != 0.0 else 0.5)
special("y0", bessel_y0, lambda x, y: -bessel_y1(x), singular=True)
special("y1", bessel_y1, lambda x, y: bessel_y0(x) - y / x, singular=True)
special("i0", bessel_i0, lambda x, y: bessel_i1(x), singular=True)
special("i1", bessel_i1, lambda x, y: bessel_i0(x) - y / x if x != 0.0 else 0.5, singular=True)
special("i0e", bessel_i0e, lambda x, y: bessel_i1e(x) - slope_of_abs(x) * y)
special("i1e", bessel_i1e, lambda x, y: bessel_i0e(x) - y * (slope_of_abs(x) + 1.0 / x) if x != 0.0 else 0.5)
special("k0", bessel_k0, lambda x, y: -bessel_k1(x), singular=True)
special("k1", bessel_k1, lambda x, y: -bessel_k0(x) - y / x, singular=True)
special("k0e", bessel_k0e, lambda x, y: y - bessel_k1e(x), singular=True)
special("k1e", bessel_k1e, lambda x, y: y - y / x - bessel_k0e(x), singular=True)
special(
    "jn",
    bessel_jn,
    lambda n, x, y: (0.0, 0.5 * (bessel_jn(n - 1.0, x) - bessel_jn(n + 1.0, x))),
    operands=2,
    passive=(0,),
)
special(
    "yn",
    bessel_yn,
    lambda n, x, y: (0.0, 0.5 * (bessel_yn(n - 1.0, x) - bessel_yn(n + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)

# Error functions and their inverses: 2 / sqrt(pi) and sqrt(pi) / 2, sqrt(2 pi) for the normal distribution.
special("erfcx", scaled_erfc, lambda x, y: 2.0 * x * y - 1.1283791670955126, singular=True)
special("erfinv", inverse_erf, lambda x, y: 0.8862269254527580 * np.exp(y * y), singular=True)
special("erfcinv", inverse_erfc, lambda x, y: -0.8862269254527580 * np.exp(y * y), singular=True)
special("ndtri", normal_quantile, lambda x, y: 2.5066282746310002 * np.exp(0.5 * y * y), singular=True)

# Gamma functions. Incomplete ones have derivatives with respect to the limit of the integral alone.
special(
    "polygamma",
    polygamma_of,
    lambda n, x, y: (0.0, polygamma_of(n + 1.0, x)),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "zeta", hurwitz_zeta, lambda s, q, y: (0.0, -s * hurwitz_zeta(s + 1.0, q)), operands=2, passive=(0,), singular=True
)


def gamma_density(a: float, x: float) -> float:
    """The slope of the regularised lower incomplete gamma function; at 0 its power has the right derivatives."""
    if x == 0.0:
        return x ** (a - 1.0) * np.exp(-x - math.lgamma(a))  # type: ignore[no-any-return]  # NumPy of a float
    return np.exp((a - 1.0) * np.log(x) - x - math.lgamma(a))  # type: ignore[no-any-return]  # NumPy of a float


def beta_density(a: float, b: float, x: float) -> float:
    """The slope of the regularised incomplete beta function; its power is taken where it may be of 0."""
    norm = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b))  # a Python number: float32 stays
    return norm * x ** (a - 1.0) * (1.0 - x) ** (b - 1.0)  # type: ignore[no-any-return]  # as above


special("gammainc", lower_gamma, lambda a, x, y: (0.0, gamma_density(a, x)), operands=2, passive=(0,), singular=True)
special("gammaincc", upper_gamma, lambda a, x, y: (0.0, -gamma_density(a, x)), operands=2, passive=(0,), singular=True)
special(
    "betainc",
    incomplete_beta,
    lambda a, b, x, y: (0.0, 0.0, beta_density(a, b, x)),
    operands=3,
    passive=(0, 1),
    singular=True,
)
special(
    "binom",
    binomial,
    lambda n, k, y: (
        y * (digamma(n + 1.0) - digamma(n - k + 1.0)),
        y * (digamma(n - k + 1.0) - digamma(k + 1.0)),
    ),
    operands=2,
    singular=True,
)
special("exp1", exponential_integral_1, lambda x, y: -np.exp(-x) / x, singular=True)
special("expi", exponential_integral, lambda x, y: np.exp(x) / x, singular=True)
special(
    "expn",
    generalised_exponential_integral,
    lambda n, x, y: (0.0, -generalised_exponential_integral(n - 1.0, x)),
    operands=2,
    passive=(0,),
    singular=True,
)

# Bessel functions of any order, by which there is no derivative.
special(
    "jv",
    bessel_jv,
    lambda v, x, y: (0.0, 0.5 * (bessel_jv(v - 1.0, x) - bessel_jv(v + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "yv",
    bessel_yv,
    lambda v, x, y: (0.0, 0.5 * (bessel_yv(v - 1.0, x) - bessel_yv(v + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "iv",
    unscaled_iv,
    lambda v, x, y: (0.0, 0.5 * (unscaled_iv(v - 1.0, x) + unscaled_iv(v + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "kv",
    unscaled_kv,
    lambda v, x, y: (0.0, -0.5 * (unscaled_kv(v - 1.0, x) + unscaled_kv(v + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "ive",
    scaled_iv,
    lambda v, x, y: (0.0, 0.5 * (scaled_iv(v - 1.0, x) + scaled_iv(v + 1.0, x)) - slope_of_abs(x) * y),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "kve",
    scaled_kv,
    lambda v, x, y: (0.0, y - 0.5 * (scaled_kv(v - 1.0, x) + scaled_kv(v + 1.0, x))),
    operands=2,
    passive=(0,),
    singular=True,
)


def student_density(df: float, t: float) -> float:
    norm = math.exp(math.lgamma(0.5 * df + 0.5) - math.lgamma(0.5 * df)) / math.sqrt(df * math.pi)
    return norm * (1.0 + t * t / df) ** (-0.5 * df - 0.5)  # type: ignore[no-any-return]  # float32 stays


# Quantiles and distributions, with derivatives by their last operand.
special("stdtr", student_distribution, lambda df, t, y: (0.0, student_density(df, t)), operands=2, passive=(0,))
special(
    "stdtrit",
    student_quantile,
    lambda df, p, y: (0.0, 1.0 / student_density(df, y)),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "gammaincinv",
    inverse_lower_gamma,
    lambda a, p, y: (0.0, 1.0 / gamma_density(a, y)),
    operands=2,
    passive=(0,),
    singular=True,
)
special(
    "betaincinv",
    inverse_incomplete_beta,
    lambda a, b, p, y: (0.0, 0.0, 1.0 / beta_density(a, b, y)),
    operands=3,
    passive=(0, 1),
    singular=True,
)

# Other integrals and inverses; 1 / sqrt(8 pi) for Owen's function.
special("dawsn", dawson, lambda x, y: 1.0 - 2.0 * x * y)
special(
    "owens_t",
    owen,
    lambda h, a, y: (
        -0.1994711402007164 * np.exp(-0.5 * h * h) * math.erf(a * h * 0.7071067811865476),
        np.exp(-0.5 * h * h * (1.0 + a * a)) / (6.283185307179586 * (1.0 + a * a)),
    ),
    operands=2,
)
special(
    "owen_beyond",
    owen_beyond,
    lambda h, a, y: (
        -0.1994711402007164 * np.exp(-0.5 * h * h) * math.erfc(a * h * 0.7071067811865476),
        -np.exp(-0.5 * h * h * (1.0 + a * a)) / (6.283185307179586 * (1.0 + a * a)),
    ),
    operands=2,
)
special(
    "lambert",
    lambert,
    lambda k, x, y: (0.0, np.exp(-y) / (1.0 + y)),
    operands=2,
    passive=(0,),
    singular=True,
)
