"""The box around the worker: what it sees of the machine, as a command line of bubblewrap."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ceo_gym.sandbox.errors import SandboxError

INSIDE = Path(__file__).parent / "inside"
_BOX = "/opt/ceo-gym"  # where the worker's own files lie in the box
CODE, SITE = f"{_BOX}/inside", f"{_BOX}/site"
PRELOAD = ("numpy", "pandas")
# these and what they need; everything else that is installed stays outside
_MODULES = (*PRELOAD, "scipy", "dateutil", "pytz", "tzdata", "six")
_PACKAGE = Path(__file__).parents[1]
_SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# of /usr and of the folder of Python; besides, people keep sources and environments there
_PARTS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec")
_LINKER = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
_HIDDEN_BYTES = 4_096
# -P: the workspace is no place to import the worker's own modules from
WORKER = ("-s", "-P", "-m", "ceo_worker")
INSTALL = "apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)"


def find() -> str:
    """The program bwrap.

    Raises:
        SandboxError: if it is missing, saying how to get it.
    """
    if not sys.platform.startswith("linux"):
        raise SandboxError(
            "programs run in a box of bubblewrap, which only Linux has; unsafe=True runs them "
            "without one, with all that you may do yourself"
        )
    found = shutil.which("bwrap")
    if found is None:
        raise SandboxError(
            f"programs run in a box of bubblewrap, which is not installed: {INSTALL}; "
            "unsafe=True runs them without one, with all that you may do yourself"
        )
    return found


def interpreter() -> str:
    """The Python that runs in the box: this one, without its virtual environment."""
    return os.path.realpath(sys.executable)


def environment(workspace: str, site: str, code: str) -> dict[str, str]:
    """All that a program finds in its environment."""
    kept = {k: v for k, v in os.environ.items() if k.startswith("OPENBLAS_")}  # about the processor
    return kept | {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": workspace,
        "USER": "ceo",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": f"{code}:{site}" if site else code,
        "PYTHONNOUSERSITE": "1",  # the home of programs is the workspace
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }


def command(
    workspace: Path, mounted: str, control: int, told: int, scratch_bytes: int, user: int | None
) -> list[str]:
    """The command that starts the worker in its box.

    Args:
        workspace: the folder that is writable in the box.
        mounted: the path under which it is seen there.
        control: file descriptor of the control socket.
        told: file descriptor to which bubblewrap tells the first process of the box, as JSON.
        scratch_bytes: size of /tmp and of /dev/shm.
        user: the user in whose name programs run if we are root, else None.

    Raises:
        SandboxError: if bubblewrap is missing.
    """
    words = [find(), "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words += ["--hostname", "company", "--clearenv", "--info-fd", str(told)]
    for name, value in environment(mounted, SITE, CODE).items():
        words += ["--setenv", name, value]
    words += _filesystem(workspace, mounted, scratch_bytes)
    words += ["--chdir", "/"]  # the workspace may be closed to who is not the programs' user
    python = [interpreter(), "-S", *WORKER, str(control)]
    if user is None:
        # a first process of bubblewrap's own would be open to programs, which are of its user here
        words += ["--as-pid-1", "--unshare-user", "--uid", "65534", "--gid", "65534"]
        if "--disable-userns" in _help(words[0]):
            words.append("--disable-userns")
        return [*words, "--", *python]
    # without a user namespace the limit of processes holds for root's children too
    words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--", "setpriv"]
    words += [f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs"]
    return [*words, "--bounding-set=-all", *python]


@cache
def _help(bwrap: str) -> str:
    return subprocess.run([bwrap, "--help"], capture_output=True, text=True, check=False).stdout


def _filesystem(workspace: Path, mounted: str, scratch_bytes: int) -> list[str]:
    words: list[str] = []
    for source, target in _seen():
        words += [*_parents(target), "--ro-bind", str(source), target]
    for path in _SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    for hidden in _hidden():
        words += ["--size", str(_HIDDEN_BYTES), "--tmpfs", hidden, "--remount-ro", hidden]
    words += ["--perms", "0755", "--dir", SITE]
    for name, module in _modules().items():
        words += ["--ro-bind", str(module), f"{SITE}/{name}"]
    size = ["--size", str(scratch_bytes), "--perms", "1777"]
    words += ["--proc", "/proc", "--dev", "/dev", *size, "--tmpfs", "/dev/shm"]
    words += ["--remount-ro", "/dev", *size, "--tmpfs", "/tmp"]
    words += [*_parents(mounted), "--bind", str(workspace), mounted, "--remount-ro", "/"]
    return words


def _seen() -> Iterator[tuple[Path, str]]:
    """What of the machine is seen, read-only: the system's programs and Python's own library."""
    for path in (*_parts(), Path("/usr/share"), *map(Path, _LINKER)):
        if path.exists():
            yield path, str(path)
    yield INSIDE, CODE


def _parts() -> list[Path]:
    """Folders with programs and libraries, those of Python among them."""
    roots = (
        Path("/usr"),
        Path("/usr/local"),
        Path(sys.base_prefix),
        Path(interpreter()).parents[1],
    )
    found = {root.resolve() / part for root in roots for part in _PARTS}
    return sorted(path for path in found if path.is_dir())


def _hidden() -> list[str]:
    """Folders that would be seen and must not be: installed packages, and this one."""
    seen = _parts()
    folders = {
        folder
        for part in seen
        for kind in ("site-packages", "dist-packages")
        for folder in part.glob(f"python*/{kind}")
    } | {_PACKAGE}
    found = sorted(f for f in folders if f.is_dir() and any(map(f.is_relative_to, seen)))
    # not what lies in a hidden folder, where there is nothing any more
    return [str(f) for f in found if not any(f != o and f.is_relative_to(o) for o in found)]


def _modules() -> dict[str, Path]:
    """The modules that programs may import besides the standard library: name in the box, path."""
    found: dict[str, Path] = {}
    for name in _MODULES:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        path = Path(spec.origin).resolve()
        if not path.exists():
            continue  # installed differently meanwhile
        if path.name == "__init__.py":
            found[name] = path.parent
            shared = path.parents[1] / f"{name}.libs"  # libraries that wheels bring
            if shared.is_dir():
                found[shared.name] = shared
        else:
            found[path.name] = path
    return found


def _parents(target: str) -> list[str]:
    """Folders on the way to a mount, open to everybody (bubblewrap would make them private)."""
    words, parts = [], _parts()
    for parent in reversed(Path(target).parents):
        if parent != Path("/") and not any(map(parent.is_relative_to, parts)):
            words += ["--perms", "0755", "--dir", str(parent)]
    return words
