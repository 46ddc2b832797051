"""Whole programs after the fashion of well-known codes, written as their users write; `test_programs.py` runs them."""
