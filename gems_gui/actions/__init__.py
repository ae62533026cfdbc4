"""Actions of menus and shortcuts as data; independent of Qt."""
