"""Subscripts: negative and strided, gathers and scatters, masks."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# The programs are written as users write them, without annotations; matrices have capital names.

from __future__ import annotations

import numpy as np

from known.case import case


def neg_index(x):
    return x[-1] * x[-2] + x[-x.shape[0]]


case(
    "negative_index",
    source="pymc-devs/pytensor#1054",
    about="negative scalar indices",
    fn=neg_index,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]),),
    argnums=0,
    expected=np.array([1.0, 3.0, 2.0]),
)


def interleave(x):
    return np.sum(x[0::2] * x[1::2])


case(
    "strided_slice_pairs",
    source="pymc-devs/pytensor#2240 (PR)",
    about="even/odd strided slices (RoPE pattern)",
    fn=interleave,
    make_args=lambda: (np.array([1.0, 2.0, 3.0, 4.0]),),
    argnums=0,
    expected=np.array([2.0, 1.0, 4.0, 3.0]),
)


def gather_dups(x, idx):
    return np.sum(x[idx] ** 2)


case(
    "gather_duplicate_indices",
    source="HIPS/autograd#39",
    about="fancy-index read with repeated indices must scatter-ADD",
    fn=gather_dups,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]), np.array([0, 0, 2, 0])),
    argnums=0,
    expected=np.array([6.0, 0.0, 6.0]),
)


def scatter_set_loop(y, idx, n):
    z = np.zeros(n)
    for k in range(y.shape[0]):
        z[idx[k]] = y[k] * y[k]
    return np.sum(z)


case(
    "scatter_set_last_wins",
    source="pytorch/pytorch#473, pytorch/pytorch#146299, tensorflow/tensorflow#56961",
    about="overwriting store: only the last write to a cell is active",
    fn=scatter_set_loop,
    make_args=lambda: (np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 0]), 2),
    argnums=0,
    expected=np.array([0.0, 0.0, 6.0, 8.0]),
)


def fancy_assign_dups(y, idx):
    z = np.zeros(3)
    z[idx] = y
    return np.sum(z * np.array([1.0, 10.0, 100.0]))


case(
    "fancy_assign_last_wins",
    source="pytorch/pytorch#473",
    about="z[idx] = y with duplicates: NumPy keeps the last value",
    fn=fancy_assign_dups,
    make_args=lambda: (np.array([1.0, 2.0, 3.0]), np.array([0, 0, 2])),
    argnums=0,
    expected=np.array([0.0, 1.0, 100.0]),
)


def bool_mask_write(x):
    y = x * x
    y[x < 0.0] = 7.0
    return np.sum(y * x)


case(
    "boolean_mask_write",
    source="aidancrilly/NeSST#71 (PR)",
    about="y[mask] = const",
    fn=bool_mask_write,
    make_args=lambda: (np.array([1.0, -2.0, 3.0]),),
    argnums=0,
    expected=np.array([3.0, 7.0, 27.0]),
)


def diff_sum(x):
    return np.sum((x[1:] - x[:-1]) ** 2)


case(
    "diff_single_element",
    source="HIPS/autograd#78",
    about="length-1 input: the difference is empty, gradient is [0.]",
    fn=diff_sum,
    make_args=lambda: (np.array([0.0667]),),
    argnums=0,
    expected=np.array([0.0]),
)


def abs_sum(x):
    return np.sum(np.abs(x))


case(
    "zero_length_input",
    source="JuliaDiff/ForwardDiff.jl#399, stan-dev/math#2407, pytorch/pytorch#190436",
    about="empty input array: gradient is an empty array of the same shape",
    fn=abs_sum,
    make_args=lambda: (np.zeros(0),),
    argnums=0,
    expected=np.zeros(0),
    differences=False,
)
