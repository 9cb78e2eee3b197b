"""Integers that count: iterations, indices, lengths, sizes."""
