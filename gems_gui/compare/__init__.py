"""Runs beside each other: started on the same random numbers, and compared event by event."""
