"""How much a program may use."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields

_MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of one program, and of the workspace.

    Attributes:
        wall_s: seconds of its own; those in which the company answers do not count.
        answers_s: seconds of answers; calls after that are refused.
        calls: number of calls; those after that are refused, and a program that does not stop
            calling is ended.
        sent_bytes: of all its requests together.
        memory_bytes: of all its processes together, beyond what the worker has loaded.
        processes: processes and threads at a time.
        open_files: files open at a time, per process.
        file_bytes: largest file.
        kept_characters: of stdout and of stderr each; the middle of longer ones is left out.
        output_bytes: of both; a program that writes more is ended.
        workspace_bytes: of all files of the workspace. A program that goes beyond it is ended, and
            the largest files are removed until it fits.
        workspace_files: files and folders of the workspace, likewise.
        scratch_bytes: of the files in /tmp and in /dev/shm each; emptied after each program.

    Raises:
        ValueError: if a limit is not a finite number above 0.
    """

    wall_s: float = 300.0
    answers_s: float = 1_200.0
    calls: int = 20_000
    sent_bytes: int = 64 * _MIB
    memory_bytes: int = 2_048 * _MIB
    processes: int = 32
    open_files: int = 128
    file_bytes: int = 64 * _MIB
    kept_characters: int = 200_000
    output_bytes: int = 64 * _MIB
    workspace_bytes: int = 256 * _MIB
    workspace_files: int = 10_000
    scratch_bytes: int = 64 * _MIB

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not (math.isfinite(value) and value > 0):
                raise ValueError(f"the limit {field.name} must be above 0, not {value!r}")

    def as_dict(self) -> dict[str, float]:
        """All limits by name."""
        return asdict(self)
