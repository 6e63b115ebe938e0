"""Stubs name what the module has, and the examples of docs/python.md run in order and print what is beside them.
scripts/check-python-types compares the stubs with mypy, which takes minutes."""

import ast
import doctest
import os
import pathlib

import mobula
import pytest
from mobula import _mobula, scoreboard


def names_of(body):
    return {node.name: node for node in body if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("__")}


@pytest.mark.parametrize("stub, module", [("_mobula.pyi", _mobula), ("scoreboard.pyi", scoreboard)])
def test_stubs_name_what_there_is(stub, module):
    declared = names_of(ast.parse((pathlib.Path(mobula.__file__).parent / stub).read_text()).body)
    there = {name for name in dir(module) if not name.startswith("_")} - {"scoreboard"}
    assert set(declared) == there
    for name, node in declared.items():
        has = getattr(module, name)
        if isinstance(node, ast.ClassDef) and name != "Error":
            members = {member for member in dir(has) if not member.startswith("__")}
            assert set(names_of(node.body)) == members, name
        assert has.__doc__


def test_examples_of_the_page():
    result = doctest.testfile(os.path.abspath("docs/python.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 20 and result.failed == 0
