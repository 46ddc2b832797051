"""Products of arrays, polynomials and convolutions."""

from __future__ import annotations

from conformance.grid import of_matrix, of_two
from conformance.row import case, numbers, row

of_two("np.matmul", "(x1, x2)", *[
    ("x @ y", one, two)
    for one, two in [
        ((3, 4), (4, 2)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((2, 3, 4), (4, 2)), ((2, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (1, 4, 5)), ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (2, 4, 2)), ((4,), (2, 4, 5)), ((2, 3, 4), (4,)),
        ((3, 0), (0, 2)),
    ]
])  # fmt: skip
of_two("np.dot", "(a, b)", *[
    ("np.dot(x, y)", one, two)
    for one, two in [((3, 4), (4, 2)), ((4,), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (2, 4, 5)), ((4,), (2, 4, 5))]
])  # fmt: skip
of_two("np.inner", "(a, b)", ("np.inner(x, y)", (3, 4), (2, 4)), ("np.inner(x, y)", (2, 3, 4), (5, 4)))
of_two("np.vdot", "(a, b)", ("np.vdot(x, y)", (4,), (4,)), ("np.vdot(x, y)", (2, 3), (6,)))
of_two("np.vecdot", "(x1, x2, axis)", ("np.vecdot(x, y)", (2, 3, 4), (4,)), ("np.vecdot(x, y, axis=0)", (3, 2), (3, 2)))
of_two("np.matvec", "(x1, x2)", ("np.matvec(x, y)", (2, 3, 4), (2, 4)))
of_two("np.vecmat", "(x1, x2)", ("np.vecmat(x, y)", (2, 3), (2, 3, 4)))
of_two(
    "np.outer",
    "(a, b)",
    ("np.outer(x, y)", (3, 4), (2,)),
    ("np.multiply.outer(x, y)", (3, 4), (2,)),
    ("np.subtract.outer(x, y)", (3,), (2, 2)),
)
of_two("np.kron", "(a, b)", ("np.kron(x, y)", (3, 4), (2, 2)), ("np.kron(x, y)", (3,), (2, 2)))
of_two(
    "np.tensordot",
    "(a, b, axes)",
    ("np.tensordot(x, y)", (2, 3, 4), (3, 4, 5)),
    ("np.tensordot(x, y, axes=1)", (2, 3), (3, 5)),
    ("np.tensordot(x, y, axes=0)", (2, 3), (2,)),
    ("np.tensordot(x, y, axes=([0, -2], [1, 0]))", (2, 3, 4), (3, 2, 5)),
)
row("np.einsum", "(subscripts, *operands, optimize, dtype)", [
    case("np.einsum('ii', x)", [numbers(3, 3)]),
    case("np.einsum('ii->i', x)", [numbers(3, 3)]),
    case("np.einsum('ji', x)", [numbers(2, 3)]),
    case("np.einsum('iij->j', x)", [numbers(3, 3, 2)]),
    case("np.einsum('...ij->...ji', x)", [numbers(2, 3, 4)]),
    case("np.einsum('ij,jk', x, y)", [numbers(2, 3), numbers(3, 4)]),
    case("np.einsum('...ij,...jk->...ik', x, y)", [numbers(2, 3, 4), numbers(4, 5)]),
    case("np.einsum('i,ij,j->', x, y, z, optimize=True)", [numbers(3), numbers(3, 4), numbers(4)]),
    case("np.einsum(x, [0, 1], y, [1, 2], [0, 2])", [numbers(2, 3), numbers(3, 4)]),
    case("np.einsum(x, [..., 0], y, [0, 1], [..., 1])", [numbers(2, 2, 3), numbers(3, 4)]),
])  # fmt: skip
of_two(
    "np.cross",
    "(a, b, axisa, axisb, axisc, axis)",
    ("np.cross(x, y)", (5, 3), (3,)),
    ("np.cross(x, y, axis=0)", (3, 5), (3, 5)),
    ("np.cross(x, y, axisa=0, axisc=0)", (3, 5), (5, 3)),
    ("np.cross(np.array([x[0], x[1]]), np.array([y[0], y[1]]))", (2,), (2,)),
)
for _mode in ("convolve", "correlate"):
    of_two(
        f"np.{_mode}",
        "(a, v, mode)",
        (f"np.{_mode}(x, y)", (5,), (3,)),
        *[(f"np.{_mode}(x, y, '{mode}')", *sizes) for mode in ("full", "same", "valid") for sizes in [((3,), (6,))]],
        (f"np.{_mode}(x, y, 'same')", (6,), (4,)),
    )
of_two("np.polyval", "(p, x)", ("np.polyval(x, y)", (4,), (3,)), ("np.polyval([1.0, 2.0, 3.0], x)", (2, 3), (1,)))
of_matrix("np.polyder", "(p, m)", vectors=["np.polyder(x)", "np.polyder(x, 2)"])
of_matrix("np.polyint", "(p, m, k)", vectors=["np.polyint(x)", "np.polyint(x, 2, k=1.5)"])
for _name in ("polymul", "polyadd", "polysub"):
    of_two(f"np.{_name}", "(a1, a2)", (f"np.{_name}(x, y)", (4,), (2,)), (f"np.{_name}(x, y)", (2,), (3,)))
for _name in ("polynomial.polyval", "chebyshev.chebval", "legendre.legval", "hermite.hermval"):
    row(f"np.polynomial.{_name}", "(x, c)", [
        case(f"np.polynomial.{_name}(x, y)", [numbers(3), numbers(4)], [numbers(3), numbers(1)]),
        case(f"np.polynomial.{_name}(x, y)", [numbers(), numbers(4)]),
    ])  # fmt: skip
of_matrix("np.linalg.multi_dot", "(arrays)", "np.linalg.multi_dot([x, x.T, x])", "np.linalg.multi_dot((x, x[0]))")
of_matrix(
    "np.apply_along_axis",
    "(func1d, axis, arr, *args)",
    "np.apply_along_axis(lambda v: v[0] * v[-1], 1, x)",
    "np.apply_along_axis(lambda v: np.cumsum(v) * v, 0, x)",
    "np.apply_along_axis(lambda v, p: np.outer(v, v**p), -1, x, 2)",
)
of_matrix("np.apply_over_axes", "(func, a, axes)", "np.apply_over_axes(np.sum, x, [0, 1])")
of_two(
    "np.vectorize",
    "(pyfunc)",
    ("np.vectorize(lambda a, b: a * b if a > b else a - b)(x, y)", (3, 4), (4,)),
    ("np.vectorize(lambda a, b: a * b + 1.0)(x, 2.0)", (3,), (1,)),
)
row("np.polyfit", "(x, y, deg, w)", [
    case("np.polyfit(x, y, 2)", [numbers(6), numbers(6)], rtol=1e-10),
    case("np.polyfit(x, y, 1, w=z)", [numbers(5), numbers(5), numbers(5) ** 2 + 0.5], rtol=1e-10),
])  # fmt: skip
