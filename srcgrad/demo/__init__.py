"""The demonstration behind ``python -m srcgrad demo``: a mixture of Gaussians on real data."""
