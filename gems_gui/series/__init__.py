"""The numbers behind each view, as pure functions of a moment, without Qt."""
