"""Generated modules as files, so that debuggers, tracebacks and Numba's own cache work."""
