"""The literal evaluation that judges everything else; it shares no code with what it judges."""
