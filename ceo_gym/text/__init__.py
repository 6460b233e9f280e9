"""What is told in words: labels, messages, notices and posts, made from a world's records."""
