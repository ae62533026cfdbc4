"""Bytes to values and back, one file for each format; files themselves are opened by ``gems_engine.files`` alone."""
