"""Gradients of Python functions, as generated Python source compiled with Numba."""
