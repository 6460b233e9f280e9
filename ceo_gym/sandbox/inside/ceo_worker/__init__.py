"""The process that runs programs, from inside its box. It imports nothing of ceo_gym."""
