"""What happens: the worlds, on NumPy and SciPy alone."""
