"""Bytes to values and back, one file per format. Nothing here opens a file: ``gems_engine.files`` does."""
