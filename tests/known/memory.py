"""Writes into arrays: blocks, views, aliases, scratch, stencils, callees that mutate."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# ruff: noqa: N806
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case

_W44 = np.arange(16.0).reshape(4, 4)


def block_assign(a):
    b = np.zeros((4, 4))
    b[:2, :2] = a
    b[2:, 2:] = a * a
    return np.sum(b * np.arange(16.0).reshape(4, 4))


_a22 = np.array([[1.0, -2.0], [0.5, 3.0]])

case(
    "block_slice_assign",
    source="HIPS/autograd#58",
    about="assign a block of a larger zero matrix",
    fn=block_assign,
    make_args=lambda: (_a22.copy(),),
    argnums=0,
    expected=_W44[:2, :2] + 2 * _a22 * _W44[2:, 2:],
)


def assemble_rows(p):
    res = np.zeros(p.shape[0])
    for m in range(p.shape[0]):
        res[m] = np.sum(p[m] * p[0])
    return np.sum(res)


def _ref_rows(p):
    g = np.tile(p[0], (p.shape[0], 1))
    g[0] = 2 * p[0] + p[1:].sum(0)
    return g


_p53 = np.array([[0.2, -1.0, 0.5], [1.5, 0.3, -0.7], [0.9, 0.1, 2.0], [-1.1, 0.4, 0.6]])

case(
    "assemble_vector_elements",
    source="HIPS/autograd#177",
    about="res[m] = ... into a preallocated local array",
    fn=assemble_rows,
    make_args=lambda: (_p53.copy(),),
    argnums=0,
    expected=_ref_rows(_p53),
)


def view_of_view(x):
    a = x * 1.0
    v = a[1:]
    u = v[::2]
    u += 10.0 * x[0]
    v[1] = u[0] * a[2]
    return np.sum(a * A_VOV)


A_VOV = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


def _ref_vov(x):
    g = np.zeros(5)
    W = A_VOV
    a1 = x[1] + 10 * x[0]
    g[0] = W[0] + 10 * W[1] + 10 * W[3] + W[2] * x[2] * 10
    g[1] = W[1] + W[2] * x[2]
    g[2] = W[2] * a1
    g[3] = W[3]
    g[4] = W[4]
    return g


_x5 = np.array([0.5, 1.0, -2.0, 0.7, 1.1])

case(
    "view_of_view_write",
    source="pytorch/pytorch#49824, pytorch/pytorch#36608",
    about="chained views, strided view updated, element rewritten from its own alias",
    fn=view_of_view,
    make_args=lambda: (_x5.copy(),),
    argnums=0,
    expected=_ref_vov(_x5),
)


def write_transposed(x):
    base = np.zeros((4, 3))
    t = base.T
    t[1:3, :2] = x
    t[0, 3] = x[0, 0] * x[1, 1]
    return np.sum(base * base * np.arange(12.0).reshape(4, 3))


def _ref_wt(x):
    W = np.arange(12.0).reshape(4, 3)
    g = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            g[i, j] = 2 * x[i, j] * W[j, i + 1]
    k = 2 * x[0, 0] * x[1, 1] * W[3, 0]
    g[0, 0] += k * x[1, 1]
    g[1, 1] += k * x[0, 0]
    return g


case(
    "write_through_transpose",
    source="serge-sans-paille/pythran#1763",
    about="assignment through a transposed (F-ordered) view",
    fn=write_transposed,
    make_args=lambda: (_a22.copy(),),
    argnums=0,
    expected=_ref_wt(_a22),
)


def scale_input_inplace(x):
    s = 0.0
    for i in range(x.shape[0]):
        x[i] *= 3.0
        s += x[i] * x[i]
    return s


case(
    "mutates_input",
    source="vgvassilev/clad#464",
    about="function overwrites its own argument; gradient is wrt the ORIGINAL values",
    fn=scale_input_inplace,
    make_args=lambda: (np.array([1.0, -2.0, 0.5]),),
    argnums=0,
    expected=18.0 * np.array([1.0, -2.0, 0.5]),
)


def square_at(a, i):
    a[i] = a[i] * a[i]
    return a[i]


def mutate_through_call(a):
    r = 0.0
    for i in range(a.shape[0]):
        r += square_at(a, i) + a[i] * 0.5
    return r


case(
    "callee_mutates_element",
    source="vgvassilev/clad#465, vgvassilev/clad#441",
    about="helper function mutates an element passed by reference",
    fn=mutate_through_call,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]),),
    argnums=0,
    expected=3.0 * np.array([1.0, 2.0, 3.0]),
)


def scratch_power(x, n):
    tmp = np.empty(1)
    tmp[0] = 1.0
    for _ in range(n):
        tmp[0] *= x
    return tmp[0]


case(
    "scratch_buffer",
    source="EnzymeAD/Enzyme.jl docs FAQ 'Activity of temporary storage'",
    about="active value lives in a 1-element scratch array",
    fn=scratch_power,
    make_args=lambda: (1.2, 5),
    argnums=0,
    expected=np.array(5 * 1.2**4),
)


def dot_two(a, b):
    return np.sum(a * b)


def _same_twice():
    w = np.array([1.0, 2.0, 3.0])
    return w, w


case(
    "same_array_twice",
    source="EnzymeAD/Enzyme.jl#3408",
    about="the SAME array object passed in two slots: per-slot partials expected",
    fn=dot_two,
    make_args=_same_twice,
    argnums=(0, 1),
    expected=(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])),
    note="Enzyme's shared shadow gives [2,4,6] in both slots; JAX/Zygote/FD-per-slot give [1,2,3].",
    differences=False,
)


def cube_mix(a, b):
    return a * a * b


def repeated_argument(x):
    return cube_mix(x, x) + cube_mix(x, 2.0)


case(
    "repeated_argument_call",
    source="HIPS/autograd#141 (PR)",
    about="inner call f(x, x): contributions from both slots add",
    fn=repeated_argument,
    make_args=lambda: (3.0,),
    argnums=0,
    expected=np.array(3 * 9.0 + 4 * 3.0),
)


def stack_max(x):
    return np.max(np.stack((x, x)))


case(
    "max_over_duplicates",
    source="HIPS/autograd#141 (PR), HIPS/autograd#138",
    about="max over an array holding the same variable twice: gradient 1, not 2",
    fn=stack_max,
    make_args=lambda: (np.array([1.0, 5.0, 2.0]),),
    argnums=0,
    expected=np.array([0.0, 1.0, 0.0]),
)


def loop_rebinding_param(x, params):
    for i in range(params.shape[0]):
        x = np.cos(x + params[i])
    return np.sum(x)


case(
    "rebind_array_param_loop",
    source="EnzymeAD/Enzyme.jl#701",
    about="x = cos(x + p[i]) rebinding an array argument in a loop",
    fn=loop_rebinding_param,
    make_args=lambda: (np.array([1.0]), np.array([1.0, 0.5])),
    argnums=1,
    expected=np.array([np.sin(np.cos(2.0) + 0.5) * np.sin(2.0), -np.sin(np.cos(2.0) + 0.5)]),
)


def heat_inplace(u, k, n):
    for _ in range(n):
        left = u[0]
        for i in range(1, u.shape[0] - 1):
            old = u[i]
            u[i] = u[i] + k * (left - 2.0 * u[i] + u[i + 1])
            left = old
    return np.sum(u * u)


def _ref_heat(u, k, n):
    N = len(u)
    D = np.zeros((N, N))
    for i in range(1, N - 1):
        D[i, i - 1] = 1
        D[i, i] = -2
        D[i, i + 1] = 1
    S = np.eye(N) + k * D
    us = [u]
    du = np.zeros(N)
    for _ in range(n):
        du = S @ du + D @ us[-1]
        us.append(S @ us[-1])
    P = np.linalg.matrix_power(S, n)
    return 2 * P.T @ us[-1], np.array(2 * us[-1] @ du)


_u6 = np.array([1.0, 0.2, -0.5, 0.8, 0.3, -1.0])

case(
    "stencil_inplace",
    source="NVIDIA/warp docs 'Array Overwrites', DiffTaichi rule #1",
    about="in-place stencil on the input with a saved old value",
    fn=heat_inplace,
    make_args=lambda: (_u6.copy(), 0.2, 3),
    argnums=(0, 1),
    expected=_ref_heat(_u6, 0.2, 3),
)


def thomas_solve_sum(a, b, c, d):
    n = b.shape[0]
    cp = np.zeros_like(b)
    dp = np.zeros_like(b)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros_like(b)
    x[n - 1] = dp[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return np.sum(x * x)


_td = np.array([1.0, 2.0, -1.0, 0.5])


_ta = np.array([0.0, 1.0, 0.5, -0.3])


_tb = np.array([4.0, 5.0, 3.0, 4.5])


_tc = np.array([1.0, -0.5, 0.8, 0.0])


def _ref_thomas():
    T = np.diag(_tb) + np.diag(_ta[1:], -1) + np.diag(_tc[:-1], 1)
    x = np.linalg.solve(T, _td)
    lam = np.linalg.solve(T.T, 2 * x)
    G = -np.outer(lam, x)
    return np.r_[0.0, np.diag(G, -1)], np.diag(G).copy(), np.r_[np.diag(G, 1), 0.0], lam


case(
    "thomas_tridiagonal",
    source="spcl/dace autodiff store/recompute docs (dace/autodiff/autodiff.md)",
    about="forward + descending loop (range with step -1), two work arrays",
    fn=thomas_solve_sum,
    make_args=lambda: (_ta.copy(), _tb.copy(), _tc.copy(), _td.copy()),
    argnums=(0, 1, 2, 3),
    expected=_ref_thomas(),
)


_x23 = np.array([[1.5, -0.5, 2.0], [0.3, 1.2, -0.8]])


def clip_rows_inplace(x):
    y = x * x
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            if y[i, j] > 1.0:
                y[i, j] = 1.0
    return np.sum(y * x)


def _ref_clip(x):
    return np.where(x * x > 1, 1.0, 3 * x * x)


case(
    "conditional_overwrite",
    source="NVIDIA/warp docs 'Intra-Kernel Overwrite'",
    about="element conditionally overwritten by a constant kills its path",
    fn=clip_rows_inplace,
    make_args=lambda: (_x23.copy(),),
    argnums=0,
    expected=_ref_clip(_x23),
)
