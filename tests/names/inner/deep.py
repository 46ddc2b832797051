"""Helpers that read a global of their own module."""

FACTOR = 2.0


def cube(x):
    return x**3


def square(x):
    return x * x


def helper(x):
    return cube(x) * FACTOR
