"""Functions of the module ``math``, which take and give Python numbers."""

from __future__ import annotations

from conformance.grid import POSITIVE, UNIT, inside, of_number
from conformance.row import between, case, numbers, row

for _name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "exp", "exp2", "expm1", "cbrt", "fabs"):
    of_number(f"math.{_name}")
for _name in ("log", "log2", "log10", "log1p", "sqrt", "gamma", "lgamma"):
    of_number(f"math.{_name}", POSITIVE)
for _name in ("asin", "acos", "atanh"):
    of_number(f"math.{_name}", UNIT, whole=False)
of_number("math.acosh", inside(1.1, 4.0))
for _name in ("erf", "erfc", "degrees", "radians", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite"):
    of_number(f"math.{_name}")
for _name in ("atan2", "copysign", "fmod", "hypot", "pow"):
    row(f"math.{_name}", "(x, y)", [case(f"math.{_name}(x, y)", [between(0.2, 3.0), numbers()])])
