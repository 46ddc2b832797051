"""srcgrad as a tool of GradBench (https://gradben.ch): ``python -m benchmarks.gradbench`` speaks its protocol."""
