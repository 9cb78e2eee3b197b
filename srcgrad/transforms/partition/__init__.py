"""Partition into forward and backward: residuals, and whose memory results are in."""
