"""Benchmarks: what srcgrad costs beside the primal and beside adjoints written by hand.

Whoever sets ``OPENBLAS_CORETYPE`` measures another BLAS than users have, and NumPy reads it once, at import.
"""

import os

for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[_name] = "1"
