"""Every public name is documented as numpydoc has it, and the examples of the docstrings run."""

import doctest
import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module

import pytest

from docs_build.api_pages import PUBLIC, public_names
from tests.docstring_names import documented

OBJECTS = {
    f"{module}.{name}": getattr(import_module(module), name)
    for module, names in public_names().items()
    for name in names
}
FUNCTIONS = [name for name, found in OBJECTS.items() if inspect.isfunction(found)]
CLASSES = [name for name, found in OBJECTS.items() if isinstance(found, type) and not issubclass(found, Exception)]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def doc(name):
    return inspect.getdoc(OBJECTS[name]) or ""


def own_members(found):
    """The public methods and properties that a class defines itself."""
    for name, each in vars(found).items():
        each = getattr(each, "__func__", getattr(each, "fget", None) or getattr(each, "func", None) or each)
        is_field = name in getattr(found, "__dataclass_fields__", {})
        if not name.startswith("_") and not is_field and inspect.isfunction(inspect.unwrap(each)):
            yield name, each


def test_there_are_many_public_names():
    assert len(FUNCTIONS) > 35
    assert len(CLASSES) > 50


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_its_parameters_and_its_result(name):
    found = inspect.signature(OBJECTS[name])
    listed = documented(doc(name), "Parameters")
    assert sorted(listed) == sorted(found.parameters), f"{name}: the section Parameters has all parameters, each once"
    if str(found.return_annotation) not in ("None", "<class 'inspect._empty'>"):
        assert "\nReturns\n-------\n" in doc(name), f"{name} returns something"


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_has_all_its_fields_and_its_methods(name):
    found = OBJECTS[name]
    source = inspect.getsource(found)
    listed = {*documented(doc(name), "Parameters"), *documented(doc(name), "Attributes")}
    inherited = {each for base in found.__mro__[1:] for each in getattr(base, "__dataclass_fields__", {})}
    for each in fields(found) if is_dataclass(found) else ():
        own = re.search(rf'^    {each.name}: [^\n]*\n    """', source, re.MULTILINE)
        assert each.name in listed or own or each.name in inherited or each.name.startswith("_"), (
            f"{name}: describe {each.name} in the section Attributes, or in a text below it"
        )
    for member, function in own_members(found):
        overrides = any(member in vars(base) for base in found.__mro__[1:])
        assert overrides or inspect.getdoc(inspect.unwrap(function)), f"{name}.{member} has no docstring"


EXAMPLES = [name for name in OBJECTS if ">>>" in doc(name)]


def test_what_a_notebook_needs_has_examples():
    needed = {name for name in OBJECTS if name.count(".") == 1 and (name in FUNCTIONS or name in CLASSES)}
    assert needed <= set(EXAMPLES), sorted(needed - set(EXAMPLES))
    assert len(EXAMPLES) > 30


@pytest.mark.parametrize("name", [*EXAMPLES, *(module for module in PUBLIC if ">>>" in import_module(module).__doc__)])
def test_the_examples_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = doc(name) if name in OBJECTS else import_module(name).__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    said = []
    result = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(example, out=said.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(said)
