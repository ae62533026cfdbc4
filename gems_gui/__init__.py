"""The window of GEMS Lab."""
