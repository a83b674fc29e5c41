"""What rooms of rules share: conditions, and the sources that are cited."""
