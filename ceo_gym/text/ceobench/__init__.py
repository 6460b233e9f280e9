"""Texts of the company world."""
