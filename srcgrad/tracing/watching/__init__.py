"""What the instrumented copy calls: reads, stores, loops, effects."""
