"""Attempts by way of the workspace: to fill the disk, to mislead the host, to set traps."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from ceo_gym.sandbox import Sandbox
from ceo_gym.sandbox.workspace import entries, remove, user_of
from tests.sandbox.games import HEAD, LIMITS, MIB, Attack, Game, table

WROTE = "stopped: the program wrote too much to the workspace"

FULL = (
    Attack(
        "one large file",
        "attempt(open('/workspace/large', 'wb').write, bytes(64 * 2**20))",
        refusals=1,
        exit_code=0,
    ),
    Attack(
        "many large files",
        """
for number in range(10**6):
    open(f"/workspace/{number}", "wb").write(os.urandom(2**20) * 4)
    time.sleep(0.02)
""",
        stderr=WROTE,
        exit_code=137,
    ),
    Attack(
        "a million empty files",
        """
for number in range(10**6):
    open(f"/workspace/{number}", "w").close()
""",
        stderr=f"{WROTE}.*removed: ",
        exit_code=137,
    ),
    Attack(
        "a sparse file",
        "attempt(os.truncate, os.open('/workspace/s', os.O_CREAT | os.O_RDWR), 2**40)",
        refusals=1,
    ),
    Attack(
        "files without a name",
        """
kept = []
while len(kept) < 100:
    kept.append(open("/workspace/gone", "wb"))
    os.remove("/workspace/gone")
    kept[-1].write(os.urandom(2**20))
    kept[-1].flush()
time.sleep(60)
""",
        stderr=WROTE,
        exit_code=137,
    ),
    Attack(
        "files in a closed folder",
        """
os.mkdir("/workspace/closed", 0o300)
for number in range(20):
    open(f"/workspace/closed/{number}", "wb").write(bytes(2**20))
time.sleep(60)
""",
        stderr=WROTE,
        exit_code=137,
    ),
    Attack(
        "files in a closed folder, for later",
        """
os.mkdir("/workspace/closed")
for number in range(20):
    open(f"/workspace/closed/{number}", "wb").write(bytes(2**20))
os.chmod("/workspace/closed", 0)
""",
        stderr="removed: closed/",
    ),
    Attack(
        "files under long paths",
        """
for number in range(30):
    os.mkdir("x" * 250)
    os.chdir("x" * 250)
open("file", "wb").write(bytes(2**20))
time.sleep(60)
""",
        stderr=f"{WROTE}.*removed: xxx",
        exit_code=137,
    ),
    Attack(
        "five thousand folders in each other",
        """
for number in range(5_000):
    os.mkdir("d")
    os.chdir("d")
""",
        stderr="removed: d/d/d",
    ),
    Attack(
        "odd names",
        r"""
for name in (b"\xff\xfe", b"new\nline", b"\x1b[2J", b"-rf", b"--", b"...", b" ", b"~", b"$(id)",
             "\u202e\u4e00".encode(), b"x" * 255, b"*", b"..\n"):
    os.makedirs(b"/workspace/" + name + b"/" + name)
    open(b"/workspace/" + name + b"/file", "wb").write(bytes(2 * 2**20))
""",
        stderr=r"^(stopped: [ -~]*\n)?the workspace holds at most 16 MiB [ -~]* removed: [ -~]*\n$",
    ),
)

LINKS = (
    Attack(
        "links out of the workspace",
        """
for name, target in {"passwd": "/etc/passwd", "root": "/root", "up": "../..", "loop": "loop",
                     "self": "/proc/self", "secret": "../secret.txt", "home": "/home"}.items():
    os.symlink(target, f"/workspace/{name}")
for path in ("passwd", "loop", "secret", "up/secret.txt", "self/root/../secret.txt"):
    attempt(open, f"/workspace/{path}", name=path)
""",
        refusals=5,
        exit_code=0,
    ),
    Attack(
        "links to the system in a workspace that is full",
        """
for number in range(700):
    os.symlink("/usr/bin/python3", f"/workspace/{number}")
os.symlink("..", "/workspace/0parent")
""",
        stderr="removed: ",
    ),
    Attack(
        "hard links",
        """
open("/workspace/one", "wb").write(bytes(2**20))
for number in range(100):
    os.link("/workspace/one", f"/workspace/link{number}")
for path in (sys.executable, nm.__file__, "/proc/self/fd/0", "/tmp"):
    attempt(os.link, path, "/workspace/linked", name=path)
""",
        stderr="removed: ",
        refusals=4,
    ),
    Attack(
        "what must not be opened",
        """
os.mkfifo("/workspace/program.py")
os.mkfifo("/workspace/numpy.py")
socket.socket(socket.AF_UNIX).bind("/workspace/json.py")
for number in range(700):
    os.mkfifo(f"/workspace/{number}")
""",
        stderr="removed: ",
    ),
    Attack(
        "the workspace itself",
        """
attempt(os.rmdir, "/workspace")
attempt(os.rename, "/workspace", "/tmp/workspace")
attempt(os.rename, "/workspace", "/workspace2")
attempt(os.symlink, "/etc", "/workspace2")
os.chmod("/workspace", 0)
""",
        refusals=4,
        exit_code=0,
    ),
)


@pytest.fixture(autouse=True)
def _emptied(game: Game) -> None:
    game.run("import shutil, os\nfor p in os.listdir(): shutil.rmtree(p, True)")


@table(*FULL, *LINKS)
def test_the_disk_is_not_used_up(game: Game, attack: Attack) -> None:
    game.withstand(attack)
    found = list(entries(game.folder))
    assert sum(entry.size_bytes for entry in found) <= LIMITS.workspace_bytes
    assert len(found) <= LIMITS.workspace_files
    game.sandbox.close()  # and again with a new worker
    game.still_plays()
    for path in list(game.folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            remove(path)
        else:
            path.unlink()
    assert list(game.folder.iterdir()) == []


MODULES = (
    "numpy",
    "pandas",
    "json",
    "novamind_api",
    "ceo_worker",
    "sitecustomize",
    "usercustomize",
)
MODULES += ("socket", "struct", "threading", "traceback", "random", "encodings", "site", "os")


def test_files_of_a_program_do_not_stand_for_modules(game: Game) -> None:
    traps = f"""
home = f".local/lib/python{{sys.version_info[0]}}.{{sys.version_info[1]}}/site-packages"
os.makedirs(home, exist_ok=True)
for folder in (".", home):
    for name in {MODULES!r}:
        open(f"{{folder}}/{{name}}.py", "w").write("print('trapped'); open('trapped', 'w')")
    open(f"{{folder}}/trap.pth", "w").write("import os; print('trapped')")
os.mkdir("novamind_api"), open("novamind_api/__init__.py", "w").write("print('trapped')")
for name in ("pyvenv.cfg", ".pythonrc.py", "python311._pth", ".bashrc"):
    open(name, "w").write("home = /workspace")
"""
    game.run(HEAD + traps)
    look = """
import numpy, pandas, json, socket, os, threading
import novamind_api as nm
print([m.__name__ for m in (numpy, pandas, json, socket, os, nm)
       if (m.__file__ or "").startswith("/workspace")])
print(nm.query("SELECT 1 AS x")["rows"], numpy.sum([1, 2]))
"""
    for _ in range(2):
        info = game.run(look)
        assert info["stdout"] == "[]\n[{'x': 1}] 3\n", info["stderr"]
        game.sandbox.close()
    inner = (
        "import subprocess, sys\nprint(subprocess.run([sys.executable, '-P', '-c', 'import numpy;"
    )
    inner += "print(1)'], capture_output=True, text=True))"
    assert "trapped" not in game.run(inner)["stdout"]
    assert not (game.folder / "trapped").exists()
    for path in game.folder.iterdir():
        remove(path) if path.is_dir() else path.unlink()


def test_a_program_that_swaps_folders_for_links_misleads_nobody(
    boxed: None, tmp_path: Path
) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "workspace"
    (outside / "inner").mkdir(parents=True)
    for place in (outside, outside / "inner"):
        (place / "file").write_bytes(bytes(2 * MIB))
    swap = """
import os
os.makedirs("real/inner", exist_ok=True)
for place in ("real", "real/inner"):
    open(place + "/file", "wb").write(bytes(9 * 2**20))
if not os.path.islink("link"):
    os.symlink(%r, "link")
while True:
    try:
        os.rename("real", "kept"); os.rename("link", "real")
        os.rename("real", "link"); os.rename("kept", "real")
    except OSError:
        pass
"""
    before = (outside / "file").stat()
    limits = LIMITS.__class__(**{**LIMITS.as_dict(), "file_bytes": 32 * MIB, "wall_s": 3.0})
    with Sandbox(folder, limits=limits) as first, Sandbox(folder, limits=limits) as second:
        ended: list[str] = []
        program = swap % str(outside)
        run = threading.Thread(target=lambda: ended.append(first.run(program, dict).stopped))
        run.start()
        while run.is_alive():
            second.run("pass", dict)
            user_of(folder) if before.st_uid == 0 else None
        assert ended
    assert (outside / "inner" / "file").stat().st_size == 2 * MIB
    after = (outside / "file").stat()
    assert (after.st_uid, after.st_mode, after.st_size) == (
        before.st_uid,
        before.st_mode,
        before.st_size,
    )
    shutil.rmtree(folder)
