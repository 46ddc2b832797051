"""Products of matrices for compiled code: generated modules import `matrix_product` and `add_product`.

Both are Numba's intrinsics over one function, `multiply`, which is compiled once for all layouts and kept on disk.
"""

from srcgrad.products.calls import add_product, matrix_product

__all__ = ["add_product", "matrix_product"]
