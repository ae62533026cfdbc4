"""Widgets shared by panels and dialogs."""
