"""Attempts to reach what is outside: memory, files, the simulator, the network, other rights."""

from __future__ import annotations

import pytest

from tests.sandbox.games import Attack, Game, table

MEMORY = (
    Attack(
        "memory by /proc/PID/mem",
        """
for process in {"1", str(os.getppid())}:
    attempt(open, f"/proc/{process}/mem", "rb", name=f"memory of {process}")
    attempt(open, f"/proc/{process}/mem", "r+b", name=f"memory of {process}")
    attempt(open, f"/proc/{process}/environ", "rb", name=f"environment of {process}")
    attempt(os.listdir, f"/proc/{process}/fd", name=f"files of {process}")
    attempt(open, f"/proc/{process}/maps", name=f"maps of {process}")
""",
        stdout="memory of 1 refused.*",
    ),
    Attack(
        "memory by ptrace",
        """
for process in (1, os.getppid()):
    attempt(call, 101, 16, process, 0, 0, name="PTRACE_ATTACH")
    attempt(call, 101, 0x4206, process, 0, 0, name="PTRACE_SEIZE")
""",
        refusals=4,
    ),
    Attack(
        "memory by process_vm_readv and process_vm_writev",
        """
buffer = ctypes.create_string_buffer(8)
part = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
for number in (310, 311):
    attempt(call, number, os.getppid(), part, 1, part, 1, 0)
""",
        refusals=2,
    ),
    Attack(
        "files of the parent by pidfd_getfd",
        """
attempt(os.pidfd_open, os.getppid())
attempt(os.pidfd_open, 1)
own = os.open(f"/proc/{os.getppid()}", os.O_RDONLY)
for number in range(8):
    attempt(call, 438, own, number, 0, name="pidfd_getfd")
attempt(call, 424, own, 9, 0, 0, name="pidfd_send_signal")
""",
        refusals=11,
    ),
    Attack(
        "environment of all processes",
        """
for path in sorted(glob.glob("/proc/*/environ")):
    try:
        print(path, open(path).read().replace(chr(0), " "))
    except OSError as error:
        print(path, "refused")
print(dict(os.environ))
""",
        stdout="HOME.*/workspace",
    ),
)

FILES = (
    Attack(
        "files of the host",
        """
for path in ("/etc/shadow", "/etc/passwd", "/root/.bashrc", "/root/.ssh", "/var", "/srv", "/run",
             "/sys", "/boot", "/mnt", "/usr/src", "/usr/local/src", "/usr/local/etc"):
    attempt(os.stat, path, name=path)
print(sorted(os.listdir("/")))
""",
        stdout=r"\['bin', 'dev', .*'workspace'\]",
    ),
    Attack(
        "every file that can be seen",
        """
found = [os.path.join(folder, name) for root in ("/tmp", "/opt", "/dev", "/etc", "/workspace")
         for folder, _, names in os.walk(root) for name in names if name.endswith(".txt")]
print("found", [f for f in found if "secret" in f])
for folder in os.listdir("/"):
    for name in ("secret.txt", "ceo-gym-attacks-*/secret.txt"):
        print(glob.glob(f"/{folder}/{name}"))
""",
        stdout=r"found \[\]",
    ),
    Attack(
        "writing to the system",
        """
import numpy
for path in ("/", "/usr", "/usr/bin", "/etc", "/opt", "/opt/ceo-gym", "/dev", "/proc", "/root",
             os.path.dirname(numpy.__file__), os.path.dirname(nm.__file__),
             os.path.dirname(os.__file__)):
    attempt(open, path + "/written", "w", name=path)
attempt(os.remove, nm.__file__)
attempt(os.chmod, nm.__file__, 0o777)
attempt(os.utime, nm.__file__)
""",
        refusals=15,
    ),
    Attack(
        "devices",
        """
for name in ("mem", "kmsg", "sda", "vda", "kvm", "fuse", "net/tun", "loop0", "input", "mapper"):
    attempt(os.stat, f"/dev/{name}", name=name)
attempt(os.mknod, "/workspace/disk", 0o60600, os.makedev(8, 0), name="mknod")
attempt(os.mknod, "/tmp/null", 0o20666, os.makedev(1, 3), name="mknod")
attempt(open, "/dev/tty")
""",
        refusals=13,
    ),
    Attack(
        "settings of the kernel",
        """
for path in ("/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger",
             "/proc/sys/vm/drop_caches", "/proc/sys/kernel/pid_max", "/sys/power/state",
             f"/proc/{os.getppid()}/oom_score_adj", "/proc/1/oom_score_adj", "/proc/self/uid_map",
             f"/proc/{os.getppid()}/timerslack_ns", f"/proc/{os.getppid()}/coredump_filter"):
    attempt(lambda: os.write(os.open(path, os.O_WRONLY), b"0"), name=path)
attempt(lambda: os.write(os.open("/proc/self/oom_score_adj", os.O_WRONLY), b"-1000"))
print("adj", open("/proc/self/oom_score_adj").read())
""",
        refusals=12,
        stdout="adj 1000",
    ),
)

SIMULATOR = (
    Attack(
        "import of the simulator",
        """
import importlib.util
for name in ("ceo_gym", "ceo_gym.simulators.ceobench", "gymnasium", "ceo_gym.sandbox"):
    attempt(__import__, name, name=name)
    attempt(importlib.import_module, name, name=name)
print("spec", importlib.util.find_spec("ceo_gym"))
""",
        refusals=8,
        stdout="spec None",
    ),
    Attack(
        "the simulator by paths",
        """
import importlib.util, site, sysconfig
roots = {sysconfig.get_paths()["purelib"], *site.getsitepackages(), site.getusersitepackages(),
         "/usr/lib/python3/dist-packages", "/usr/local/lib/python3.11/dist-packages",
         *glob.glob("/usr/lib/python3*/*-packages"),
         *glob.glob("/usr/local/lib/python3*/*-packages")}
sys.path[:0] = roots | {os.path.join(p, "..") for p in sys.path}
print("pth", [f for root in roots for f in glob.glob(root + "/*")])
attempt(__import__, "ceo_gym")
inside = os.path.dirname(os.path.dirname(nm.__file__))
print("beside", sorted(os.listdir(inside)), sorted(os.listdir(inside + "/..")))
""",
        stdout=r"pth \[\].*refused: ModuleNotFoundError.*"
        r"beside \['ceo_worker', 'novamind_api'\] \['inside', 'site'\]",
    ),
    Attack(
        "the simulator in what the worker has loaded",
        """
import gc
print("modules", [name for name in sys.modules if "ceo_gym" in name or "gymnasium" in name])
print("objects", [type(o) for o in gc.get_objects() if type(o).__module__.startswith("ceo_gym")])
print("files", sorted(os.readlink(f"/proc/self/fd/{n}").split(":")[0]
                      for n in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{n}")))
""",
        stdout=r"modules \[\]\nobjects \[\]\nfiles \['/dev/null', 'pipe', 'pipe', 'socket'\]",
    ),
)

NETWORK = (
    Attack(
        "sockets of other kinds",
        """
for family in (2, 10, 16, 17, 40, 38, 44, 21, 30):
    for kind in (1, 2, 3):
        attempt(socket.socket, family, kind, name=f"family {family}")
        attempt(call, 53, family, kind, 0, (ctypes.c_int * 2)(), name=f"pair {family}")
attempt(socket.create_connection, ("127.0.0.1", 22), 0.2)
attempt(socket.create_connection, ("1.1.1.1", 53), 0.2)
attempt(socket.create_server, ("127.0.0.1", 0))
attempt(socket.getaddrinfo, "example.org", 80)
""",
        refusals=58,
    ),
    Attack(
        "http",
        """
import urllib.request
attempt(urllib.request.urlopen, "http://example.org/", None, 0.5)
attempt(urllib.request.urlopen, "http://169.254.169.254/latest/meta-data/", None, 0.5)
found = subprocess.run(["/bin/sh", "-c", "exec 3<>/dev/tcp/127.0.0.1/22"], capture_output=True)
print("shell", found.returncode != 0)
""",
        stdout="refused.*refused.*shell True",
    ),
    Attack(
        "unix sockets of the host",
        """
own = socket.socket(socket.AF_UNIX)
for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/systemd/private",
             "/tmp/.X11-unix/X0", chr(0) + "/tmp/.X11-unix/X0", chr(0) + "ceo-gym-attacks",
             "/run/dbus/system_bus_socket"):
    attempt(own.connect, path, name=repr(path))
print("names", open("/proc/net/unix").read().count("@"))
""",
        refusals=7,
        stdout="names 0",
    ),
)

RIGHTS = (
    Attack(
        "namespaces, mounts and roots",
        """
for flags in (0x10000000, 0x20000, 0x20000000, 0x40000000, 0x02000000, 0x80):
    attempt(call, 272, flags, name="unshare")
    attempt(call, 56, flags | 17, 0, 0, 0, 0, name="clone")
block = (ctypes.c_uint64 * 11)(0x10000000)
attempt(call, 435, block, 88, name="clone3")
attempt(call, 308, os.open("/proc/self/ns/net", os.O_RDONLY), 0, name="setns")
attempt(call, 165, b"none", b"/tmp", b"tmpfs", 0, 0, name="mount")
attempt(call, 166, b"/tmp", 0, name="umount2")
attempt(call, 155, b".", b".", name="pivot_root")
attempt(os.chroot, "/tmp")
found = subprocess.run(["unshare", "-Ur", "id"], capture_output=True, text=True)
print("unshare", found.returncode != 0, found.stdout)
""",
        refusals=18,
        stdout="unshare True",
    ),
    Attack(
        "another user",
        """
for act, *arguments in ((os.setuid, 0), (os.setgid, 0), (os.setresuid, 0, 0, 0),
                        (os.setreuid, 0, 0), (os.setgroups, [0]), (os.seteuid, 0),
                        (os.initgroups, "root", 0)):
    attempt(act, *arguments)
status = open("/proc/self/status").read()
print([l for l in status.splitlines() if l.startswith(("Cap", "NoNewPrivs", "Seccomp:"))])
for name in ("su", "sudo", "mount", "passwd", "newgrp"):
    if os.path.exists(f"/usr/bin/{name}"):
        subprocess.run(["/usr/bin/" + name, "-h"], capture_output=True)
print("user", len({*os.getresuid()}), os.getuid() > 0)
""",
        refusals=7,
        stdout=r"CapEff:\\t0000000000000000.*NoNewPrivs:\\t1.*user 1 True",
    ),
    Attack(
        "files that give rights",
        """
open("/workspace/tool", "w").close()
for mode in (0o4755, 0o2755, 0o6777):
    attempt(os.chmod, "/workspace/tool", mode)
    attempt(os.fchmod, os.open("/workspace/tool", os.O_RDONLY), mode)
    attempt(os.open, f"/workspace/{mode}", os.O_CREAT | os.O_WRONLY, mode)
    attempt(os.mknod, f"/workspace/{mode}", 0o100000 | mode)
    attempt(call, 452, -100, b"/workspace/tool", mode, 0, name="fchmodat2")
attempt(call, 437, -100, b"/workspace/tool", (ctypes.c_uint64 * 3)(), 24, name="openat2")
os.chmod("/workspace/tool", 0o1755)
print("mode", oct(os.stat("/workspace/tool").st_mode))
os.remove("/workspace/tool")
""",
        refusals=16,
        stdout="mode 0o101755",
    ),
    Attack(
        "kernel facilities",
        """
for name, number in {"io_uring_setup": 425, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298,
                     "keyctl": 250, "add_key": 248, "io_setup": 206, "fanotify_init": 300,
                     "personality": 135, "kexec_load": 246, "open_by_handle_at": 304, "syslog": 103,
                     "fsopen": 430, "move_mount": 429, "swapon": 167, "reboot": 169,
                     "memfd_create": 319, "shmget": 29, "msgget": 68, "semget": 64,
                     "mq_open": 240, "init_module": 175}.items():
    attempt(call, number, 0, 0, 0, 0, 0, name=name)
""",
        refusals=22,
    ),
)


@table(*MEMORY, *FILES, *SIMULATOR, *NETWORK, *RIGHTS)
def test_nothing_is_reached(game: Game, attack: Attack) -> None:
    game.withstand(attack)


@pytest.mark.parametrize("number", [0x40000000 + 39, 0x40000000 + 101])
def test_calls_of_another_abi_do_not_exist(game: Game, number: int) -> None:
    game.withstand(Attack("x32", f"attempt(call, {number})", stdout="refused: OSError.*38"))
