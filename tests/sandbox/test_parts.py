"""The parts of the sandbox by themselves."""

from __future__ import annotations

import math
import os
import stat
import struct
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.sandbox import Limits, Sandbox, SandboxError, bubblewrap
from ceo_gym.sandbox.conversation import Kept
from ceo_gym.sandbox.workspace import entries, fit, is_over, remove, user_of

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give folders away")


@pytest.mark.parametrize("name", [field.name for field in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, True])
def test_a_limit_is_above_zero_and_finite(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: value})


def test_limits_by_name() -> None:
    assert Limits(wall_s=3).as_dict()["wall_s"] == 3
    assert Limits(**Limits(calls=7).as_dict()) == Limits(calls=7)


@pytest.mark.parametrize("characters", [1, 2, 3, 10, 1000])
@pytest.mark.parametrize("chunk", [1, 7, 65_536, 300_000])
def test_beginning_and_end_of_output_are_kept(characters: int, chunk: int) -> None:
    kept, data = Kept(characters), b"".join(b"%06d\n" % n for n in range(50_000))
    for at in range(0, len(data) if chunk > 1 else 5_000, chunk):
        kept.add(data[at : at + chunk])
    half, total = characters // 2, kept.total
    head, _, rest = kept.text().partition("\n... ")
    assert head == data[:half].decode()
    assert rest.startswith(f"{total - 2 * half:,} bytes are left out here ...\n")
    assert rest.endswith(data[total - half : total].decode())
    assert sum(len(part) for part in (kept._head, kept._tail)) < 3 * characters + 400_000


def test_short_output_is_kept_as_it_is() -> None:
    kept = Kept(10)
    for part in (b"\xe4\xb8", b"\x80abc", b"\xff"):
        kept.add(part)
    assert kept.text() == "\u4e00abc\ufffd"


def _tree(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    for name, size in (("a/large", 300_000), ("a/b/small", 10), ("middle", 100_000)):
        (folder / name).write_bytes(os.urandom(size))
    (folder / "link").symlink_to("/usr")
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "a" / "fifo")


def test_entries_are_told_without_following_links(tmp_path: Path) -> None:
    _tree(tmp_path)
    found = {entry.path: entry for entry in entries(tmp_path)}
    assert set(found) == {"a", "a/b", "a/large", "a/b/small", "a/fifo", "middle", "link", "loop"}
    assert found["a/large"].size_bytes >= 300_000
    assert [path for path, entry in found.items() if entry.is_folder] == ["a", "a/b"]
    assert list(entries(tmp_path / "missing")) == []


def test_the_largest_files_go_first(tmp_path: Path) -> None:
    _tree(tmp_path)
    assert not is_over(tmp_path, 2**20, 10)
    assert fit(tmp_path, 2**20, 10) == []
    assert is_over(tmp_path, 200_000, 10)
    assert fit(tmp_path, 200_000, 10) == ["a/large"]
    assert not is_over(tmp_path, 200_000, 10)
    assert is_over(tmp_path, 200_000, 6)
    assert fit(tmp_path, 200_000, 6) == ["middle"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "link", "loop"]


def test_fitting_many_files_takes_no_time(tmp_path: Path) -> None:
    for number in range(6_000):
        (tmp_path / str(number)).write_bytes(b"x")
    removed = fit(tmp_path, 4096 * 1_000, 500)
    assert len(removed) == 5_500
    assert len(list(tmp_path.iterdir())) == 500


@pytest.mark.parametrize(("name", "levels"), [("d", 3_000), ("d" * 250, 40)])
def test_deep_folders_are_told_and_removed(tmp_path: Path, name: str, levels: int) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    assert is_over(folder, 2**30, 10_000)
    removed = fit(folder, 2**30, 10_000)
    assert len(removed) == 1
    assert len(removed[0]) < 2_300
    assert not is_over(folder, 2**30, 10_000)
    remove(folder)
    assert not folder.exists()


def test_closed_folders_are_opened_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    _tree(folder)
    (folder / "a" / "b").chmod(0)
    (folder / "a").chmod(0o400)
    folder.chmod(0)
    assert len(list(entries(folder))) == 8
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / "a" / "b").chmod(0)
    (folder / "a").chmod(0)
    remove(folder)
    assert not folder.exists()
    remove(folder)


@needs_root
def test_a_folder_gets_a_user_without_an_account(tmp_path: Path) -> None:
    _tree(tmp_path)
    owner = user_of(tmp_path)
    assert 61_184 <= owner < 65_520
    assert {os.lstat(tmp_path / e.path).st_uid for e in entries(tmp_path)} == {owner}
    assert os.stat("/usr").st_uid == 0
    assert user_of(tmp_path) == owner


def test_without_bubblewrap_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match=r"apt-get install bubblewrap.*unsafe=True"):
        Sandbox(tmp_path / "workspace")
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match="only Linux"):
        bubblewrap.find()


def test_a_bubblewrap_that_does_not_work_is_told(
    boxed: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho no namespaces here >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(bubblewrap, "find", lambda: str(broken))
    bubblewrap._help.cache_clear()
    with Sandbox(tmp_path / "workspace") as sandbox, pytest.raises(SandboxError) as caught:
        sandbox.run("pass", dict)
    assert "no namespaces here" in str(caught.value)
    bubblewrap._help.cache_clear()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filter_of_system_calls_stays_within_the_machine_of_the_kernel(
    machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(bubblewrap.INSIDE))
    from ceo_worker import seccomp

    code = list(struct.iter_unpack("<HBBI", seccomp.program(machine, 2, 2)))
    assert len(code) < 4096
    assert code[-1] == (0x06, 0, 0, 0x7FFF0000)
    for at, (what, then, otherwise, _) in enumerate(code):
        if what & 7 == 5:  # jumps
            assert at + 1 + max(then, otherwise) < len(code)


def test_a_disk_that_is_nearly_full_is_kept_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(bubblewrap.INSIDE))
    monkeypatch.chdir(tmp_path)
    from ceo_worker import watch

    free = 100 * 2**30
    monkeypatch.setattr(watch, "_free_bytes", lambda workspace: free)
    monkeypatch.setattr(watch, "processes", list)
    monkeypatch.setattr(watch, "_files", len)
    workspace = os.open(tmp_path, os.O_RDONLY)
    seen = watch.Watch(Limits().as_dict(), workspace)
    assert seen._too_much() == watch.EXIT
    free = 3 * 2**30  # others may have taken it
    assert seen._too_much() == watch.EXIT
    free = 2**20
    assert seen._too_much() == watch.WORKSPACE
    os.close(workspace)


def test_the_environment_of_programs_holds_nothing_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    assert "secret" not in bubblewrap.environment("/workspace", "/site", "/code").values()
