"""Small programs that run under PyTorch and under srcgrad: each takes the module and a dtype, and returns tensors."""
