"""pyproject.toml, as far as it can be examined without its build backend."""

import pathlib
import re
import tomllib

import mobula
import pytest

FOLDER = pathlib.Path("bindings/python")


@pytest.fixture
def project():
    return tomllib.loads((FOLDER / "pyproject.toml").read_text())


def test_is_valid(project):
    validate = pytest.importorskip("validate_pyproject.api")
    project["tool"] = {}  # the backend's own, which the standard says nothing of
    validate.Validator()(project)
    with pytest.raises(Exception):
        validate.Validator()({"project": {"version": 5}})


def test_what_it_names_is_there(project):
    tool = project["tool"]["scikit-build"]
    source = FOLDER / tool["cmake"]["source-dir"]
    options = re.findall(r"^option\((\w+)", (source / "CMakeLists.txt").read_text(), re.M)
    for argument in tool["cmake"]["args"]:
        name = re.fullmatch(r"-D(\w+)=\w+", argument)[1]
        assert name in options or name == "BUILD_SHARED_LIBS"
    assert all(re.search(rf"add_module\({target} ", (FOLDER / "CMakeLists.txt").read_text()) for target in tool["build"]["targets"])
    version = tool["metadata"]["version"]
    assert re.search(version["regex"], (FOLDER / version["input"]).read_text())["value"] == mobula.__version__
