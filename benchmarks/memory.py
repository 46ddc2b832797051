"""Memory: the gradient of a sum over independent iterations stores nothing that grows with their number."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.processes import run, write_script

TITLE = "Peak memory of the gradient of a sum over n points, beyond arguments and result"

# The peak is reset after a small call has compiled everything and the argument exists, so that what is read
# afterwards is what one call needs. (Linux: clear_refs resets VmHWM.)
SCRIPT = """
import sys
import numpy as np
from srcgrad import grad

def term(x):
    return np.sin(x * x) * np.exp(-x)

def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += term(x[i])
    return s

def kilobytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field))

gradient = grad(total)
gradient(np.ones(10))
x = np.linspace(0.0, 1.0, int(sys.argv[1]))
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = kilobytes("VmRSS")
result = gradient(x)
beyond = kilobytes("VmHWM") - before - result.nbytes / 1024
assert np.allclose(result[::9999], ((2 * x * np.cos(x * x) - np.sin(x * x)) * np.exp(-x))[::9999], rtol=1e-12)
print(beyond / 1024)
"""


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = write_script(folder, "total.py", [SCRIPT])
        small, large = (float(run(script, n, cache=folder / "cache")) for n in ("100000", "10000000"))
    return [
        Figure("n = 10^5", small, "MB"),
        Figure("n = 10^7", large, "MB"),
        Figure("difference", abs(large - small), "MB", 1.0),
    ]
