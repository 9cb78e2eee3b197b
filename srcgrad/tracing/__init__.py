"""Tracing: ``@trace``, where the tape and the compiler meet.

``decorator`` has ``trace``, and ``traced`` answers a call: from the cache if a trace
fits, else by ``record``, which runs the user's function once on the tape and gives the
graph that ``trace`` compiles.
"""
