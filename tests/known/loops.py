"""Loops: bounds at run time, break and continue, while."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: N803, N806
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def running_total_inplace(x):
    a = x.copy()
    for i in range(1, a.shape[0]):
        a[i] += a[i - 1]
    return np.sum(a * a)


case(
    "inplace_prefix",
    source="NVIDIA/warp#1294, jax-ml/jax#1832",
    about="a[i] += a[i-1] (self-aliasing update in a loop)",
    fn=running_total_inplace,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]),),
    argnums=0,
    expected=np.array([20.0, 18.0, 12.0]),
)


def prefix_weighted(a, w, c, n):
    t = 0.0
    for j in range(n + 1):
        t = t + w[j] * a[j]
    return t * c


case(
    "runtime_bound_sum",
    source="NVIDIA/warp#140",
    about="loop bound is a run-time int argument; factor used after the loop",
    fn=prefix_weighted,
    make_args=lambda: (np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1.5, 3),
    argnums=(0, 2),
    expected=(np.array([1.5, 3.0, 4.5, 6.0, 0.0]), np.array(30.0)),
)


def product_runtime(x, n):
    p = 1.0
    for i in range(n):
        p *= x[i]
    return p


case(
    "runtime_product",
    source="NVIDIA/warp docs 'Dynamic Loops'",
    about="p *= x[i]: adjoint needs every intermediate p",
    fn=product_runtime,
    make_args=lambda: (np.array([2.0, 3.0, 5.0]), 3),
    argnums=0,
    expected=np.array([15.0, 10.0, 6.0]),
)


def geometry_then_layers(x, s, n):
    area = x[0] * x[1]
    acc = 1.0
    for k in range(n):
        acc = acc + s[k] * acc
    return area * acc + area * area


case(
    "preloop_value_postloop_use",
    source="NVIDIA/warp#1694",
    about="value defined before a run-time loop, used only after it",
    fn=geometry_then_layers,
    make_args=lambda: (np.array([2.0, 3.0]), np.array([0.5, -0.25, 1.0]), 3),
    argnums=(0, 1),
    expected=(np.array([3.0, 2.0]) * (1.5 * 0.75 * 2.0 + 12.0), 6.0 * np.array([0.75 * 2.0, 1.5 * 2.0, 1.5 * 0.75])),
)


def two_layer_net(w, x):
    h = np.zeros(3)
    for i in range(3):
        acc = 0.0
        for j in range(2):
            acc += w[i, j] * x[j]
        h[i] = np.tanh(acc)
    out = 0.0
    for i in range(3):
        acc = 0.0
        for j in range(3):
            acc += h[j] * (i + 1.0) * (j - 1.0)
        out += acc * acc
    return out


def _ref_two_layer(w, x):
    z = w @ x
    h = np.tanh(z)
    M = np.outer(np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.0, 1.0]))
    y = M @ h
    hb = M.T @ (2 * y)
    zb = hb * (1 - h * h)
    return np.outer(zb, x), w.T @ zb


_w0 = np.array([[0.3, -0.2], [0.5, 0.8], [-0.7, 0.1]])


_x0 = np.array([1.2, -0.4])

case(
    "nested_loops_dense",
    source="shader-slang/slang#13000, NVIDIA/warp#1293",
    about="nested loops with reused accumulators and stored activations",
    fn=two_layer_net,
    make_args=lambda: (_w0.copy(), _x0.copy()),
    argnums=(0, 1),
    expected=_ref_two_layer(_w0, _x0),
)


def sum_until_big(u, n):
    r = 0.0
    for i in range(1, n):
        r += i * u
        if r > 10.0:
            break
    return r * r


case(
    "break_on_value",
    source="vgvassilev/clad#833 (PR), vgvassilev/clad#746",
    about="break whose condition depends on the active value",
    fn=sum_until_big,
    make_args=lambda: (2.3, 50),
    argnums=0,
    expected=np.array(2 * (6 * 2.3) * 6.0),
)


def signed_steps(u, v):
    r = 11.0 * u
    for i in range(4):
        if i == 2:
            r += u * i * v
            continue
        else:
            r -= u * i
        r *= v
    return r


def _ref_signed(u, v):
    return np.array(((11 * v - 1) * v + 2 * v - 3) * v), np.array(u * (33 * v * v + 2 * v - 3))


case(
    "continue_mixed",
    source="vgvassilev/clad#832, vgvassilev/clad#710",
    about="continue skips part of the body only in one iteration",
    fn=signed_steps,
    make_args=lambda: (3.0, 0.5),
    argnums=(0, 1),
    expected=_ref_signed(3.0, 0.5),
)


def product_zero_exit(x):
    p = 1.0
    for v in x:
        p = p * v
        if p == 0.0:
            break
    return p


case(
    "product_break_degenerate",
    source="dfdx/Yota.jl#126",
    about="exit test p == 0.0: AD follows the executed path",
    fn=product_zero_exit,
    make_args=lambda: (np.array([2.0, 3.0, 0.0, 5.0]),),
    argnums=0,
    expected=np.array([0.0, 0.0, 6.0, 0.0]),
    note="No AD can see that the branch flips; document it. FD gives 30 for x[2].",
    differences=False,
)


def shrink_until_small(x):
    y = x
    while y > 1.0:
        y = 0.5 * y + 0.1 * np.sin(y)
    return y * y


def _ref_shrink(x):
    y, d = x, 1.0
    while y > 1.0:
        d *= 0.5 + 0.1 * np.cos(y)
        y = 0.5 * y + 0.1 * np.sin(y)
    return np.array(2 * y * d)


case(
    "while_data_dependent",
    source="google-deepmind/mujoco#2259, jax-ml/jax#2956",
    about="while loop whose trip count depends on the active value",
    fn=shrink_until_small,
    make_args=lambda: (9.3,),
    argnums=0,
    expected=_ref_shrink(9.3),
)


def cg_quadratic(A, b):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    k = 0
    while k < 3:
        Ap = A @ p
        alpha = r @ r / (p @ Ap)
        x = x + alpha * p
        rn = r - alpha * Ap
        beta = rn @ rn / (r @ r)
        p = rn + beta * p
        r = rn
        k += 1
    return x @ x


_Acg = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.25], [0.5, -0.25, 2.0]])


_bcg = np.array([1.0, -2.0, 0.5])


def _ref_cg(A, b):
    x = np.linalg.solve(A, b)
    lam = np.linalg.solve(A, 2 * x)
    return lam


case(
    "while_cg_solver",
    source="HIPS/autograd#556, google-deepmind/mujoco#1182",
    about="hand-written CG with rebinding (r, p, x) in a while loop",
    fn=cg_quadratic,
    make_args=lambda: (_Acg.copy(), _bcg.copy()),
    argnums=1,
    expected=_ref_cg(_Acg, _bcg),
    rtol=1e-05,
)


def repeat_until(x, k):
    r = 1.0
    n = 0
    while True:
        r = r * x
        n += 1
        if n >= k:
            break
    return r


case(
    "do_while_power",
    source="swiftlang/swift#78264",
    about="repeat-while (test at the end) with active carried value",
    fn=repeat_until,
    make_args=lambda: (1.5, 4),
    argnums=0,
    expected=np.array(4 * 1.5**3),
)


def sum_upper_loops(x):
    s = 0.0
    rows, cols = x.shape
    for i in range(rows):
        for j in range(i, cols):
            s = s + x[i, j] ** 2
    return s


case(
    "triangular_loop",
    source="google/tangent#31",
    about="inner loop bound depends on the outer index; shape unpacking",
    fn=sum_upper_loops,
    make_args=lambda: (np.arange(9.0).reshape(3, 3),),
    argnums=0,
    expected=2 * np.triu(np.arange(9.0).reshape(3, 3)),
)
