"""Values carried from one iteration to the next: rotations, accumulators, histories."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def rotate_buffers(x, c):
    u = x
    v = x * c
    w = v * c
    for _ in range(5):
        w = 2.0 * c * v - u
        u, v, w = v, w, u
    return v


case(
    "rotate_three_buffers",
    source="FluxML/Zygote.jl#1198",
    about="three-term (Chebyshev) recurrence rotating buffers",
    fn=rotate_buffers,
    make_args=lambda: (0.8, 0.3),
    argnums=(0, 1),
    expected=(
        np.array(np.cos(6 * np.arccos(0.3))),
        np.array(0.8 * 6 * np.sin(6 * np.arccos(0.3)) / np.sin(np.arccos(0.3))),
    ),
)


def fib_like(x, n):
    a, b = 0.0, 1.0
    for _ in range(n):
        a, b = b, a + b * x
    return a


case(
    "fib_tuple_assign",
    source="FluxML/Zygote.jl#1198",
    about="a, b = b, a + b*x",
    fn=fib_like,
    make_args=lambda: (0.5, 5),
    argnums=0,
    expected=np.array(4 * 0.5**3 + 6 * 0.5),
)


def inline_quotient(a, n):
    s = 0.0
    for i in range(n):
        s += 1.0 / (i + 1.0 + a * a)
    return s


case(
    "inline_divisor_in_loop",
    source="vgvassilev/clad#1865",
    about="temporary divisor inside a loop must be taped per iteration",
    fn=inline_quotient,
    make_args=lambda: (0.7, 4),
    argnums=0,
    expected=np.array(sum(-2 * 0.7 / (i + 1 + 0.49) ** 2 for i in range(4))),
)


def tanh_recurrence(x, n):
    s = x
    for _ in range(n):
        s = np.tanh(0.9 * s + 0.2)
    return s


def _ref_tanh(x, n):
    d = 1.0
    s = x
    for _ in range(n):
        s = np.tanh(0.9 * s + 0.2)
        d *= 0.9 * (1 - s * s)
    return np.array(d)


case(
    "reuse_op_result_in_loop",
    source="Genesis-Embodied-AI/quadrants#502 (PR)",
    about="adjoint of tanh/exp uses the forward RESULT: must be per-iteration",
    fn=tanh_recurrence,
    make_args=lambda: (0.6, 5),
    argnums=0,
    expected=_ref_tanh(0.6, 5),
)


def add_all_pairs(x, y):
    out = x.copy()
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            out[i] += y[j]
    return np.sum(out)


case(
    "nested_accumulate",
    source="taichi-dev/taichi#8356",
    about="same result through nested accumulation: gradient of y is n each",
    fn=add_all_pairs,
    make_args=lambda: (np.zeros(5), np.array([1.0, 2.0, 3.0])),
    argnums=(0, 1),
    expected=(np.ones(5), np.full(3, 5.0)),
)


def ewma_last(x, w):
    e = x[0]
    for i in range(1, x.shape[0]):
        e = (1.0 - w) * e + w * x[i]
    return e * e


def _ref_ewma(x, w):
    n = len(x)
    e = [x[0]]
    de = [0.0]
    for i in range(1, n):
        de.append((1 - w) * de[-1] + x[i] - e[-1])
        e.append((1 - w) * e[-1] + w * x[i])
    c = np.array([(1 - w) ** (n - 1)] + [w * (1 - w) ** (n - 1 - i) for i in range(1, n)])
    return 2 * e[-1] * c, np.array(2 * e[-1] * de[-1])


case(
    "ewma_recurrence",
    source="taichi-dev/taichi#2425",
    about="first-order recurrence carried through a loop",
    fn=ewma_last,
    make_args=lambda: (np.array([1.0, -0.5, 2.0, 0.25]), 0.3),
    argnums=(0, 1),
    expected=_ref_ewma(np.array([1.0, -0.5, 2.0, 0.25]), 0.3),
)


def plastic_return_map(th, n):
    acc = 0.0
    ep = np.zeros(n + 1)
    for i in range(n):
        trial = 1000.0 * (th * np.sin(2.0 * np.pi * i / n) - ep[i])
        d = 0.0
        if abs(trial) > 2.0:
            d = (abs(trial) - 2.0) / 1000.0
            acc += d
        if trial > 0:
            ep[i + 1] = ep[i] + d
        else:
            ep[i + 1] = ep[i] - d
    return acc


def _ref_plastic(th, n):
    acc = 0.0
    dacc = 0.0
    ep = 0.0
    dep = 0.0
    for i in range(n):
        s = np.sin(2 * np.pi * i / n)
        tr = 1000 * (th * s - ep)
        dtr = 1000 * (s - dep)
        d = dd = 0.0
        if abs(tr) > 2:
            d = (abs(tr) - 2) / 1000
            dd = np.sign(tr) * dtr / 1000
            acc += d
            dacc += dd
        sg = 1 if tr > 0 else -1
        ep += sg * d
        dep += sg * dd
    return np.array(dacc)


case(
    "plasticity_history",
    source="taichi-dev/taichi#8802",
    about="history array read at [i], written at [i+1] (loop-carried RAW)",
    fn=plastic_return_map,
    make_args=lambda: (0.0045, 60),
    argnums=0,
    expected=_ref_plastic(0.0045, 60),
    differences=False,
)
