"""What is built, what is in the repository, and what an import brings with it."""

import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

import eggrad
from tests.support.places import ROOT
from tests.support.programs import python

LAYERS = ("engine", "rules", "frontend")
PACKAGED = (".py", ".lark", ".json", ".html", ".css", ".js", ".svg", ".woff2", ".txt")


def project_files() -> list[Path]:
    """What git keeps or would keep; in an unpacked archive, everything."""
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(git, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git repository")
    paths = [ROOT / name for name in done.stdout.split("\0") if name]
    return [p for p in paths if p.is_file() and not p.is_symlink()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    done = python("-m", "build", "--no-isolation", "--outdir", folder, ROOT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def sources(*suffixes: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*")
        if path.suffix in suffixes
    }


def test_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packaged = {n for n in names if not n.partition("/")[0].endswith(".dist-info")}
    assert packaged == {
        "eggrad/__init__.py",
        *(f"eggrad/{name}.py" for name in ("linalg", "special", "stats")),
        "eggrad/py.typed",
        *(f"eggrad/{name}" for name in sources(*PACKAGED)),
    }
    assert any(n.endswith("licenses/LICENSE") for n in names)


def test_sdist_holds_sources_and_tests(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {
        "src/eggrad/__init__.py",
        "conftest.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "tests/test_packaging.py",
        *sources(*PACKAGED),
    }


def test_installed_wheel_works(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    text = "declare x 1 expression x *(i,i->) x derivative wrt x"
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import eggrad; "
        f"print(eggrad.__file__); "
        f"print(eggrad.parse({text!r}).derivative().evaluate({{'x': [1.0, 2.0]}}))"
    )
    done = python("-c", program, folder=tmp_path)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [str(tmp_path / "eggrad" / "__init__.py"), "[2. 4.]"]


def test_the_version_is_one(built: Path) -> None:
    assert {path.name.split("-")[1].removesuffix(".tar.gz") for path in built.iterdir()} == {
        eggrad.__version__
    }
    assert f"version: {eggrad.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_no_file_points_outside_the_repository() -> None:
    # In pieces, so that this file does not mention them either.
    outside = (b"../" + b"shared", b"/work" + b"/")
    pointing = [
        str(p.relative_to(ROOT))
        for p in project_files()
        if any(word in p.read_bytes() for word in outside)
    ]
    assert pointing == []


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_import_under_one_name_only(layer: str) -> None:
    done = python("-c", f"import {layer}", check=False)
    assert f"ImportError: import eggrad.{layer}: " in done.stderr


def test_import_is_light() -> None:
    program = "import sys, eggrad; print(sorted({'egglog', 'lark', 'rich'} & set(sys.modules)))"
    done = python("-c", program)
    assert (done.stdout, done.stderr) == ("[]\n", "")
