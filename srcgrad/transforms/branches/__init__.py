"""The same for the arms of an `if`."""
