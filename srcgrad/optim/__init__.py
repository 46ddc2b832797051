"""PyTorch's ``torch.optim``: methods that train parameters."""

from srcgrad.optim import lr_scheduler
from srcgrad.optim.lbfgs import LBFGS
from srcgrad.optim.methods import SGD, Adagrad, Adam, AdamW, RMSprop
from srcgrad.optim.optimizer import Optimizer

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]
