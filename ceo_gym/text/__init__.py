"""Texts made from a world's records: reports, guides, messages, posts."""
