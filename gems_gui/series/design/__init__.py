"""The series of the design debugger, as pure functions of a snapshot: a study of one design problem."""
