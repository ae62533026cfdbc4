"""Measures how reliable the real program is; `python -m tests.reliability` lists the measurements."""
