"""The numbers behind each view, as pure functions of a moment. Nothing here knows Qt."""
