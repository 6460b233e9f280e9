"""Gymnasium adapters of the worlds: spaces, codecs, rewards and pictures, no rule of a world."""
