"""Bessel functions of integer order, J and Y: orders 0 and 1 by Chebyshev sums, others by recurrences.

The coefficients were computed with mpmath to 40 digits; each sum is right to about 1e-16 of its largest value. The
functions are plain Python that Numba compiles: generated modules contain their source.
"""

from __future__ import annotations

import numpy as np

from srcgrad.primitives.chebyshev import chebyshev


def amplitudes_0(x: float) -> tuple[float, float]:
    """P and Q of Hankel's expansion for large x: ``J0 = sqrt(2 / (pi x)) (P cos(x - pi/4) - Q sin(x - pi/4))``."""
    t = 128.0 / (x * x) - 1.0
    p = chebyshev(
        t,
        (
            0.9994603493475187,
            -0.0005365220468132117,
            3.0751847875194745e-06,
            -5.1705945376060975e-08,
            1.6306464635151382e-09,
            -7.86409137723707e-11,
            5.168262387349193e-12,
            -4.3045788699253914e-13,
            4.3265957431549404e-14,
            -5.069034095935236e-15,
            6.748072215733873e-16,
            -1.0011513723467786e-16,
        ),
    )
    q = chebyshev(
        t,
        (
            -0.015555854605337009,
            6.838519942611649e-05,
            -7.414498411060647e-07,
            1.7972457247968992e-08,
            -7.27191593686632e-10,
            4.2201219046687385e-11,
            -3.206747420996635e-12,
            3.006145125351706e-13,
            -3.336328185322427e-14,
            4.255225040245461e-15,
            -6.09993013164005e-16,
            9.662128970303257e-17,
            -1.6686065214378146e-17,
            3.1082440486738143e-18,
            -6.191115787358145e-19,
        ),
    )
    return p, q * 8.0 / x


def amplitudes_1(x: float) -> tuple[float, float]:
    """P and Q for order 1, with the phase ``x - 3 pi/4``."""
    t = 128.0 / (x * x) - 1.0
    p = chebyshev(
        t,
        (
            1.0009030408600137,
            0.0008989898330859408,
            -3.987284300488908e-06,
            6.177633960644299e-08,
            -1.8718907491063067e-09,
            8.816898659582339e-11,
            -5.704863640395645e-12,
            4.699195515230542e-13,
            -4.6842237839904895e-14,
            5.452674896044717e-15,
            -7.221180842274018e-16,
            1.0667689114335412e-16,
        ),
    )
    q = chebyshev(
        t,
        (
            0.04677778706953532,
            -9.62772354915708e-05,
            9.138615257955454e-07,
            -2.0959781384083424e-08,
            8.229193327650554e-10,
            -4.686363688176945e-11,
            3.5152187949686082e-12,
            -3.2643156743279e-13,
            3.5967765829165294e-14,
            -4.5612523950772974e-15,
            6.508282957783384e-16,
            -1.0269147531823243e-16,
            1.767635548776479e-17,
            -3.2834519872981614e-18,
        ),
    )
    return p, q * 8.0 / x


def bessel_j0(x: float) -> float:
    x = abs(x)
    if x <= 8.0:
        return chebyshev(
            x * x / 32.0 - 1.0,
            (
                0.15772797147489012,
                -0.008723442352852221,
                0.2651786132033368,
                -0.37009499387264977,
                0.15806710233209725,
                -0.034893769411408884,
                0.004819180069467605,
                -0.00046062616620627504,
                3.246032882100508e-05,
                -1.7619469077621507e-06,
                7.608163592418782e-08,
                -2.679253530557673e-09,
                7.848696314479465e-11,
                -1.9438346867370164e-12,
                4.125320595634374e-14,
                -7.588508125447546e-16,
                1.2218515873961411e-17,
            ),
        )
    p, q = amplitudes_0(x)
    return (p * (np.cos(x) + np.sin(x)) - q * (np.sin(x) - np.cos(x))) / np.sqrt(np.pi * x)


def bessel_j1(x: float) -> float:
    size = abs(x)
    if size <= 8.0:
        return x * chebyshev(
            x * x / 32.0 - 1.0,
            (
                0.08104484632565812,
                -0.1489751450676521,
                0.1609992623572097,
                -0.08268049176681791,
                0.022213639654966037,
                -0.003646940600769276,
                0.0004050337728354822,
                -3.255554866857259e-05,
                1.9858774049915165e-06,
                -9.521984756750436e-08,
                3.687133759097148e-09,
                -1.178026622695885e-10,
                3.160154580348003e-12,
                -7.221755239651773e-14,
                1.4232144003513942e-15,
                -2.4441972916190464e-17,
            ),
        )
    p, q = amplitudes_1(size)
    value = (p * (np.sin(size) - np.cos(size)) + q * (np.sin(size) + np.cos(size))) / np.sqrt(np.pi * size)
    return value if x > 0.0 else -value


def bessel_y0(x: float) -> float:
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x <= 8.0:
        regular = chebyshev(
            x * x / 32.0 - 1.0,
            (
                0.03645469809116044,
                -0.2783237094075825,
                0.2960499990207148,
                0.09825508408187864,
                -0.10755155280627783,
                0.031799074084414514,
                -0.005161397105810715,
                0.0005498525320039012,
                -4.1996983149420134e-05,
                2.4290361107923793e-06,
                -1.1049969793472957e-07,
                4.06651736597911e-09,
                -1.2374148898289854e-10,
                3.1685725528945945e-12,
                -6.926956032431002e-14,
                1.3086308625876684e-15,
                -2.1586201986914482e-17,
            ),
        )
        return regular + 2.0 / np.pi * np.log(0.5 * x) * bessel_j0(x)
    p, q = amplitudes_0(x)
    return (p * (np.sin(x) - np.cos(x)) + q * (np.cos(x) + np.sin(x))) / np.sqrt(np.pi * x)


def bessel_y1(x: float) -> float:
    if not x > 0.0:
        return -np.inf if x == 0.0 else np.nan
    if x <= 8.0:
        regular = chebyshev(
            x * x / 32.0 - 1.0,
            (
                0.038300769852423776,
                -0.08182561412732826,
                -0.0248677076121964,
                0.047967452752746984,
                -0.01852588451089802,
                0.003680607687823511,
                -0.0004627254060293369,
                4.06940026958087e-05,
                -2.6617695125295625e-06,
                1.350602691325434e-07,
                -5.483524110336276e-09,
                1.8245086841229007e-10,
                -5.070666636591129e-12,
                1.1956162517587948e-13,
                -2.423162442712473e-15,
                4.268126513072962e-17,
            ),
        )
        return x * regular + 2.0 / np.pi * (np.log(0.5 * x) * bessel_j1(x) - 1.0 / x)
    p, q = amplitudes_1(x)
    return (q * (np.sin(x) - np.cos(x)) - p * (np.sin(x) + np.cos(x))) / np.sqrt(np.pi * x)


def bessel_jn(n: float, x: float) -> float:
    """J of integer order: the recurrence upwards where it is stable, else downwards from far above (Miller)."""
    if not (abs(n) < 1e6 and abs(x) < np.inf):
        return np.nan
    order = int(abs(n))
    size = abs(x)
    odd = order % 2 == 1
    sign = -1.0 if odd and (n < 0) != (x < 0.0) else 1.0
    if order == 0:
        return bessel_j0(size)
    if order == 1:
        return sign * bessel_j1(size)
    if size == 0.0:
        return 0.0
    if order < size:
        below, here = bessel_j0(size), bessel_j1(size)
        for k in range(1, order):
            below, here = here, 2.0 * k / size * here - below
        return sign * here
    start = 2 * ((order + int(np.sqrt(400.0 * order)) + 20) // 2)
    above, here, wanted, total = 0.0, 1e-300, 0.0, 0.0
    for k in range(start, 0, -1):
        above, here = here, 2.0 * k / size * here - above
        if abs(here) > 1e100:
            above, here, wanted, total = above * 1e-200, here * 1e-200, wanted * 1e-200, total * 1e-200
        if (k - 1) % 2 == 0:
            total += here
        if k - 1 == order:
            wanted = here
    return sign * wanted / (2.0 * total - here)


def bessel_yn(n: float, x: float) -> float:
    """Y of integer order, by the recurrence upwards."""
    if not (abs(n) < 1e6 and abs(x) < np.inf):
        return np.nan
    order = int(abs(n))
    sign = -1.0 if n < 0 and order % 2 == 1 else 1.0
    below, here = bessel_y0(x), bessel_y1(x)
    if order == 0 or not x > 0.0:
        return below
    for k in range(1, order):
        below, here = here, 2.0 * k / x * here - below
    return sign * here
