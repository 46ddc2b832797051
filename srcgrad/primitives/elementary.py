"""Elementary functions of NumPy and math. In each rule y is the primitive's own result."""

from __future__ import annotations

import math

import numpy as np

from srcgrad.primitives.scalar import real_part, scalar

scalar("exp", "np.exp({0})", lambda x, y: y, functions=(np.exp, math.exp), cost=20)
scalar("log", "np.log({0})", lambda x, y: 1.0 / x, functions=(np.log, math.log), singular=True, cost=20)
scalar("sin", "np.sin({0})", lambda x, y: np.cos(x), functions=(np.sin, math.sin), cost=20)
scalar("cos", "np.cos({0})", lambda x, y: -np.sin(x), functions=(np.cos, math.cos), cost=20)
scalar("sqrt", "np.sqrt({0})", lambda x, y: 0.5 / y, functions=(np.sqrt, math.sqrt), singular=True, cost=6)
scalar("tanh", "np.tanh({0})", lambda x, y: 1.0 - y * y, functions=(np.tanh, math.tanh), cost=20)
scalar(
    "abs",
    "abs({0})",
    lambda x, y: 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0),
    functions=(abs, np.abs, np.absolute, np.fabs, math.fabs),
    infer=real_part,
)
scalar("floor", "np.floor({0})", functions=(np.floor,))
