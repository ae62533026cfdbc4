"""The export dialog, and the process that writes files for it."""
