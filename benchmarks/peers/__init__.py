"""Other systems on the suite's problems: JAX, PyTorch and HIPS autograd, each in a process of its own.

``forms`` has a module for each problem, with the mapping ``FORMS`` from a system to the function as one writes it
there: it takes the system's NumPy (``jax.numpy``, ``torch``, ``autograd.numpy``) and the problem's arguments. Where
not a gradient is wanted but a Jacobian, ``DERIVATIVES`` maps a system to what makes the function that is timed.
"""

SYSTEMS = ("jax", "torch", "autograd")
