"""Builds the documentation: pages generated from the program, the pictures of the paper, and a check of the site.

``python -m docs_build`` builds the site with Sphinx; :mod:`docs_build.sources` says what it consists of.
"""
