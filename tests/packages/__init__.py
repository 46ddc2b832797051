"""Functions of packages from PyPI, differentiated unchanged, against the derivatives that their authors wrote by hand.

Run them with ``pytest -m packages`` after ``pip install .[packages]``; a package that is missing is skipped.
"""
