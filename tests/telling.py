"""What an error tells: its sentence, and the notes behind it."""


def in_full(error):
    """All of it as one text."""
    return "\n".join([str(error), *getattr(error, "__notes__", ())])
