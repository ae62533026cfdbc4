"""What the next run will be asked: the form's draft, its history, its table, and runs while it is edited."""
