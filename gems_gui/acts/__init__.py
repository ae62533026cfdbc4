"""Everything that a menu, a button or a key can do, in one table, and where a user finds it."""
