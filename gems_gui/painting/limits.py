"""How large an export may be; it imports nothing, since commands ask for this before anything is loaded."""

MOST_FRAMES = 20_000
"""Frames of one export: half an hour of film."""
MOST_PIXELS = 10**8
"""Of one picture: 400 MB while it is painted."""
LEAST_SIDE = 200
"""Pixels of a picture: less shows nothing."""
MOST_SCALE = 8.0
"""Times the pixels in each direction."""
MOST_FPS = 60.0
"""Frames per second of a film."""
