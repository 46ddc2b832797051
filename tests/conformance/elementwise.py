"""Functions of each element: trigonometric, hyperbolic, exponential, rounding, arithmetic."""

from __future__ import annotations

from conformance.grid import POSITIVE, UNIT, binary, inside, unary
from conformance.row import numbers

for _name in ("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "exp", "exp2", "expm1", "cbrt"):
    unary(f"np.{_name}")
for _name in ("arcsin", "arccos", "arctanh"):
    unary(f"np.{_name}", UNIT, whole=False)
unary("np.arccosh", inside(1.1, 4.0))
for _name in ("log", "log2", "log10", "log1p", "sqrt"):
    unary(f"np.{_name}", POSITIVE)
for _name in ("square", "negative", "positive", "abs", "absolute", "fabs", "sign", "sinc", "deg2rad", "radians"):
    unary(f"np.{_name}")
for _name in ("rad2deg", "degrees", "nan_to_num"):
    unary(f"np.{_name}")
unary("np.reciprocal", POSITIVE)
for _name in ("floor", "ceil", "trunc", "rint", "fix", "round"):
    unary(f"np.{_name}")
for _name in ("isnan", "isinf", "isfinite", "signbit", "logical_not"):
    unary(f"np.{_name}")

for _name in ("add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin", "arctan2", "hypot", "copysign"):
    binary(f"np.{_name}")
for _name in ("logaddexp", "logaddexp2", "heaviside"):
    binary(f"np.{_name}")
for _name in ("divide", "true_divide", "floor_divide", "mod", "remainder", "fmod"):
    binary(f"np.{_name}", numbers, POSITIVE)
for _name in ("power", "float_power"):
    binary(f"np.{_name}", POSITIVE, numbers)
for _name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
    binary(f"np.{_name}")
for _name in ("logical_and", "logical_or", "logical_xor", "isclose"):
    binary(f"np.{_name}")
