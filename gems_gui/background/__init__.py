"""What computes behind the window: the engine on credit, queries, files, each in a process or thread of its own."""
