"""The complementary error function times ``exp(x * x)``, by a sum of Chebyshev polynomials.

The coefficients were computed with mpmath to 40 digits; each sum is right to about 1e-16 of its largest value. The
functions are plain Python that Numba compiles: generated modules contain their source.
"""

from __future__ import annotations

import numpy as np

from srcgrad.primitives.chebyshev import chebyshev


def scaled_erfc(x: float) -> float:
    """``exp(x * x) erfc(x)``."""
    size = abs(x)
    value = 0.0
    if size != np.inf:
        value = chebyshev(
            (size - 3.75) / (size + 3.75),
            (
                1.1775789345674017,
                -0.004590054580646478,
                -0.08424913336651792,
                0.05920993999819189,
                -0.026658668435305753,
                0.009074997670705265,
                -0.002413163540417608,
                0.0004907758365258086,
                -6.916973302501207e-05,
                4.13902798607301e-06,
                7.74038306619849e-07,
                -2.1886401049234397e-07,
                1.076499946567091e-08,
                4.521959811218287e-09,
                -7.754400208831351e-10,
                -6.318088340886684e-11,
                2.86879501093067e-11,
                1.9455868545777347e-13,
                -9.65469674843344e-13,
                3.25254814814874e-14,
                3.3478119482868056e-14,
                -1.864562880419313e-15,
                -1.2507950530688648e-15,
                7.418235256624044e-17,
                5.0681489047961116e-17,
            ),
        ) / (1.0 + 2.0 * size)
    return 2.0 * np.exp(x * x) - value if x < 0.0 else value
