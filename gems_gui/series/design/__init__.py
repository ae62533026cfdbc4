"""What the design debugger shows, as pure functions of a snapshot: a study of one design problem from all sides."""
