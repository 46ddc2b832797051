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
