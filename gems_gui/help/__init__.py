"""The help behind F1: pages in `assets/help/`, what the registries add to them, and the window that shows them."""
