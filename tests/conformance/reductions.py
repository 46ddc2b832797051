"""Reductions over axes, and what runs along an axis."""

from __future__ import annotations

from conformance.grid import reduction

reduction("np.sum", "(a, axis, dtype, keepdims)")
reduction("np.prod", "(a, axis, dtype, keepdims)")
reduction("np.mean", "(a, axis, dtype, keepdims)")
for _name in ("max", "min", "amax", "amin"):
    reduction(f"np.{_name}", "(a, axis, keepdims)", empty=False)
