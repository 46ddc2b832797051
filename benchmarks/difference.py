"""How far two gradients are apart."""

from __future__ import annotations

from typing import Any

import numpy as np


def difference(a: Any, b: Any) -> float:
    """The largest difference of two gradients, relative to the largest element of each argument's."""
    pairs = zip(a, b, strict=True) if isinstance(b, tuple) else [(a, b)]
    worst = 0.0
    for x, y in pairs:
        worst = max(worst, float(np.max(np.abs(np.asarray(x) - y)) / max(np.max(np.abs(y)), 1e-300)))
    return worst
