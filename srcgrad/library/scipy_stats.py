"""``scipy.stats``: the normal distribution's functions, with derivatives by its location and scale, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import norm

from srcgrad.frontend.arrays.elementwise import elementwise
from srcgrad.primitives.library import library

Array = NDArray[np.floating]
Number = Array | float


@library(norm.pdf)
def pdf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_density(x, loc, scale)


@library(norm.logpdf)
def logpdf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_log_density(x, loc, scale)


@library(norm.cdf)
def cdf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_distribution(x, loc, scale)


@library(norm.sf)
def sf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_survival(x, loc, scale)


@library(norm.logcdf)
def logcdf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_log_distribution(x, loc, scale)


@library(norm.logsf)
def logsf(x: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_log_survival(x, loc, scale)


@library(norm.ppf)
def ppf(q: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_quantile(q, loc, scale)


@library(norm.isf)
def isf(q: Number, loc: Number = 0.0, scale: Number = 1.0) -> Number:
    return normal_upper_quantile(q, loc, scale)


# SciPy gives NaN where the scale is not positive.


@elementwise()
def normal_density(x: float, loc: float, scale: float) -> float:
    z = (x - loc) / scale
    return np.exp(-0.5 * z * z) / (2.5066282746310002 * scale) if scale > 0.0 else np.nan


@elementwise()
def normal_log_density(x: float, loc: float, scale: float) -> float:
    z = (x - loc) / scale
    return -0.5 * z * z - 0.9189385332046727 - np.log(scale) if scale > 0.0 else np.nan


@elementwise()
def normal_distribution(x: float, loc: float, scale: float) -> float:
    return special.ndtr((x - loc) / scale) if scale > 0.0 else np.nan


@elementwise()
def normal_survival(x: float, loc: float, scale: float) -> float:
    return special.ndtr((loc - x) / scale) if scale > 0.0 else np.nan


@elementwise()
def normal_log_distribution(x: float, loc: float, scale: float) -> float:
    return special.log_ndtr((x - loc) / scale) if scale > 0.0 else np.nan


@elementwise()
def normal_log_survival(x: float, loc: float, scale: float) -> float:
    return special.log_ndtr((loc - x) / scale) if scale > 0.0 else np.nan


@elementwise()
def normal_quantile(q: float, loc: float, scale: float) -> float:
    return loc + scale * special.ndtri(q) if scale > 0.0 else np.nan


@elementwise()
def normal_upper_quantile(q: float, loc: float, scale: float) -> float:
    return loc - scale * special.ndtri(q) if scale > 0.0 else np.nan
