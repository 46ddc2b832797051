"""Functions of scipy.stats and scipy.integrate."""

from __future__ import annotations

from conformance.grid import inside
from conformance.row import case, numbers, row

SCALES, PROBABILITY = inside(0.5, 2.0), inside(0.05, 0.95)

for _name in ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"):
    row(
        f"stats.norm.{_name}",
        "(x, loc, scale)",
        [
            case(f"stats.norm.{_name}(x)", [numbers(3)], rtol=1e-12),
            case(f"stats.norm.{_name}(x, y, z)", [numbers(2, 3), numbers(3), SCALES(2, 1)], rtol=1e-12),
            case(f"stats.norm.{_name}(x, scale=y)", [numbers(), SCALES()], rtol=1e-12),
        ],
    )
for _name in ("ppf", "isf"):
    row(
        f"stats.norm.{_name}",
        "(q, loc, scale)",
        [case(f"stats.norm.{_name}(x, y, z)", [PROBABILITY(3), numbers(3), SCALES(3)], rtol=1e-12)],
    )
for _name in ("trapezoid", "simpson"):
    row(
        f"integrate.{_name}",
        "(y, x, dx, axis)",
        [
            case(f"integrate.{_name}(x)", [numbers(5)], [numbers(6)], [numbers(2)]),
            case(f"integrate.{_name}(x, dx=0.3, axis=0)", [numbers(5, 2)], [numbers(4, 2)]),
            case(f"integrate.{_name}(x, np.cumsum(y))", [numbers(6), SCALES(6)], [numbers(5), SCALES(5)], rtol=1e-12),
        ],
    )
row(
    "integrate.cumulative_trapezoid",
    "(y, x, dx, axis, initial)",
    [
        case("integrate.cumulative_trapezoid(x, initial=0)", [numbers(5)]),
        case("integrate.cumulative_trapezoid(x, np.cumsum(y))", [numbers(6), SCALES(6)]),
        case("integrate.cumulative_trapezoid(x, dx=0.5, axis=0)", [numbers(3, 4)]),
    ],
)

# A distribution, its shapes, and where its numbers are.
_UNIT, _POSITIVE = inside(0.05, 0.95), inside(0.3, 2.5)
for _distribution, _shapes, _draw in (
    ("t", "3.5", numbers),
    ("gamma", "2.5", _POSITIVE),
    ("beta", "2.0, 3.5", _UNIT),
    ("chi2", "3.5", _POSITIVE),
    ("expon", "", _POSITIVE),
    ("lognorm", "0.7", _POSITIVE),
    ("uniform", "", _UNIT),
    ("laplace", "", numbers),
    ("logistic", "", numbers),
    ("cauchy", "", numbers),
    ("pareto", "2.5", inside(1.1, 3.0)),
    ("weibull_min", "1.5", _POSITIVE),
    ("rayleigh", "", _POSITIVE),
    ("gumbel_r", "", numbers),
    ("gumbel_l", "", numbers),
    ("invgamma", "2.5", _POSITIVE),
    ("f", "2.5, 3.5", _POSITIVE),
    ("halfnorm", "", _POSITIVE),
    ("maxwell", "", _POSITIVE),
    ("invgauss", "0.7", _POSITIVE),
    ("genextreme", "0.2", numbers),
    ("genpareto", "0.2", _POSITIVE),
    ("truncnorm", "-1.0, 2.0", inside(-0.9, 1.9)),
    ("triang", "0.4", _UNIT),
    ("skewnorm", "1.5", numbers),
    ("vonmises", "1.5", numbers),
):
    _behind = f", {_shapes}" if _shapes else ""
    _methods = ["pdf", "logpdf", "cdf", "sf"] if _distribution != "vonmises" else ["pdf", "logpdf"]
    _cases = [
        case(f"stats.{_distribution}.{m}(0.2 + 1.7 * x{_behind}, 0.2, 1.7)", [_draw(3)], rtol=1e-9) for m in _methods
    ]
    _cases += [case(f"stats.{_distribution}.logpdf(y + z * x{_behind}, loc=y, scale=z)", [_draw(3), 0.4, 1.3])]
    if _distribution not in ("invgamma", "invgauss", "skewnorm", "vonmises"):
        _methods += ["ppf", "isf"]
        _cases += [case(f"stats.{_distribution}.ppf(x{_behind}, 0.2, 1.7)", [_UNIT(3)], rtol=1e-9)]
    _names = "".join(f"{s.strip()}, " for s in ("shape" if _shapes else "").split(",") if s)
    row(f"stats.{_distribution}", f"(x, {'shapes, ' if _names else ''}loc, scale): {', '.join(_methods)}", _cases)
for _distribution, _shapes, _methods in (
    ("poisson", "x", ("pmf", "logpmf", "cdf")),
    ("binom", "5, x", ("pmf", "logpmf", "cdf")),
    ("nbinom", "5, x", ("pmf", "logpmf")),
    ("bernoulli", "x", ("pmf", "logpmf")),
    ("geom", "x", ("pmf", "logpmf")),
):
    row(
        f"stats.{_distribution}",
        f"(k, shapes, loc): {', '.join(_methods)}",
        [case(f"stats.{_distribution}.{m}(np.arange(3), {_shapes})", [_UNIT()], rtol=1e-10) for m in _methods],
    )
