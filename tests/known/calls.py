"""Calls and tuples: closures, recursion, defaults, several results; second order."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: N806, B905
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def nested_def(x):

    def sq(z):
        return z * z

    def twice(z):
        return sq(z) + sq(z + 1.0)

    return twice(x)


case(
    "nested_functions",
    source="google/tangent#77",
    about="inner function definitions calling each other",
    fn=nested_def,
    make_args=lambda: (2.0,),
    argnums=0,
    expected=np.array(4.0 + 6.0),
)


def rec_power(x, n):
    if n == 0:
        return 1.0
    return x * rec_power(x, n - 1)


case(
    "recursion_power",
    source="EnzymeAD/Enzyme.jl#552, taichi-dev/taichi#602",
    about="direct recursion",
    fn=rec_power,
    make_args=lambda: (1.3, 5),
    argnums=0,
    expected=np.array(5 * 1.3**4),
)


def tree_reduce(x, lo, hi):
    if hi - lo == 1:
        return np.sin(x[lo])
    mid = (lo + hi) // 2
    return tree_reduce(x, lo, mid) * tree_reduce(x, mid, hi) + 0.1


def _ref_tree(x):
    h = 1e-30
    g = np.zeros(len(x))
    for i in range(len(x)):
        z = x.astype(complex)
        z[i] += 1j * h
        g[i] = tree_reduce(z, 0, len(x)).imag / h
    return g


_x4 = np.array([0.5, 1.1, -0.7, 2.0])

case(
    "recursion_tree",
    source="EnzymeAD/Enzyme.jl#552",
    about="two recursive calls per frame, integer slicing arguments",
    fn=tree_reduce,
    make_args=lambda: (_x4.copy(), 0, 4),
    argnums=0,
    expected=_ref_tree(_x4),
)


OFFSET_B = 5.0


def quad_global(x):
    return 4.0 * x**2 + OFFSET_B * x + 10.0


case(
    "global_constant_second",
    source="FluxML/Zygote.jl#1177",
    about="second derivative of a function reading a global",
    fn=quad_global,
    make_args=lambda: (25.0,),
    argnums=0,
    expected=np.array(8.0),
    order=2,
    differences=False,
)


def two_outputs(x, y):
    return x * y, x + y * y


def uses_multi_return(x, y, n):
    s = 0.0
    for _ in range(n):
        x, y = two_outputs(x, y)
        s += x
    return s + y


def _ref_multi(x, y, n):
    out = []
    for k in range(2):
        X = complex(x, 1e-30 if k == 0 else 0)
        Y = complex(y, 1e-30 if k == 1 else 0)
        s = 0.0 + 0.0j
        for _ in range(n):
            X, Y = X * Y, X + Y * Y
            s += X
        out.append(np.array((s + Y).imag / 1e-30))
    return tuple(out)


case(
    "multi_return_in_loop",
    source="shader-slang/slangpy#1055",
    about="helper returning a tuple, unpacked back into loop-carried names",
    fn=uses_multi_return,
    make_args=lambda: (0.7, 0.4, 3),
    argnums=(0, 1),
    expected=_ref_multi(0.7, 0.4, 3),
)


def ignores_second(x, y):
    return np.sum(x * x)


case(
    "unused_argument",
    source="pytorch/functorch#1 (None vs zeros)",
    about="unused differentiated argument: zeros, not None/error",
    fn=ignores_second,
    make_args=lambda: (np.array([1.0, 2.0]), np.array([5.0])),
    argnums=(0, 1),
    expected=(np.array([2.0, 4.0]), np.array([0.0])),
)


def linear_sum(x):
    return 3.0 * x[0] - 2.0 * x[1]


case(
    "hessian_of_linear",
    source="pytorch/functorch#1",
    about="second derivative of a linear function is a zero matrix",
    fn=linear_sum,
    make_args=lambda: (np.array([1.0, 2.0]),),
    argnums=0,
    expected=np.zeros((2, 2)),
    order=2,
    differences=False,
)


def sinc_product(x):
    return np.sin(x[0]) / x[0] * (np.sin(x[1]) / x[1])


def _ref_sinc(x):
    def f(t):
        return np.sin(t) / t

    def d(t):
        return np.cos(t) / t - np.sin(t) / t**2

    def h(t):
        return -np.sin(t) / t - 2 * np.cos(t) / t**2 + 2 * np.sin(t) / t**3

    a, b = x
    return np.array([[h(a) * f(b), d(a) * d(b)], [d(a) * d(b), f(a) * h(b)]])


case(
    "hessian_sinc",
    source="FluxML/Zygote.jl#255",
    about="nested derivative of a product of quotients",
    fn=sinc_product,
    make_args=lambda: (np.array([0.9, 1.7]),),
    argnums=0,
    expected=_ref_sinc(np.array([0.9, 1.7])),
    order=2,
    differences=False,
)


def loop_hessian(x, n):
    s = 0.0
    p = 1.0
    for i in range(n):
        p = p * x[i]
        s += p * p
    return s


def _ref_loop_h(x):
    a, b, c = x
    return np.array(
        [
            [2 + 2 * b * b + 2 * b * b * c * c, 4 * a * b + 4 * a * b * c * c, 4 * a * b * b * c],
            [4 * a * b + 4 * a * b * c * c, 2 * a * a + 2 * a * a * c * c, 4 * a * a * b * c],
            [4 * a * b * b * c, 4 * a * a * b * c, 2 * a * a * b * b],
        ]
    )


case(
    "hessian_through_loop",
    source="vgvassilev/clad#1958, HIPS/autograd#116",
    about="second derivative through a loop with carried product",
    fn=loop_hessian,
    make_args=lambda: (np.array([1.5, -0.5, 2.0]), 3),
    argnums=0,
    expected=_ref_loop_h(np.array([1.5, -0.5, 2.0])),
    order=2,
    differences=False,
)


def enumerate_zip(x, y):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v * v
    for a, b in zip(x, y):
        s += a * b
    return s


case(
    "enumerate_zip",
    source="google/tangent fence.py / tangent-ad README (enumerate, zip)",
    about="enumerate and zip over arrays",
    fn=enumerate_zip,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])),
    argnums=(0, 1),
    expected=(np.array([4.0, 5.0 + 4.0, 6.0 + 12.0]), np.array([1.0, 2.0, 3.0])),
)


def default_kw(x, power=3, scale=2.0):
    return scale * x**power


case(
    "default_arguments",
    source="HIPS/autograd#64 (calling convention)",
    about="defaults left unspecified by the caller",
    fn=default_kw,
    make_args=lambda: (1.5,),
    argnums=0,
    expected=np.array(6 * 1.5**2),
)


def chained_assign(x):
    a = b = x * x
    a = a + 1.0
    c = [a, b, x]
    u, v, w = c
    return u * v * w


case(
    "chained_and_list_unpack",
    source="google/tangent#57 (lists)",
    about="a = b = expr; list literal; unpacking",
    fn=chained_assign,
    make_args=lambda: (1.5,),
    argnums=0,
    expected=np.array(5 * 1.5**4 + 3 * 1.5**2),
)


def sum_method(x):
    return np.exp(x).sum() + 1.0


case(
    "ndarray_method_call",
    source="google/tangent#73",
    about="method call on an intermediate array: np.exp(x).sum()",
    fn=sum_method,
    make_args=lambda: (np.array([0.1, 0.2]),),
    argnums=0,
    expected=np.exp(np.array([0.1, 0.2])),
)


_x23 = np.array([[1.5, -0.5, 2.0], [0.3, 1.2, -0.8]])


def last_slice_wins(x):
    r = x[:, 0]
    for f in range(x.shape[1]):
        r = x[:, f]
    return np.sum(r * r)


case(
    "loop_last_value",
    source="google/tangent#56",
    about="loop variable rebinding a slice; only the last one survives",
    fn=last_slice_wins,
    make_args=lambda: (_x23.copy(),),
    argnums=0,
    expected=(lambda x: np.c_[np.zeros((2, 2)), 2 * x[:, 2]])(_x23),
)


def conditional_diag_add(d, n):
    S = np.zeros((n, n))
    for i in range(n):
        S[i, 2] = 1.0
        if i == 2:
            S[i, i] += d[i]
    return np.sum(S * S)


case(
    "augassign_subscript_conditional",
    source="google/tangent#69",
    about="S[i,i] += d[i] under an if inside a loop",
    fn=conditional_diag_add,
    make_args=lambda: (np.array([1.0, 2.0, 3.0, 4.0]), 4),
    argnums=0,
    expected=np.array([0.0, 0.0, 2 * 4.0, 0.0]),
)
