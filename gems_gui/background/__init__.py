"""Background work: the engine on credit, queries, and files, each in its own process or thread."""
