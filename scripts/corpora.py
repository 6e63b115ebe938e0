"""Shaders that others wrote: the vertex, fragment and compute shaders in Debian's packages piglit and glmark2-data."""
import hashlib
import os
import pathlib
import re
import subprocess

PACKAGES = ["piglit", "glmark2-data"]
VERSIONS = {"110", "120", "130", "140", "150", "100", "300 es", "310 es", "320 es"}
STAGES = {"vertex shader": "vert", "fragment shader": "frag", "compute shader": "comp"}
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "mobula/corpora"


def fetch(work):
    """Unpacks what is not there yet; gives the packages' versions."""
    versions = {}
    for package in PACKAGES:
        files = sorted(work.glob(f"{package}_*.deb"))
        if not files:
            subprocess.run(["apt-get", "download", "-qq", package], cwd=work, check=True)
            files = sorted(work.glob(f"{package}_*.deb"))
        versions[package] = subprocess.run(
            ["dpkg-deb", "--field", files[-1], "Version"], capture_output=True, text=True, check=True
        ).stdout.strip()
        if not (work / package).is_dir():
            subprocess.run(["dpkg-deb", "--extract", files[-1], work / package], check=True)
    return versions


def version_asked_for(text):
    """Of the requirements of a .shader_test file."""
    found = re.search(r"^GLSL( ES)?\s*>=\s*(\d)\.(\d+)", text, re.M)
    if not found:
        return "110"
    number = found[2] + found[3]
    return number + (" es" if found[1] and number != "100" else "")


def sections(text):
    """The shaders of a .shader_test file."""
    parts = re.split(r"^\[(.*?)\]\s*$", text, flags=re.M)
    for title, content in zip(parts[1::2], parts[2::2]):
        stage = STAGES.get(title.strip())
        if not stage:
            continue
        content = content.lstrip()
        if "#version" not in content:
            content = f"#version {version_asked_for(text)}\n{content}"
        yield stage, content


def shaders(folder, package):
    """Stage, text and origin of everything that is meant to compile."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        if path.suffix == ".shader_test":
            text = path.read_text(errors="replace")
            for stage, content in sections(text):
                yield stage, content, path
        elif path.suffix in (".vert", ".frag", ".comp"):
            text = path.read_text(errors="replace")
            if re.search(r"expect_result:\s*fail", text):
                continue
            if "#version" not in text:
                asked = re.search(r"glsl_version:\s*(\d)\.(\d+)( es)?", text)
                if asked:
                    text = f"#version {asked[1]}{asked[2]}{asked[3] or ''}\n{text}".replace("100 es", "100")
                elif package == "glmark2-data":
                    # as the benchmark's own loader does for OpenGL ES
                    text = f"#version 100\nprecision mediump float;\n{text}"
            yield path.suffix[1:], text, path


def extract(work):
    """Files of the shaders, each text once, by package."""
    folder = work / "shaders"
    folder.mkdir(exist_ok=True)
    seen, all_files = set(), {}
    for package in PACKAGES:
        files = all_files[package] = []
        for stage, text, origin in shaders(work / package, package):
            declared = re.search(r"^\s*#\s*version\s+(\d+(?:\s+es)?)", text, re.M)
            version = " ".join(declared[1].split()) if declared else "110"
            if version not in VERSIONS:
                continue
            key = hashlib.sha1((stage + text).encode()).hexdigest()
            if key in seen:
                continue
            seen.add(key)
            file = folder / f"{key[:16]}.{stage}"
            if not file.exists():
                file.write_text(text)
            files.append((str(file), str(origin.relative_to(work / package))))
    return all_files
