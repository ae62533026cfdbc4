"""Forms, tables and lists around the plots."""
