"""pyproject.toml, as far as it can be examined without its build backend."""

import pathlib
import re
import subprocess
import sys
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


def test_cmake_installs_the_module_where_the_backend_wants_it(project, tmp_path):
    """What scikit-build-core does with CMake, up to the build: its variables, the arguments and the targets of pyproject.toml."""
    tool = project["tool"]["scikit-build"]
    build, platlib = tmp_path / "build", tmp_path / "wheel/platlib"
    configure = ["cmake", "-S", FOLDER / tool["cmake"]["source-dir"], "-B", build, "-G", "Ninja", *tool["cmake"]["args"], "-DSKBUILD=2", f"-DSKBUILD_PLATLIB_DIR={platlib}",
                 f"-DCMAKE_INSTALL_PREFIX={platlib}", "-DCMAKE_BUILD_TYPE=Release", f"-DPython3_EXECUTABLE={sys.executable}"]
    subprocess.run(configure, check=True, capture_output=True)
    targets = subprocess.run(["cmake", "--build", build, "--target", "help"], check=True, capture_output=True, text=True).stdout
    assert all(re.search(rf"^{target}: phony$", targets, re.M) for target in tool["build"]["targets"])
    rules = "".join(file.read_text() for file in build.rglob("cmake_install.cmake"))
    installed = re.findall(r'file\(INSTALL DESTINATION "([^"]*)" TYPE (\w+) (?:OPTIONAL )?FILES "([^"]*)"', rules)
    assert sorted((destination, kind, pathlib.Path(file).name.partition(".")[0]) for destination, kind, file in installed) == [
        (str(platlib), "DIRECTORY", "mobula"),
        (str(platlib / "mobula"), "MODULE", "_mobula"),
    ]
    assert {file.name for file in (FOLDER / "mobula").iterdir() if file.is_file()} == {file.name for file in pathlib.Path(mobula.__file__).parent.iterdir() if file.suffix != ".so" and file.is_file()}
