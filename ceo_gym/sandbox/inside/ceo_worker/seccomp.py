"""A filter of system calls for programs: what no program needs and what could get around a limit.

Memory that is not the process's own (shared memory, memory files, mounts), other kinds of sockets
than those between processes here, name spaces, tracing, kernel facilities with a history of holes,
files that give their user's rights to whoever runs them, and signals to the worker, which counts
memory and disk.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from collections.abc import Iterable

# name -> number on x86_64, on aarch64
_REFUSED = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_setup": (206, 0),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmget": (29, 194),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
_NONE = 0xFFFFFFFF  # where a processor does not have the call
_CLONE, _FCNTL, _IOCTL, _PRIORITY = (56, 220), (72, 25), (16, 29), (141, 140)
_SOCKETS = ((41, 198), (53, 199))  # socket, socketpair
# clone3 and openat2, whose arguments cannot be seen: libraries fall back to the older calls
_UNKNOWN = ((435, 435), (437, 437))
# calls that set the mode of a file, and where they have it
_MODES = {
    "chmod": (90, _NONE, 1),
    "creat": (85, _NONE, 1),
    "fchmod": (91, 52, 1),
    "mknod": (133, _NONE, 1),
    "fchmodat": (268, 53, 2),
    "fchmodat2": (452, 452, 2),
    "mknodat": (259, 33, 2),
    "open": (2, _NONE, 2),
    "openat": (257, 56, 3),
}
# calls whose first argument is a process
_OF_PROCESS = {
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "prlimit64": (302, 261),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
}
_NEW_SPACES = 0x7E020080  # CLONE_NEW*: namespaces of users, processes, mounts, networks and so on
_AF_UNIX = 1
_SET_ID = 0o6000  # S_ISUID, S_ISGID
# F_SETOWN, F_SETSIG, F_SETOWN_EX: signals by way of a file; F_SETLEASE, which holds up others
_OWNERS = (8, 10, 15, 1024)
_OWNER_IOCTLS = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP, likewise

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_ALIEN = 0x40000000  # bit of the calls of another ABI on x86_64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in what the filter sees
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_ERRNO = 0x00050000

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def install(worker: int, group: int) -> None:
    """Filter the system calls of this process and of all that come from it, for good.

    Args:
        worker: process that must not be signalled; nor must process 1.
        group: process group of it.

    Raises:
        OSError: if the kernel does not take the filter.
        RuntimeError: on a processor whose system calls are not known here.
    """
    machine = platform.machine()
    if machine not in _AUDIT:
        raise RuntimeError(f"the system calls of {machine} are not known")
    code = program(machine, worker, group)
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")
    stored = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(stored))
    if library.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.create_string_buffer(header), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter of system calls was refused")


def program(machine: str, worker: int, group: int) -> bytes:
    """The filter in the language of the kernel's packet filter."""
    column = _COLUMN[machine]
    refuse = _returns(_ERRNO | errno.EPERM)
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, _AUDIT[machine], 1, 0),
        _returns(_KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_AT_LEAST, _ALIEN, 0, 1),
        _returns(_ERRNO | errno.ENOSYS),
    ]
    for numbers in _REFUSED.values():
        code += [_instruction(_EQUAL, numbers[column], 0, 1), refuse]
    for numbers in _UNKNOWN:
        unknown = _returns(_ERRNO | errno.ENOSYS)
        code += [_instruction(_EQUAL, numbers[column], 0, 1), unknown]
    code += _when(_CLONE[column], [*_if_any_bit(0, _NEW_SPACES), refuse])
    for numbers in _SOCKETS:
        code += _when(numbers[column], [*_unless(0, _AF_UNIX), refuse])
    # a process may change its own priority, which is process 0 of kind 0
    code += _when(_PRIORITY[column], [*_unless(0, 0), refuse, *_unless(1, 0), refuse])
    for *calls, place in _MODES.values():
        code += _when(calls[column], [*_if_any_bit(place, _SET_ID), refuse])
    for numbers, values in ((_FCNTL, _OWNERS), (_IOCTL, _OWNER_IOCTLS)):
        code += _when(numbers[column], _none_of(1, values, refuse))
    protected = [value % 2**32 for value in (1, worker, -1, -worker, -group)]
    for numbers in _OF_PROCESS.values():
        code += _when(numbers[column], _none_of(0, protected, refuse))
    return b"".join([*code, _returns(_ALLOW)])


def _instruction(what: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("<HBBI", what, then, otherwise, value)


def _returns(answer: int) -> bytes:
    return _instruction(_RETURN, answer)


def _argument(place: int) -> bytes:
    return _instruction(_LOAD, _ARGUMENTS + 8 * place)  # its lower half, which is all of an int


def _unless(place: int, value: int) -> list[bytes]:
    """Carry out the next instruction unless an argument has a value."""
    return [_argument(place), _instruction(_EQUAL, value, 1, 0)]


def _if_any_bit(place: int, bits: int) -> list[bytes]:
    """Carry out the next instruction if an argument has one of some bits."""
    return [_argument(place), _instruction(_ANY_BIT, bits, 0, 1)]


def _none_of(place: int, values: Iterable[int], refuse: bytes) -> list[bytes]:
    code = [_argument(place)]
    for value in values:
        code += [_instruction(_EQUAL, value, 0, 1), refuse]
    return code


def _when(number: int, code: list[bytes]) -> list[bytes]:
    """Some instructions for one system call; its number is in the accumulator before and after."""
    return [_instruction(_EQUAL, number, 0, len(code) + 1), *code, _instruction(_LOAD, _NUMBER)]
