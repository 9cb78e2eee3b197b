"""Scalarize: unboxed Python floats in place of 0-d and small arrays, where it pays."""
