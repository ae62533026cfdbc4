"""Functions to make, read and write instances, for ``from gems_engine import instances``."""

from gems_engine.files import read_instance as read
from gems_engine.files import read_items_csv as read_items
from gems_engine.files import write_instance as write
from gems_engine.gallery import FAMILIES as families
from gems_engine.gallery import make, make_from_spec
from gems_engine.instance import Instance

__all__ = ["Instance", "families", "make", "make_from_spec", "read", "read_items", "write"]
