"""Views painted without a window: pictures, films, pages and tables, one module for each format."""
