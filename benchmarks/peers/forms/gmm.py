"""A mixture of Gaussians over arrays: points by components by dimensions. What is constant is left out."""

from __future__ import annotations

from typing import Any

import numpy as np


def log_sum_exp(xp: Any, x: Any) -> Any:
    """Over the last axis; the largest element takes no part in the derivative."""
    top = x.max(-1) if xp.__name__ != "torch" else x.max(-1).values
    return top + xp.log(xp.sum(xp.exp(x - top[..., None]), -1))


def value(xp: Any, alphas: Any, means: Any, icf: Any, points: Any, gamma: Any, m: int) -> Any:
    n, d = points.shape
    components = alphas.shape[0]
    columns, rows = np.triu_indices(d, 1)  # below the diagonal, by columns
    at = np.zeros((d, d), dtype=int)
    at[rows, columns] = d + np.arange(len(rows))
    mask = np.tril(np.ones((d, d)), -1)
    if xp.__name__ == "torch":
        at, mask = xp.as_tensor(at), xp.as_tensor(mask)
    lower = icf[:, at.reshape(-1)].reshape(components, d, d) * mask
    scale = xp.exp(icf[:, :d])
    centred = points[:, None] - means
    y = scale * centred + xp.einsum("kab,nkb->nka", lower, centred)
    terms = alphas + xp.sum(icf[:, :d], 1) - 0.5 * xp.sum(y * y, 2)
    squares = xp.sum(scale * scale) + xp.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * xp.sum(icf[:, :d])
    return xp.sum(log_sum_exp(xp, terms)) - n * log_sum_exp(xp, alphas) + prior


FORMS = dict.fromkeys(("jax", "torch", "autograd"), value)
