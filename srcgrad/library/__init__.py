"""NumPy, math and SciPy functions written in srcgrad's own language."""
