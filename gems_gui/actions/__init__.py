"""Everything a key or a menu does, as data; knows no Qt."""
