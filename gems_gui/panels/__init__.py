"""Forms, tables and lists beside the plots."""
