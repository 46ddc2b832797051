"""Elements chosen by indices and conditions, read and written; sorted vectors looked up; counts and sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from conformance.grid import of_matrix, of_two
from conformance.row import case, integers, numbers, row

PLACES = np.array([2, 0, -1, 2])
BINS = np.array([-1.0, -0.3, 0.4, 1.0])


def in_place(name: str, signature: str, *calls: str, matrices: Sequence[str] = ()) -> None:
    """Calls that write to a copy ``a`` of ``x``, with ``y`` as what is written."""
    cases = [case(f"(lambda a: ({call}, a)[1])(x.copy())", [numbers(5), numbers(4)]) for call in calls]
    cases += [case(f"(lambda a: ({call}, a)[1])(x.copy())", [numbers(3, 4), numbers(4)]) for call in matrices]
    row(name, signature, cases)


of_matrix(
    "np.take",
    "(a, indices, axis, mode)",
    "np.take(x, [[0, 2], [1, 0]], axis=1)",
    "x.take(5)",
    vectors=["np.take(x, [0, 7, -9], mode='wrap')", "np.take(x, [0, 7, -9], mode='clip')"],
)
of_matrix(
    "np.take_along_axis",
    "(arr, indices, axis)",
    "np.take_along_axis(x, np.argsort(x, axis=1), axis=1)",
    "np.take_along_axis(x, np.argmax(x, axis=0)[None], 0)",
)
of_two(
    "np.choose",
    "(a, choices, mode)",
    ("np.choose([0, 1, 1, 0], [x, y])", (4,), (4,)),
    ("np.choose([0, 5, -1], (x, y, 2.0), mode='wrap')", (3,), (3,)),
    ("np.choose([1, 0, 1], x)", (2, 3), (1,)),
)
of_two(
    "np.select",
    "(condlist, choicelist, default)",
    ("np.select([x < -0.5, x > 0.5], [x**2, y], x * y)", (5,), (5,)),
    ("np.select([x < 0.0], [y])", (3, 4), (4,)),
)
of_matrix(
    "np.piecewise",
    "(x, condlist, funclist, *args)",
    "np.piecewise(x, [x < 0.0, x >= 0.0], [lambda v: -v, lambda v: v * v])",
    vectors=["np.piecewise(x, [x < -0.5, x > 0.5], [-1.0, lambda v: v * v, lambda v: 3.0 * v])"],
)
of_matrix(
    "np.where",
    "(condition, x, y)",
    "np.where(x > 0.0, x, -2.0 * x)",
    "x[np.where(x > 0.0)]",
    "np.where(x > 0, x[0], 1)",
)
of_matrix("np.compress", "(condition, a, axis)", "np.compress([True, False, True], x, axis=0)", "x.compress([1, 0, 1])")
of_matrix("np.extract", "(condition, arr)", "np.extract(x > 0.0, x)")
of_matrix("np.nonzero", "(a)", "x[np.nonzero(x > 0.0)]", "np.nonzero(x > 0.0)[1]")
of_matrix("np.argwhere", "(a)", "np.argwhere(x > 0.0)")
of_matrix("np.flatnonzero", "(a)", "np.flatnonzero(x > 0.0)")
of_matrix("np.ix_", "(*args)", "x[np.ix_([0, 2], [1, 3])]", "x[np.ix_(x[:, 0] > 0.0, [1, 1])]")
of_matrix(
    "np.unravel_index",
    "(indices, shape, order)",
    "x[np.unravel_index(np.argmax(x), x.shape)]",
    "x[np.unravel_index([1, 7], (3, 4), order='F')]",
)
of_matrix(
    "np.ravel_multi_index",
    "(multi_index, dims, mode, order)",
    "x.ravel()[np.ravel_multi_index(([0, 2], [3, 5]), x.shape, mode='clip')]",
    "np.ravel_multi_index((1, 2), (3, 4))",
)
in_place("np.put", "(a, ind, v, mode)", "np.put(a, [0, -2, 0], y)", "a.put([1, 9], y[0], mode='clip')")
in_place("np.place", "(arr, mask, vals)", "np.place(a, a > 0.0, y[:2])", matrices=["np.place(a, a > 0.0, y)"])
in_place("np.putmask", "(a, mask, values)", "np.putmask(a, a > 0.0, 2.0 * a)", "np.putmask(a, a > 0.0, y)")
in_place(
    "np.copyto",
    "(dst, src, where)",
    "np.copyto(a[:4], y)",
    "np.copyto(a, y[0], where=a > 0.0)",
    matrices=["np.copyto(a, y)"],
)
in_place(
    "np.put_along_axis",
    "(arr, indices, values, axis)",
    matrices=["np.put_along_axis(a, np.argmax(a, axis=1)[:, None], y[0], axis=1)"],
)
for _name in ("add", "subtract", "multiply", "maximum"):
    in_place(f"np.{_name}.at", "(a, indices, b)", f"np.{_name}.at(a, [2, 0, 2, 2], y)")
row("np.searchsorted", "(a, v, side, sorter)", [
    case("np.searchsorted(x, 0.2)", [np.sort(numbers(7))], [np.sort(numbers(1))]),
    case("np.searchsorted(x, y, side='right')", [np.sort(numbers(7)), numbers(2, 3)]),
    case("np.searchsorted(x, y, sorter=np.argsort(x))", [numbers(7), numbers(3)]),
])  # fmt: skip
row("np.digitize", "(x, bins, right)", [
    case("np.digitize(x, y)", [numbers(5), BINS], [numbers(5), BINS[::-1].copy()]),
    case("np.digitize(x, [-1.0, 0.0, 1.0], right=True)", [numbers(2, 3)]),
])  # fmt: skip
row("np.interp", "(x, xp, fp, left, right, period)", [
    case("np.interp(x, y, z)", [numbers(5), np.linspace(-2.0, 2.0, 6), numbers(6)]),
    case("np.interp(x, y, z, left=1.0, right=2.0)", [numbers(2, 3), BINS, numbers(4)]),
    case("np.interp(x, y, z, period=1.5)", [numbers(5), np.array([0.3, 1.2, 0.1, 0.8]), numbers(4)]),
    case("np.interp(x, y, z)", [0.3, BINS, numbers(4)]),
])  # fmt: skip
of_matrix(
    "np.sort", "(a, axis, kind)", "np.sort(x)", "np.sort(x, axis=0, kind='stable')", "np.sort(x, axis=None)[::-1]"
)
of_matrix("np.argsort", "(a, axis, kind)", "np.argsort(x)", "x.argsort(axis=0)", vectors=["x[np.argsort(-x)]"])
of_matrix("np.partition", "(a, kth, axis)", "np.partition(x, 1)[:, 1]", "np.partition(x, 1, axis=0)[1]")
of_matrix("np.argpartition", "(a, kth, axis)", vectors=["x[np.argpartition(x, 2)[2]]"])
of_two("np.lexsort", "(keys)", ("x[np.lexsort((x, [0, 1, 0, 1]))]", (4,), (1,)), ("np.lexsort((x, y))", (4,), (4,)))
row("np.bincount", "(x, weights, minlength)", [
    case("np.bincount(x, y)", [np.array([0, 2, 2, 1]), numbers(4)]),
    case("np.bincount(x, minlength=5)", [np.array([0, 2, 2, 1])]),
])  # fmt: skip
row("np.histogram", "(a, bins, range, density, weights)", [
    case("np.histogram(x, bins=4)[1]", [numbers(6)]),
    case("np.histogram(x, bins=4)[0]", [numbers(6)]),
    case("np.histogram(x, bins=3, range=(-2.0, 2.0), weights=y)[0]", [numbers(6), numbers(6)]),
    case("np.histogram(x, [-2.0, -0.5, 0.5, 2.0], density=True, weights=y)[0]", [numbers(6), numbers(6) ** 2]),
])  # fmt: skip
row("np.histogram2d", "(x, y, bins, range, density, weights)", [
    case("np.histogram2d(x, y, bins=[2, 3], weights=z)[0]", [numbers(6), numbers(6), numbers(6)]),
])  # fmt: skip
row("np.histogram_bin_edges", "(a, bins, range)", [case("np.histogram_bin_edges(x, 3)", [numbers(6)])])
row("np.unique", "(ar, return_index, return_inverse, return_counts)", [
    case("np.unique(x)", [numbers(5)]),
    case("np.unique(x, return_inverse=True)[1]", [np.array([3, 1, 3, 2])]),
    case("np.unique(x, return_index=True, return_counts=True)[2]", [np.array([3, 1, 3, 2])]),
])  # fmt: skip
row("np.isin", "(element, test_elements, invert)", [case("np.isin(x, [0, 2])", [integers(0, 4, 2, 3)])])
for _name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
    row(f"np.{_name}", "(ar1, ar2)", [case(f"np.{_name}(x, y)", [integers(0, 6, 5), integers(0, 6, 4)])])
