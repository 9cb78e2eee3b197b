"""What a function finds outside itself: where, of what kind, and what must hold."""
