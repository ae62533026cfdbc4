"""Where in a run the window is: the cursor, what moves it, and the line over the whole run."""
