"""Conversion between bytes and values, one module per format; only ``gems_engine.files`` opens files."""
