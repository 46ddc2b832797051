"""Functions of scipy.special."""

from __future__ import annotations

from conformance.grid import POSITIVE, unary

for _name in ("erf", "erfc", "ndtr", "expit", "log_expit"):
    unary(f"special.{_name}", rtol=1e-12)
for _name in ("gamma", "gammaln"):
    unary(f"special.{_name}", POSITIVE, rtol=1e-12)
