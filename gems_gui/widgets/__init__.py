"""Parts that any panel or dialog is made of."""
