"""The lighter copy on the tape: what its calls do, what leaves it."""
