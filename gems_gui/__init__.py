"""The graphical user interface of GEMS Lab."""
