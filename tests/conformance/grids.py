"""Made by a formula: grids, evenly spaced numbers, triangles and diagonals."""

from __future__ import annotations

from conformance.grid import of_matrix, of_two
from conformance.row import between, case, numbers, row

row("np.meshgrid", "(*xi, copy, sparse, indexing)", [
    case("np.meshgrid(x, y)[0] * np.meshgrid(x, y)[1]", [numbers(3), numbers(2)]),
    case("np.meshgrid(x, y, indexing='ij')[1]", [numbers(3), numbers(2)]),
    case("np.meshgrid(x, y, sparse=True)[1]", [numbers(3), numbers(2)]),
    case("np.meshgrid(x, y, z)[2]", [numbers(3), numbers(2), numbers(4)]),
])  # fmt: skip
row("np.mgrid", "[slices]", [
    case("np.mgrid[0:3, 0:4] * x", [numbers()]),
    case("np.mgrid[0:1:5j, -1:2:3j] * x", [numbers()]),
    case("np.mgrid[0:3]", [0]),
])  # fmt: skip
row("np.ogrid", "[slices]", [case("np.ogrid[0:3, 0:4][0] * np.ogrid[0:3, 0:4][1] * x", [numbers()])])
row("np.r_", "[items]", [
    case("np.r_[x, 0.0, y]", [numbers(3), numbers(2)]),
    case("np.r_[0:3, x, 0:1:4j]", [numbers(3)]),
])  # fmt: skip
row("np.c_", "[items]", [
    case("np.c_[x, y]", [numbers(3), numbers(3)]),
    case("np.c_[x, y]", [numbers(3, 2), numbers(3)]),
])  # fmt: skip
row("np.indices", "(dimensions, dtype, sparse)", [case("np.indices((2, 3)) * x", [numbers()])])
row("np.linspace", "(start, stop, num, endpoint, retstep, dtype, axis)", [
    case("np.linspace(x, y, 5)", [numbers(), numbers()]),
    case("np.linspace(x, y, 5, endpoint=False)", [numbers(), numbers()]),
    case("np.linspace(x, y, 4, retstep=True)[1]", [numbers(), numbers()]),
    case("np.linspace(x, y, 4)", [numbers(2), numbers(2)]),
    case("np.linspace(x, y, 4, axis=-1)", [numbers(2), numbers()]),
])  # fmt: skip
row("np.logspace", "(start, stop, num, endpoint, base, dtype, axis)", [
    case("np.logspace(x, y, 5)", [numbers(), numbers()]),
    case("np.logspace(x, y, 4, endpoint=False, base=2.0)", [numbers(), numbers()]),
])  # fmt: skip
row("np.geomspace", "(start, stop, num, endpoint, dtype)", [
    case("np.geomspace(x, y, 5)", [between(1.0, 2.0), between(3.0, 9.0)], [-1.0, -8.0]),
    case("np.geomspace(x, y, 4, endpoint=False)", [between(1.0, 2.0), between(3.0, 9.0)]),
])  # fmt: skip
of_matrix("np.vander", "(x, N, increasing)", vectors=["np.vander(x)", "np.vander(x, 3)", "np.vander(x, 4, True)"])
of_matrix("np.tri", "(N, M, k, dtype)", "np.tri(3, 4) * x", "np.tri(3, 4, -1) * x")
of_matrix("np.tril", "(m, k)", "np.tril(x)", "np.tril(x[None], -1)")
of_matrix("np.triu", "(m, k)", "np.triu(x)", "np.triu(x, 1)", vectors=["np.triu(x)"])
of_matrix("np.eye", "(N, M, k, dtype)", "np.eye(3, 4, k=1) * x")
of_matrix("np.identity", "(n, dtype)", "np.identity(3) @ x")
of_matrix("np.full", "(shape, fill_value, dtype)", vectors=["np.full((2, 3), x[0])", "np.full((2, 5), x)"])
of_matrix("np.full_like", "(a, fill_value, dtype, shape)", "np.full_like(x, x[0, 1])", "np.full_like(x, x[0])")
of_matrix("np.diag", "(v, k)", "np.diag(x)", "np.diag(x, -1)", vectors=["np.diag(x)", "np.diag(x, 1)"])
of_matrix("np.diagflat", "(v, k)", "np.diagflat(x)", vectors=["np.diagflat(x, -1)"])
of_matrix("np.diagonal", "(a, offset, axis1, axis2)", "np.diagonal(x)", "x[None].diagonal(1, 1, 2)")
of_matrix("np.trace", "(a, offset, axis1, axis2, dtype)", "np.trace(x)", "np.trace(x[None], 1, 1, 2)")
of_matrix("np.fill_diagonal", "(a, val, wrap)", "(lambda a: (np.fill_diagonal(a, a[0, 1]), a)[1])(x.copy())")
of_two(
    "np.tril_indices",
    "(n, k, m)",
    ("x[np.tril_indices(3, 0, 4)]", (3, 4), (1,)),
    ("np.tril_indices(4, -1)", (1,), (1,)),
)
of_two("np.triu_indices", "(n, k, m)", ("x[np.triu_indices(3, 1)]", (3, 3), (1,)))
of_two("np.tril_indices_from", "(arr, k)", ("x[np.tril_indices_from(x)]", (3, 4), (1,)))
of_two("np.triu_indices_from", "(arr, k)", ("x[np.triu_indices_from(x, 1)]", (3, 4), (1,)))
of_two("np.diag_indices", "(n, ndim)", ("x[np.diag_indices(3)]", (3, 4), (1,)))
of_two("np.diag_indices_from", "(arr)", ("x[np.diag_indices_from(x)]", (3, 3), (1,)))
