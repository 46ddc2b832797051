"""Array expressions: broadcasting, reductions, sorting, layouts and dtypes of arguments."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def cumsum_weighted(x):
    return np.sum(np.cumsum(x) * np.cumsum(x) * np.array([1.0, -1.0, 2.0]))


case(
    "cumsum",
    source="FluxML/Flux.jl#524 (PR)",
    about="cumsum used twice",
    fn=cumsum_weighted,
    make_args=lambda: (np.array([1.0, 2.0, -0.5]),),
    argnums=0,
    expected=(lambda c, w: np.cumsum((2 * c * w)[::-1])[::-1])(
        np.cumsum(np.array([1.0, 2.0, -0.5])), np.array([1.0, -1.0, 2.0])
    ),
)


def bcast_outer(a, b):
    return np.sum(a * b * b)


_b4 = np.array([[1.0, -2.0, 0.5, 3.0]])


_a4 = np.array([[2.0], [0.5], [-1.0]])

case(
    "broadcast_size1_dims",
    source="pytorch/pytorch#1787",
    about="(3,1) with (1,4): gradients reduced to the size-1 shapes",
    fn=bcast_outer,
    make_args=lambda: (_a4.copy(), _b4.copy()),
    argnums=(0, 1),
    expected=(np.full((3, 1), np.sum(_b4**2)), 2 * _b4 * np.sum(_a4)),
)


def bcast_rank(a, b):
    return np.sum((a + b) ** 2)


_r3 = np.arange(6.0).reshape(2, 3)


_r1 = np.array([1.0, -1.0, 0.5])

case(
    "broadcast_rank_mismatch",
    source="pytorch/pytorch#913, tracel-ai/burn#181",
    about="(2,3)+(3,): leading axis summed away",
    fn=bcast_rank,
    make_args=lambda: (_r3.copy(), _r1.copy()),
    argnums=(0, 1),
    expected=(2 * (_r3 + _r1), (2 * (_r3 + _r1)).sum(0)),
)


def bcast_assign(row, n):
    out = np.zeros((n, row.shape[0]))
    out[:] = row
    out[0] = 2.0
    return np.sum(out * out)


case(
    "broadcast_in_assignment",
    source="HIPS/autograd#58, NVIDIA/warp docs",
    about="out[:] = row broadcasts on store; one row overwritten after",
    fn=bcast_assign,
    make_args=lambda: (np.array([1.0, -2.0]), 3),
    argnums=0,
    expected=2 * 2 * np.array([1.0, -2.0]),
)


_x23 = np.array([[1.5, -0.5, 2.0], [0.3, 1.2, -0.8]])


def normalise_rows(p):
    s = 1.0 / np.sqrt(np.sum(p * p, axis=1))
    q = p * s.reshape((-1, 1))
    return np.sum(q * W_NR)


W_NR = np.array([[1.0, 2.0, 3.0], [-1.0, 0.5, 2.0]])


def _ref_nr(p):
    n = np.sqrt((p * p).sum(1, keepdims=True))
    q = p / n
    return (W_NR - q * (W_NR * q).sum(1, keepdims=True)) / n


case(
    "reduce_axis_reshape_broadcast",
    source="google/tangent#70",
    about="sum(axis=1), method reshape((-1,1)), broadcast back",
    fn=normalise_rows,
    make_args=lambda: (_x23.copy(),),
    argnums=0,
    expected=_ref_nr(_x23),
)


_p53 = np.array([[0.2, -1.0, 0.5], [1.5, 0.3, -0.7], [0.9, 0.1, 2.0], [-1.1, 0.4, 0.6]])


def mean_var_axis(x):
    m = np.sum(x, axis=0) / x.shape[0]
    d = x - m
    v = np.sum(d * d, axis=0) / (x.shape[0] - 1)
    return np.sum(v * np.array([1.0, 2.0, 3.0]))


def _ref_mv(x):
    d = x - x.mean(0)
    return 2 * d / (x.shape[0] - 1) * np.array([1.0, 2.0, 3.0])


case(
    "variance_axis0",
    source="jax-ml/jax#8128, pytorch/pytorch#4320",
    about="axis reductions feeding each other",
    fn=mean_var_axis,
    make_args=lambda: (_p53.copy(),),
    argnums=0,
    expected=_ref_mv(_p53),
)


def sorted_dot(x, w):
    return np.sum(np.sort(x) * w)


case(
    "sort_1d",
    source="HIPS/autograd#349",
    about="gradient follows the permutation",
    fn=sorted_dot,
    make_args=lambda: (np.array([3.0, 1.0, 2.0]), np.array([10.0, 20.0, 30.0])),
    argnums=(0, 1),
    expected=(np.array([30.0, 10.0, 20.0]), np.array([1.0, 2.0, 3.0])),
)


def argmax_gather(x, y):
    k = np.argmax(x)
    return y[k] * x[k]


case(
    "argmax_gather",
    source="jax-ml/jax#13600",
    about="argmax (inactive) used to index active arrays",
    fn=argmax_gather,
    make_args=lambda: (np.array([1.0, 4.0, 2.0]), np.array([7.0, 8.0, 9.0])),
    argnums=(0, 1),
    expected=(np.array([0.0, 8.0, 0.0]), np.array([0.0, 4.0, 0.0])),
)


def concat_stack(a, b):
    c = np.concatenate((a, b * b, a))
    return np.sum(c * np.arange(1.0, 8.0))


case(
    "concatenate_repeat",
    source="HIPS/autograd#138",
    about="same array appears twice in a concatenate",
    fn=concat_stack,
    make_args=lambda: (np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])),
    argnums=(0, 1),
    expected=(np.array([1.0 + 6.0, 2.0 + 7.0]), 2 * np.array([3.0, 4.0, 5.0]) * np.array([3.0, 4.0, 5.0])),
)


def int_trace(x):
    s = 0
    for i in range(x.shape[0]):
        s += x[i, i]
    return s


case(
    "int_array_argument",
    source="google/tangent#32",
    about="int64 array as differentiated argument (KeyError in tangent)",
    fn=int_trace,
    make_args=lambda: (np.eye(3, dtype=np.int64),),
    argnums=0,
    expected=np.eye(3),
    accept_error=(TypeError,),
    differences=False,
)


def int_scaled_index(x, n):
    s = 0.0
    for i in range(n):
        s += x[i // 2] * i + x[i % 2] * i**2
    return s


case(
    "integer_arithmetic_inactive",
    source="chalk-lab/Mooncake.jl#551 (NoTangent ints)",
    about="integer //, %, ** on loop indices stay inactive",
    fn=int_scaled_index,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]), 5),
    argnums=0,
    expected=np.array([0 + 1 + 0 + 4 + 16.0, 2 + 3 + 1 + 9.0, 4.0]),
)


def mat_poly(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s += m[i, j] * m[i, j] * (i + 2.0 * j)
    return s


_m34 = np.arange(12.0).reshape(3, 4)


_wij = np.add.outer(np.arange(3.0), 2 * np.arange(4.0))

case(
    "fortran_order_input",
    source="chainer/chainer#816, OP2/PyOP2#224",
    about="Fortran-ordered argument",
    fn=mat_poly,
    make_args=lambda: (np.asfortranarray(_m34),),
    argnums=0,
    expected=2 * _m34 * _wij,
)

case(
    "noncontiguous_input",
    source="chainer/chainer#816",
    about="strided (every other column) view as the argument",
    fn=mat_poly,
    make_args=lambda: (np.repeat(_m34, 2, axis=1)[:, ::2],),
    argnums=0,
    expected=2 * _m34 * _wij,
    note="make_args gives a genuine strided view",
)


def readonly_ok(x):
    return np.sum(np.sin(x))


def _ro():
    a = np.array([0.1, 0.2])
    a.flags.writeable = False
    return (a,)


case(
    "readonly_input",
    source="jax-ml/jax#101 (read-only arrays)",
    about="read-only NumPy array as the argument",
    fn=readonly_ok,
    make_args=_ro,
    argnums=0,
    expected=np.cos(np.array([0.1, 0.2])),
)


def zero_dim(x):
    return x * x


case(
    "zero_dim_array",
    source="HIPS/autograd#64 (scalar-shape handling)",
    about="0-d array argument: gradient is 0-d",
    fn=zero_dim,
    make_args=lambda: (np.array(3.0),),
    argnums=0,
    expected=np.array(6.0),
)
