"""A small program for each feature that users' Numba kernels use, by stage; the most frequent first."""
