"""Limits of an export; imports nothing, because commands check them before anything is loaded."""

MOST_FRAMES = 20_000
"""Frames of one export: half an hour of film."""
MOST_PIXELS = 10**8
"""Pixels of one picture: 400 MB while it is painted."""
LEAST_SIDE = 200
"""Smallest width and height of a picture in pixels."""
DPI = 96
"""Pixels of a picture per inch on paper, before the scale."""
LEAST_INCHES, MOST_INCHES = 1.5, 40.0
"""Smallest and largest width and height of a picture on paper."""
MOST_SCALE = 8.0
"""Largest factor for the pixels in each direction."""
MOST_FPS = 60.0
"""Frames per second of a film."""
