"""The notebook among the examples is executed, and shows what it says."""

import json
import pathlib
import shutil
import subprocess

import pytest

NOTEBOOK = pathlib.Path("examples/scoreboard.ipynb")


def test_it_is_stored_without_results():
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


def test_it_plots_a_sweep_and_steps_the_core(tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed (scripts/install-packages notebook)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (scripts/install-packages notebook)")
    if shutil.which("jupyter-nbconvert") is None:
        pytest.skip("jupyter-nbconvert is not installed (scripts/install-packages notebook)")
    subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), str(NOTEBOOK)], check=True)
    cells = json.loads((tmp_path / NOTEBOOK.name).read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    printed = "".join("".join(output.get("text", [])) for output in outputs)
    assert printed.count("breakpoint [") == 4
    assert printed.count("('write', ") >= 4
