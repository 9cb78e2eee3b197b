"""Scipy.spatial: what holds Variables."""
