"""Branches and early returns."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def piecewise_return(x, k):
    if k == 0:
        return 2.0 * x
    n = k
    y = n + x
    for i in range(n):
        y *= i + 1.0
    return y


case(
    "early_return_not_taken",
    source="vgvassilev/clad#1940",
    about="same function, early return not taken",
    fn=piecewise_return,
    make_args=lambda: (1.5, 3),
    argnums=0,
    expected=np.array(6.0),
)


def return_inside_loop(x):
    for i in range(x.shape[0]):
        if x[i] > 2.0:
            return x[i] * x[i]
    return np.sum(x)


case(
    "return_in_loop_hit",
    source="shader-slang/slang#6394",
    about="return from inside a for loop",
    fn=return_inside_loop,
    make_args=lambda: (np.array([1.0, 0.5, 3.0, 4.0]),),
    argnums=0,
    expected=np.array([0.0, 0.0, 6.0, 0.0]),
)


def ternary_chain(x):
    y = 2.0 if x <= 0.0 else x + 2.0
    z = y * y if y > 3.0 else -y if y > 2.5 else y
    return z


case(
    "ternary_true_branch",
    source="google/tangent#82, google/tangent#84",
    about="nested conditional expressions",
    fn=ternary_chain,
    make_args=lambda: (3.0,),
    argnums=0,
    expected=np.array(10.0),
)

case(
    "ternary_constant_branch",
    source="google/tangent#82",
    about="constant branch: zero gradient",
    fn=ternary_chain,
    make_args=lambda: (-1.0,),
    argnums=0,
    expected=np.array(0.0),
)


def elif_ladder(x, y):
    if x > y and x > 0.0:
        r = x * y
    elif not y > 1.0 or x < -5.0:
        r = x - y
    else:
        r = x / y
    return r


case(
    "bool_ops_elif",
    source="google/tangent fence.py (unsupported syntax list)",
    about="and/or/not conditions, elif ladder",
    fn=elif_ladder,
    make_args=lambda: (-1.0, 2.0),
    argnums=(0, 1),
    expected=(np.array(0.5), np.array(0.25)),
)
