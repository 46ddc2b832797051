"""One row for each NumPy, math and SciPy function: its signature, and the calls that it is checked with."""
