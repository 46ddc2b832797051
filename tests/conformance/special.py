"""Functions of scipy.special."""

from __future__ import annotations

import numpy as np

from conformance.grid import POSITIVE, UNIT, binary, inside, unary
from conformance.row import Case, between, case, fortran, numbers, row

PROBABILITY, WIDE = inside(0.05, 0.95), inside(-12.0, 12.0)


def short(name: str, draw: object = numbers) -> None:
    """A function of one number by a row of its own: what broadcasting does is checked with the others."""
    assert callable(draw)
    cases: list[Case] = [
        case(f"{name}(x)", [draw()], [draw()], rtol=1e-12),
        case(f"{name}(x)", [draw(2, 3)], rtol=1e-12),
        case(f"{name}(x)", [fortran(draw(2, 2, dtype=np.float32))]),
    ]
    row(name, "(x)", cases)


for _name in ("erf", "erfc", "ndtr", "expit", "log_expit"):
    unary(f"special.{_name}", rtol=1e-12)
for _name in ("gamma", "gammaln"):
    unary(f"special.{_name}", POSITIVE, rtol=1e-12)
for _name in ("erfcx", "log_ndtr", "i0", "i1", "i0e", "i1e", "j0", "j1", "expi"):
    short(f"special.{_name}", WIDE if _name.startswith(("j", "i", "log")) else numbers)
for _name in ("k0", "k1", "k0e", "k1e", "y0", "y1", "exp1", "digamma", "psi", "loggamma"):
    short(f"special.{_name}", POSITIVE)
for _name in ("erfinv", "logit", "ndtri", "erfcinv", "entr"):
    short(f"special.{_name}", UNIT if _name == "erfinv" else PROBABILITY)
for _name in ("xlogy", "xlog1py", "rel_entr", "kl_div", "beta", "betaln", "binom", "boxcox"):
    binary(f"special.{_name}", POSITIVE, POSITIVE, whole=False, mixed=False, rtol=1e-12)
row(
    "special.polygamma",
    "(n, x), n an integer known at compile time",
    [case(f"special.polygamma({n}, x)", [POSITIVE(2, 2)], rtol=1e-12) for n in (0, 1, 3)],
)
for _name in ("jv", "jn"):
    row(
        f"special.{_name}",
        "(v, z), differentiated by z",
        [
            *[case(f"special.{_name}({n}, x)", [POSITIVE(2, 2)], [WIDE(3, 1)], rtol=1e-11) for n in (0, 2, -3)],
            *[case(f"special.{_name}({v}, x)", [POSITIVE(3)], [between(4.0, 40.0)], rtol=1e-9) for v in (0.5, -2.3)],
        ],
    )
row(
    "special.yn",
    "(n, x), n an integer known at compile time",
    [case(f"special.yn({n}, x)", [POSITIVE(2, 2)], rtol=1e-11) for n in (0, 1, 3)],
)
for _name in ("gammainc", "gammaincc"):
    row(
        f"special.{_name}",
        "(a, x), differentiated by x",
        [
            case(f"special.{_name}(2.5, x)", [POSITIVE(3)], rtol=1e-12),
            case(f"special.{_name}(3, x)", [between(4.0, 9.0)]),
        ],
    )
row(
    "special.betainc",
    "(a, b, x), differentiated by x",
    [case("special.betainc(2.5, 0.7, x)", [PROBABILITY(2, 2)], rtol=1e-12)],
)
row(
    "special.zeta",
    "(x, q), differentiated by q",
    [case("special.zeta(2.5, x)", [POSITIVE(3)], rtol=1e-12), case("special.zeta(x)", [3])],
)
row(
    "special.factorial",
    "(n)",
    [case("special.factorial(x)", [POSITIVE(3)], rtol=1e-12), case("special.factorial(x)", [np.arange(5)])],
)
row("special.comb", "(N, k)", [case("special.comb(x, y)", [np.array([5, 6]), np.array([2, 3])], rtol=1e-12)])
row(
    "special.logsumexp",
    "(a, axis, b, keepdims)",
    [
        case("special.logsumexp(x)", [numbers(5)], [800.0 + numbers(3)]),
        case("special.logsumexp(x, axis=0)", [numbers(3, 4)], rtol=1e-12),
        case("special.logsumexp(x, axis=(0, -1), keepdims=True)", [numbers(2, 3, 4)], rtol=1e-12),
        case("special.logsumexp(x, b=y)", [numbers(4), POSITIVE(4)], rtol=1e-12),
        case("special.logsumexp(x, axis=1)", [fortran(numbers(2, 3, dtype=np.float32))]),
    ],
)
for _name in ("softmax", "log_softmax"):
    row(
        f"special.{_name}",
        "(x, axis)",
        [
            case(f"special.{_name}(x)", [numbers(5)], [800.0 + numbers(3)], rtol=1e-12),
            case(f"special.{_name}(x, axis=0)", [numbers(3, 4)], rtol=1e-12),
            case(f"special.{_name}(x, axis=-1)", [fortran(numbers(2, 3, dtype=np.float32))]),
        ],
    )
for _name in ("exprel", "ellipk", "ellipe"):
    short(f"special.{_name}", UNIT)
short("special.ellipkm1", PROBABILITY)
for _name in ("huber", "pseudo_huber"):
    binary(f"special.{_name}", POSITIVE, POSITIVE, whole=False, mixed=False, rtol=1e-12)
row(
    "special.expn",
    "(n, x), differentiated by x",
    [case(f"special.expn({n}, x)", [POSITIVE(2, 2)], rtol=1e-12) for n in (0, 1, 2, 5)],
)
for _name in ("iv", "ive", "kv", "kve"):
    row(
        f"special.{_name}",
        "(v, z), differentiated by z",
        [
            case(f"special.{_name}({v}, x)", [POSITIVE(2, 2)], [between(5.0, 9.0, 2, 1)], rtol=1e-11)
            for v in (0, 2, 0.3, -1.5)
        ],
    )
for _name, _first in (("chdtr", 3.0), ("chdtrc", 2.5), ("stdtr", 4.5)):
    row(
        f"special.{_name}",
        "(v, x), differentiated by x",
        [case(f"special.{_name}({_first}, x)", [numbers(2, 2) if _name == "stdtr" else POSITIVE(2, 2)], rtol=1e-11)],
    )
row("special.gdtr", "(a, b, x), not by b", [case("special.gdtr(x, 2.5, y)", [POSITIVE(3), POSITIVE(3)], rtol=1e-11)])
row("special.pdtr", "(k, m)", [case("special.pdtr(3, x)", [POSITIVE(3)], rtol=1e-11)])
row("special.gammaincinv", "(a, y), by y", [case("special.gammaincinv(2.5, x)", [PROBABILITY(2, 2)], rtol=1e-10)])
row("special.betaincinv", "(a, b, y), by y", [case("special.betaincinv(2.5, 0.7, x)", [PROBABILITY(3)], rtol=1e-10)])

for _name in ("yv", "yvp", "kvp", "jvp", "ivp", "kn"):
    _orders = (0, 2) if _name == "kn" else (0, 2, 1.5)
    row(
        f"special.{_name}",
        "(v, z), differentiated by z" if _name in ("yv", "kn") else "(v, z, n), n known at compile time",
        [case(f"special.{_name}({v}, x)", [POSITIVE(3)], [between(3.0, 12.0)], rtol=1e-9) for v in _orders],
    )
for _name in ("hankel1", "hankel2", "h1vp", "h2vp"):
    row(f"special.{_name}", "(v, z), of real z", [case(f"special.{_name}(1.5, x).imag", [POSITIVE(3)], rtol=1e-10)])
for _name in ("spherical_jn", "spherical_yn", "spherical_in", "spherical_kn"):
    _cases = [
        case(f"special.{_name}({n}, x)", [POSITIVE(2, 2)], [between(9.0, 30.0)], rtol=1e-11) for n in (0, 1, 5, 12)
    ]
    _cases += [case(f"special.{_name}({n}, x, derivative=True)", [POSITIVE(3)], rtol=1e-10) for n in (0, 3)]
    row(f"special.{_name}", "(n, z, derivative), of real z, n known at compile time", _cases)
for _name in ("dawsn", "erfi", "exp10", "cosm1", "sindg", "cosdg", "softplus", "expm1", "exp2", "cbrt"):
    short(f"special.{_name}", POSITIVE if _name == "cbrt" else numbers)
for _name in ("tandg", "cotdg", "rgamma", "spence", "log1p"):
    short(f"special.{_name}", POSITIVE)
for _name in ("poch", "owens_t", "elliprc", "agm", "inv_boxcox", "boxcox1p", "inv_boxcox1p", "powm1"):
    binary(f"special.{_name}", POSITIVE, POSITIVE, whole=False, mixed=False, rtol=1e-11)
row(
    "special.lambertw",
    "(z, k), of real z, k 0 or -1",
    [
        case("special.lambertw(x).real", [POSITIVE(3)], [inside(-0.35, -0.05)(2)], rtol=1e-11),
        case("special.lambertw(x, -1).real", [inside(-0.35, -0.05)(2)], rtol=1e-11),
    ],
)
for _name in ("ellipkinc", "ellipeinc"):
    row(
        f"special.{_name}",
        "(phi, m)",
        [case(f"special.{_name}(x, y)", [WIDE(3), PROBABILITY(3)], [POSITIVE(2), -POSITIVE(2)], rtol=1e-11)],
    )
row("special.ellipj", "(u, m)", [case(f"special.ellipj(x, y)[{k}]", [WIDE(3), PROBABILITY(3)]) for k in range(4)])
row("special.elliprf", "(x, y, z)", [case("special.elliprf(x, y, z)", [POSITIVE(3), POSITIVE(3), POSITIVE()])])
row("special.elliprd", "(x, y, z)", [case("special.elliprd(x, y, z)", [POSITIVE(3), POSITIVE(3), POSITIVE()])])
row("special.elliprj", "(x, y, z, p)", [case("special.elliprj(x, y, z, x + y)", [POSITIVE(3), POSITIVE(3), 0.7])])
for _name in ("legendre", "chebyt", "chebyu", "hermite", "hermitenorm", "laguerre"):
    row(
        f"special.eval_{_name}",
        "(n, x), n known at compile time",
        [case(f"special.eval_{_name}({n}, x)", [numbers(3)], rtol=1e-11) for n in (0, 1, 4)],
    )
for _name, _shapes in (("genlaguerre", "0.7"), ("gegenbauer", "0.7"), ("jacobi", "0.7, 1.3")):
    row(
        f"special.eval_{_name}",
        "(n, alpha, x)" if _name != "jacobi" else "(n, alpha, beta, x)",
        [case(f"special.eval_{_name}({n}, {_shapes}, x)", [numbers(3)], rtol=1e-11) for n in (0, 1, 4)],
    )
row("special.lpmv", "(m, v, x)", [case(f"special.lpmv({m}, 3, x)", [PROBABILITY(3)], rtol=1e-11) for m in (0, 1, 3)])
row(
    "special.sph_harm_y",
    "(n, m, theta, phi), n and m known at compile time",
    [case(f"special.sph_harm_y(3, {m}, x, y).real", [PROBABILITY(3), numbers(3)], rtol=1e-11) for m in (0, 2, -1)],
)
row("special.multigammaln", "(a, d)", [case("special.multigammaln(x + 2.0, 3)", [POSITIVE(3)], rtol=1e-12)])
row("special.gammasgn", "(x)", [case("special.gammasgn(x) * x", [WIDE(4)])])
row("special.radian", "(d, m, s)", [case("special.radian(x, y, 3.0)", [numbers(3), numbers(3)])])
for _name, _point in (
    ("stdtrit(3.5, x)", PROBABILITY),
    ("chdtri(3.5, x)", PROBABILITY),
    ("fdtri(2.0, 3.0, x)", PROBABILITY),
    ("betaincc(2.0, 3.0, x)", PROBABILITY),
    ("fdtr(2.0, 3.0, x)", POSITIVE),
    ("fdtrc(2.0, 3.0, x)", POSITIVE),
    ("gdtrc(1.2, 2.0, x)", POSITIVE),
    ("pdtrc(2.0, x)", POSITIVE),
    ("bdtr(2.0, 5, x)", PROBABILITY),
    ("bdtrc(2.0, 5, x)", PROBABILITY),
    ("nbdtr(2, 5, x)", PROBABILITY),
):
    row(
        f"special.{_name[: _name.index('(')]}",
        "differentiated by the last argument",
        [case(f"special.{_name}", [_point(3)], rtol=1e-10)],
    )
