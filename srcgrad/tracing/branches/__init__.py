"""Both arms of an `if`: the one that is asked for, and the other."""
