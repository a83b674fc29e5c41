"""What terms cost: operations, and seconds by measured rates."""
