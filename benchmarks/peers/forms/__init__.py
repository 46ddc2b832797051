"""The suite's problems as one writes them for JAX, PyTorch and HIPS autograd; ``xp`` is the system's NumPy."""
