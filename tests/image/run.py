"""The Dockerfile without a container engine: its steps in a bare Debian, its server as its user.

    sudo make image-check        needs root, and debootstrap from the packages

Prints what the installed tree weighs and how long the server takes to be ready, on a root that is
read-only but for the places that the Dockerfile names. Ends with code 1 when one of them misses its bar.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
SUITE = "bookworm"
PACKAGES = "python3,python3-venv,python3-pip,ca-certificates"
PORT = "8765"
MOST_MEGABYTES = 250
MOST_SECONDS = 3.0
TREE = "opt/venv"


@dataclass
class Stage:
    """One `FROM` section: what it runs, in order, and what it leaves set."""

    steps: list[tuple[str, str]] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    health: list[str] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)
    user: str = "0:0"
    folder: str = "/"


def stages(dockerfile: str) -> list[Stage]:
    """The sections of a Dockerfile that uses plain instructions only."""
    text = re.sub(r"(?m)^#.*\n", "", dockerfile).replace("\\\n", " ")
    found: list[Stage] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            found.append(Stage())
        elif found:
            _read(found[-1], word, rest.strip())
    return found


def _read(stage: Stage, word: str, rest: str) -> None:
    if word in ("RUN", "COPY"):
        stage.steps.append((word, rest))
    elif word == "ENV":
        stage.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
    elif word == "WORKDIR":
        stage.folder = rest
        stage.steps.append((word, rest))
    elif word == "USER":
        stage.user = rest
    elif word in ("ENTRYPOINT", "CMD"):
        stage.entry += json.loads(rest)
    elif word == "HEALTHCHECK":
        stage.health = json.loads(rest.partition("CMD ")[2])


def _environment(stage: Stage) -> dict[str, str]:
    usual = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    own = {name: value.replace("$PATH", usual) for name, value in stage.environment.items()}
    index = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or "proxy" in name.lower()
    }
    return {"PATH": usual, **index, **own}


def build(stage: Stage, root: Path, earlier: Path | None) -> None:
    """Run the steps of `stage` in `root`; `earlier` is the root that `COPY --from` means."""
    folder = "/"
    for word, rest in stage.steps:
        if word == "WORKDIR":
            folder = rest
            (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            _copy(rest.split(), root, folder, earlier)
        else:
            inside = ["chroot", str(root), "/bin/sh", "-ec", f"cd {folder} && {rest}"]
            subprocess.run(inside, env=_environment(stage), check=True)


def _copy(words: list[str], root: Path, folder: str, earlier: Path | None) -> None:
    base = earlier if words[0].startswith("--from=") and earlier else ROOT
    *sources, target = [word for word in words if not word.startswith("--")]
    place = (
        root / folder.lstrip("/") / target.lstrip("/") if not target.startswith("/") else root / target[1:]
    )
    for source in sources:
        origin = base / source.lstrip("/")
        if origin.is_dir():
            shutil.copytree(origin, place, symlinks=True, dirs_exist_ok=True)
        else:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, place)


def bare(root: Path) -> None:
    """A Debian with the Python that the image's base brings, under the names that it has there."""
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(root)], check=True
    )
    for name in ("python", "pip"):
        (root / "usr/local/bin" / name).symlink_to(f"/usr/bin/{name}3")
    for mark in root.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        mark.unlink()


def connected(root: Path) -> None:
    """Let the steps reach the package index by the ways of this machine."""
    for file in ("/etc/resolv.conf", "/etc/hosts", os.environ.get("PIP_CERT", "")):
        if file and Path(file).exists():
            shutil.copy(file, root / file.lstrip("/"))


@contextmanager
def serving(stage: Stage, root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The image's command as the image's user; only /tmp and /app/data can be written."""
    owner = stage.user.replace(":", ",gid=")
    mounts = [
        f"mount --bind {root} {root}",
        f"mount -o remount,bind,ro {root}",
        f"mount -t tmpfs -o mode=1777 tmpfs {root}/tmp",
        f"mount -t tmpfs -o uid={owner} tmpfs {root}/app/data",
        f"mount --rbind /dev {root}/dev",
        f"mount -t proc proc {root}/proc",
    ]
    command = [
        *("setpriv", "--no-new-privs", "chroot", f"--userspec={stage.user}", "--groups=", str(root)),
        *("/bin/sh", "-c", f'cd {stage.folder} && exec "$@"', "sh", *stage.entry),
    ]
    shell = " && ".join([*mounts, f"exec {shlex.join(command)}"])
    variables = {**_environment(stage), "MCP_HOST": "127.0.0.1", "MCP_PORT": PORT}
    process = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-ec", shell], env=variables
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def ready(process: subprocess.Popen[bytes]) -> float:
    """Seconds until `/readyz` says yes."""
    started = time.perf_counter()
    while process.poll() is None and time.perf_counter() - started < 60:
        try:
            with urlopen(f"http://127.0.0.1:{PORT}/readyz", timeout=1):
                return time.perf_counter() - started
        except OSError:
            time.sleep(0.01)
    raise SystemExit("the server did not become ready")


def _megabytes(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_blocks * 512 for path in files) / 1e6


def _checked(stage: Stage, root: Path) -> bool:
    size = _megabytes(root / TREE)
    took = []
    for _ in range(3):
        with serving(stage, root) as process:
            took.append(ready(process))
            status = Path(f"/proc/{process.pid}/status").read_text()
            user, group = stage.user.split(":")
            assert f"Uid:\t{user}\t{user}\t{user}\t{user}" in status, "runs as the image's user"
            assert f"Gid:\t{group}\t{group}\t{group}\t{group}" in status
            assert "CapEff:\t0000000000000000" in status, "holds no capability"
            health = ["chroot", f"--userspec={stage.user}", str(root), *stage.health]
            subprocess.run(health, env={**_environment(stage), "MCP_PORT": PORT}, check=True)
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) in (0, -signal.SIGTERM), "ends when told"
    print(f"installed tree without extras: {size:.0f} MB (bar {MOST_MEGABYTES})")  # noqa: T201
    print(f"ready after start: {sorted(took)[1]:.2f} s, the middle of 3 (bar {MOST_SECONDS:g})")  # noqa: T201
    return size < MOST_MEGABYTES and sorted(took)[1] < MOST_SECONDS


def main() -> None:
    """Build both stages, start the second."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise SystemExit("image-check needs root and debootstrap (apt-get install debootstrap)")
    first, second = stages((ROOT / "Dockerfile").read_text())
    with TemporaryDirectory() as folder:
        base, built, final = (Path(folder) / name for name in ("base", "built", "final"))
        kept = os.environ.get("IMAGE_CHECK_BASE", "")
        bare(base) if not kept else subprocess.run(["cp", "-a", kept, str(base)], check=True)
        subprocess.run(["cp", "-a", str(base), str(final)], check=True)
        base.rename(built)
        connected(built)
        build(first, built, None)
        build(second, final, built)
        sys.exit(0 if _checked(second, final) else 1)


if __name__ == "__main__":
    main()
