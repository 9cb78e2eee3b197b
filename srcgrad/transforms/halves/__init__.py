"""Forward and backward: what one saves for the other, whose memory it is."""
