"""The user's functions as text, and the two copies that are made of them."""
