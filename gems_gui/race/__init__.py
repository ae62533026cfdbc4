"""The race: GEMS and RAGE on one instance with the same random numbers, each in an engine of its own."""
