"""The wheel of the package carries its data and serves as a library where there is no streamlit."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import taxocom

ROOT = Path(taxocom.__file__).resolve().parents[1]
PACKAGE = ROOT / "taxocom"

# Run where only the unpacked wheel is found first, and the app's own dependencies are not to be had.
PROBE = """
import importlib, json, pkgutil, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("streamlit", "plotly"):
            raise ModuleNotFoundError(f"{name} is not installed here")

sys.meta_path.insert(0, Blocked())
import taxocom
public = {name: getattr(taxocom, name) is not None for name in vars(taxocom).get("__all__", ["__version__"])}
modules = [
    module.name
    for module in pkgutil.walk_packages(taxocom.__path__, "taxocom.", onerror=lambda name: None)
    if not module.name.startswith(("taxocom.ui", "taxocom.evaluation.baselines", "taxocom.__main__"))
    and ".migrations." not in module.name
    and module.name != "taxocom.jobs.worker"
]
for name in modules:
    importlib.import_module(name)
loaded = [name for name in sys.modules if name.partition(".")[0] in ("streamlit", "plotly")]
print(json.dumps({"file": taxocom.__file__, "public": public, "modules": modules, "loaded": loaded}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    # Built from a copy, since building leaves files beside the sources.
    shutil.copytree(PACKAGE, source / "taxocom", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, source / name)
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder / "dist"), str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr
    (made,) = (folder / "dist").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, and nothing with it, installed into a directory of its own."""
    place = tmp_path_factory.mktemp("installed") / "elsewhere"
    options = ["--quiet", "--no-deps", "--no-index", "--target", str(place)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True, capture_output=True)
    return place


@pytest.mark.slow
def test_the_wheel_carries_every_file_of_the_package_that_is_no_leftover(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        carried = {name for name in archive.namelist() if name.startswith("taxocom/")}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - carried == set()
    for data in ("text/language/stop_words_en.txt", "store/homes/sample_seed.txt", "py.typed"):
        assert f"taxocom/{data}" in carried


@pytest.mark.slow
def test_the_wheel_imports_without_streamlit_and_all_public_names_are_there(place: Path, tmp_path: Path) -> None:
    # Isolated from the checkout: neither the current directory nor an editable install may answer first.
    probe = f"import sys; sys.path.insert(0, {str(place)!r})\n" + PROBE
    ran = subprocess.run([sys.executable, "-I", "-c", probe], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    assert Path(found["file"]).is_relative_to(place)
    assert found["public"]
    assert all(found["public"].values())
    assert "taxocom.cli.start_commands" in found["modules"]
    assert found["loaded"] == []


@pytest.mark.slow
def test_the_command_of_the_wheel_runs(place: Path, tmp_path: Path) -> None:
    script = place / "bin" / "taxocom"
    ran = subprocess.run(
        [sys.executable, str(script), "--version"],
        cwd=tmp_path, env={"PYTHONPATH": str(place)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.strip() == f"taxocom, version {taxocom.__version__}"
