"""Gymnasium environments for running an organisation over a long horizon."""

__version__ = "0.1.0"
