"""What an agent may ask and do: named tools with JSON arguments, one module a world."""
