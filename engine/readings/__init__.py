"""What laws on whole sums and products read in a snapshot, and the terms they write."""
