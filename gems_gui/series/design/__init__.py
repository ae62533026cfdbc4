"""What the design debugger shows, as pure functions of a moment: a study of one design problem from all sides."""
