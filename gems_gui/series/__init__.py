"""The numbers behind each view, as pure functions of a snapshot, without Qt."""
