"""The tables of a company's books as SQLite databases, filled from a world's records on demand."""
