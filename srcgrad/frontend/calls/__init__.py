"""Calls: who is called, how arguments meet parameters, and functions with source."""
