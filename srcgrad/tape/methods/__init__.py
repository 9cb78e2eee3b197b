"""The methods of ``Variable``, a chapter a topic; ``Variable`` inherits them all."""
