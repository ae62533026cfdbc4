"""Measures what each difference from the paper's text and from the authors' code does to the numbers."""
