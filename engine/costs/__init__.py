"""What terms cost: operations, and seconds by measured rates.

Others import `cost` (the model of operations), `time_model`, `calibration`, `size_relations`.
"""
