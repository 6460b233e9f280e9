"""What every simulator shares: random streams, parameter files, growing tables, snapshots."""
