"""Where everything stands: the views in their docks, layouts, and the lists beside them."""
