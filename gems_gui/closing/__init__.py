"""What closing a window asks, and files that were changed or lost meanwhile."""
