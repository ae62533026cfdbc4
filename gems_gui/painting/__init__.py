"""Views painted without a window: pictures, films, pages and tables, one file for each format."""
