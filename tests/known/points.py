"""Points where a formula fails: powers at zero, norms, ties, masked infinities, products with zeros."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case, values


def pow_int(x, n):
    return x**n


case(
    "pow_int_one_at_zero",
    source="stan-dev/math#3031",
    about="x**1 at x=0: derivative 1",
    fn=pow_int,
    make_args=lambda: (0.0, 1),
    argnums=0,
    expected=np.array(1.0),
)

case(
    "pow_int_two_at_zero",
    source="HIPS/autograd#116",
    about="x**2 at x=0",
    fn=pow_int,
    make_args=lambda: (0.0, 2),
    argnums=0,
    expected=np.array(0.0),
)

case(
    "pow_negative_exponent",
    source="RobotLocomotion/drake#17655 (PR)",
    about="x**-2",
    fn=pow_int,
    make_args=lambda: (2.0, -2),
    argnums=0,
    expected=np.array(-0.25),
)


def pow_both(a, b):
    return a**b


case(
    "pow_zero_base_exponent_grad",
    source="pytorch/pytorch#27134, HIPS/autograd#149",
    about="d/db a**b at a=0, b=1 is 0 (not nan)",
    fn=pow_both,
    make_args=lambda: (0.0, 1.0),
    argnums=1,
    expected=np.array(0.0),
)


def pow_three_half(x):
    return x**1.5


case(
    "pow_fraction_at_zero",
    source="HIPS/autograd#581",
    about="x**1.5 at 0: one-sided derivative 0",
    fn=pow_three_half,
    make_args=lambda: (0.0,),
    argnums=0,
    expected=np.array(0.0),
    differences=False,
)


def x_times_sqrt(x):
    return x * x**0.5


case(
    "x_times_sqrt_at_zero",
    source="HIPS/autograd#581, tinygrad/tinygrad#12409",
    about="x*sqrt(x) at 0: 0*inf in the chain rule",
    fn=x_times_sqrt,
    make_args=lambda: (0.0,),
    argnums=0,
    expected=np.array(0.0),
    accept=[values(np.nan)],
    note="most ADs give nan; 0 is the mathematical one-sided value",
    differences=False,
)


def norm_linalg_sq(x):
    return np.linalg.norm(x) ** 2


case(
    "norm_squared_at_zero",
    source="HIPS/autograd#617, HIPS/autograd#570, jax-ml/jax#4177",
    about="norm(x)**2 at 0: true gradient exists and is 0",
    fn=norm_linalg_sq,
    make_args=lambda: (np.zeros(2),),
    argnums=0,
    expected=np.zeros(2),
)


def abs_sum(x):
    return np.sum(np.abs(x))


case(
    "abs_at_zero",
    source="rsokl/MyGrad#379 (PR), HIPS/autograd#151",
    about="abs at 0 -> 0",
    fn=abs_sum,
    make_args=lambda: (np.array([-2.0, 0.0, 2.0]),),
    argnums=0,
    expected=np.array([-1.0, 0.0, 1.0]),
    accept=[values(np.array([-1.0, 1.0, 1.0]))],
    differences=False,
)


def safe_where(x):
    return np.sum(np.where(x >= 0.0, x, np.sqrt(-x)))


case(
    "where_nan_branch",
    source="HIPS/autograd#802, jax-ml/jax#347, pytorch/pytorch#52248",
    about="np.where whose unselected branch is nan/inf",
    fn=safe_where,
    make_args=lambda: (np.array([1.0, 4.0, -4.0]),),
    argnums=0,
    expected=np.array([1.0, 1.0, -0.25]),
)


def where_sqrt_rows(x):
    r = np.sqrt(np.sum(x * x, axis=1))
    return np.sum(np.where(r > 0.5, r, 1.0))


case(
    "where_after_sqrt_zero_row",
    source="jax-ml/jax#347",
    about="sqrt at an exact zero row masked out by where",
    fn=where_sqrt_rows,
    make_args=lambda: (np.array([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0]]),),
    argnums=0,
    expected=np.array([[1 / np.sqrt(5), 2 / np.sqrt(5)], [0.6, 0.8], [0.0, 0.0]]),
)


def capped_reciprocal(x):
    y = 1.0 / (x * x)
    return np.sum(np.minimum(1.0, y))


case(
    "min_of_infinite",
    source="EnzymeAD/Enzyme.jl docs FAQ 'Strong Zero'",
    about="inactive operand of minimum is inf: gradient 0, not nan (0*inf)",
    fn=capped_reciprocal,
    make_args=lambda: (np.array([0.0, 2.0]),),
    argnums=0,
    expected=np.array([0.0, -0.25]),
)


def where_overflow(x):
    return np.sum(np.where(x <= 10.0, np.exp(x), 1.0) * 2.0)


case(
    "where_overflow_branch",
    source="pytorch/pytorch#156212",
    about="unselected branch overflows to inf",
    fn=where_overflow,
    make_args=lambda: (np.array([1.0, 10000000000.0]),),
    argnums=0,
    expected=np.array([2 * np.e, 0.0]),
)


def xlogx(p):
    s = 0.0
    for i in range(p.shape[0]):
        if p[i] > 0.0:
            s -= p[i] * np.log(p[i])
    return s


case(
    "entropy_guard",
    source="pytorch/pytorch#52248 (same class)",
    about="guard by if inside the loop: zero entries contribute exactly nothing",
    fn=xlogx,
    make_args=lambda: (np.array([0.5, 0.0, 0.25]),),
    argnums=0,
    expected=np.array([-np.log(0.5) - 1.0, 0.0, -np.log(0.25) - 1.0]),
    differences=False,
)


def mask_multiply(x):
    m = x >= 0.0
    return np.sum(m * x * x)


case(
    "bool_mask_multiply",
    source="EnzymeAD/Enzyme.jl#2858",
    about="boolean mask times active array",
    fn=mask_multiply,
    make_args=lambda: (np.array([1.0, -2.0, 3.0]),),
    argnums=0,
    expected=np.array([2.0, 0.0, 6.0]),
)


def max_axis0(x):
    return np.sum(np.max(x, axis=0))


case(
    "max_tie_axis",
    source="apache/mxnet#18563, Theano/Theano#4568",
    about="np.max(axis=0) over all-equal columns: each column's gradient sums to 1",
    fn=max_axis0,
    make_args=lambda: (np.ones((4, 3)),),
    argnums=0,
    expected=np.full((4, 3), 0.25),
    accept=[values(np.vstack([np.ones(3), np.zeros((3, 3))])), values(np.vstack([np.zeros((3, 3)), np.ones(3)]))],
    differences=False,
)


def clipped(x):
    return np.sum(np.clip(x, 0.0, 2.0) * np.array([1.0, 2.0, 3.0, 4.0]))


case(
    "clip_regions",
    source="pytorch/pytorch#184572",
    about="clip below / inside / above",
    fn=clipped,
    make_args=lambda: (np.array([-1.0, 0.5, 1.9, 3.0]),),
    argnums=0,
    expected=np.array([0.0, 2.0, 3.0, 0.0]),
)


def prod_all(x):
    return np.prod(x)


case(
    "prod_one_zero",
    source="EnzymeAD/Enzyme.jl#1382, pytorch/pytorch#773",
    about="np.prod with one zero",
    fn=prod_all,
    make_args=lambda: (np.array([5.0, 0.0, 6.0]),),
    argnums=0,
    expected=np.array([0.0, 30.0, 0.0]),
)

case(
    "prod_two_zeros",
    source="tinygrad/tinygrad#17404 (PR)",
    about="np.prod with two zeros",
    fn=prod_all,
    make_args=lambda: (np.array([0.0, 0.0, 3.0]),),
    argnums=0,
    expected=np.zeros(3),
)


def cumprod_lin(x):
    return np.sum(np.cumprod(x) * np.array([1.0, 2.0, 3.0, 4.0]))


def _ref_cumprod_lin(x):
    w = np.array([1.0, 2.0, 3.0, 4.0])
    n = len(x)
    g = np.zeros(n)
    for k in range(n):
        for i in range(k + 1):
            g[i] += w[k] * np.prod(np.delete(x[: k + 1], i))
    return g


case(
    "cumprod_zero_linear",
    source="pymc-devs/pytensor#1911 (PR)",
    about="cumprod with a zero, gradient nonzero AT the zero",
    fn=cumprod_lin,
    make_args=lambda: (np.array([2.0, 0.0, 3.0, -1.0]),),
    argnums=0,
    expected=_ref_cumprod_lin(np.array([2.0, 0.0, 3.0, -1.0])),
)
