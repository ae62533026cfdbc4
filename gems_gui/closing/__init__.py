"""Questions before a window closes, and files that were changed or deleted by other programs."""
