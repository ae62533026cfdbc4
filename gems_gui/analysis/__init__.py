"""What is worked out about a run when somebody asks: designs, dimensions, problems, theory."""
