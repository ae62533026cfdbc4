"""Actions in Qt: menus, toolbar, shortcuts, the palette and the sheet of keys."""
