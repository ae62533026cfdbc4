"""Actions in Qt: menus, toolbar, shortcuts, the command palette and the list of shortcuts."""
