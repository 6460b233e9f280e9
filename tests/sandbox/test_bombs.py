"""Attempts to use up the machine: processes, memory, time, output."""

from __future__ import annotations

import time

from tests.sandbox.games import LIMITS, Attack, Game, table

LONGER, MEMORY, PRINTED = (
    "stopped:.*longer than",
    "stopped:.*MiB of memory",
    "stopped:.*printed more",
)

PROCESSES = (
    Attack(
        "fork bomb",
        """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        stderr=LONGER,
        exit_code=137,
    ),
    Attack(
        "fork bomb of daemons that the program does not wait for",
        """
for _ in range(500):
    try:
        if not os.fork():
            os.setsid()
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            while True:
                try:
                    if os.fork():
                        os._exit(0)
                except OSError:
                    time.sleep(0.001)
    except OSError:
        pass
""",
    ),
    Attack(
        "thread bomb",
        """
count = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        count += 1
except RuntimeError as error:
    print("refused", error, count < 40)
""",
        stdout="refused.*True",
        exit_code=0,
    ),
    Attack(
        "higher limits",
        """
for which in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_NOFILE,
              resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK):
    attempt(resource.setrlimit, which, (2**40, 2**40), name=str(which))
for process in (1, os.getppid()):
    attempt(resource.prlimit, process, resource.RLIMIT_NOFILE, (3, 3))
    attempt(os.sched_setaffinity, process, {0})
    attempt(os.sched_setscheduler, process, os.SCHED_BATCH, os.sched_param(0))
    attempt(os.setpriority, os.PRIO_PROCESS, process, 19)
attempt(os.setpriority, os.PRIO_USER, os.getuid(), 19)
attempt(os.setpriority, os.PRIO_PGRP, os.getpgid(os.getppid()), 19)
attempt(call, 251, 1, os.getppid(), 3 << 13, name="ioprio_set")
os.nice(1)
print("nice", os.getpriority(os.PRIO_PROCESS, 0) > os.getpriority(os.PRIO_PROCESS, os.getppid()))
""",
        refusals=17,
        stdout="nice True",
        exit_code=0,
    ),
)

MEMORIES = (
    Attack("memory of one process", "attempt(bytearray, 2**30)", refusals=1, exit_code=0),
    Attack(
        "memory bit by bit",
        """
kept = []
while True:
    kept.append(bytearray(2**20))
""",
        stderr=f"MemoryError|{MEMORY}",
    ),
    Attack(
        "memory of many processes",
        """
for _ in range(6):
    if not os.fork():
        kept = bytearray(os.urandom(2**20)) * 100
        time.sleep(60)
time.sleep(60)
""",
        stderr=MEMORY,
        exit_code=137,
    ),
    Attack(
        "memory that processes share",
        """
import mmap
for _ in range(6):
    if not os.fork():
        kept = mmap.mmap(-1, 200 * 2**20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
        for at in range(0, len(kept), 4096):
            kept[at] = 1
        time.sleep(60)
time.sleep(60)
""",
        stderr=MEMORY,
        exit_code=137,
    ),
    Attack(
        "memory of a process that hides it",
        """
libc.prctl(4, 0)
for _ in range(6):
    if not os.fork():
        kept = bytearray(os.urandom(2**20)) * 100
        time.sleep(60)
time.sleep(60)
""",
        stderr=MEMORY,
        exit_code=137,
    ),
    Attack(
        "files in memory",
        """
for folder in ("/tmp", "/dev/shm"):
    with open(folder + "/large", "wb") as file:
        attempt(file.write, bytes(12 * 2**20), name=folder)
attempt(os.memfd_create, "large")
""",
        refusals=3,
        exit_code=0,
    ),
    Attack(
        "empty files in memory",
        """
for number in range(10**6):
    open(f"/dev/shm/{number}", "w").close()
""",
        stderr="stopped:.*too many files in /tmp",
        exit_code=137,
    ),
    Attack(
        "buffers of the kernel",
        """
kept = []
try:
    while True:
        kept.append(socket.socketpair())
        kept[-1][0].setblocking(False)
        try:
            while True:
                kept[-1][0].send(bytes(4096))
        except BlockingIOError:
            pass
except OSError as error:
    print("refused", error, len(kept) < 100)
for ends in kept:
    ends[0].close(), ends[1].close()
pipes = [os.pipe() for _ in range(40)]
print("pipes", sum(fcntl.fcntl(p[1], 1031, 2**20) for p in pipes[:8]) // 2**20)
""",
        stdout="refused.*True",
    ),
)

TIMES = (
    Attack("endless loop", "while True: pass", stderr=LONGER, exit_code=137),
    Attack(
        "endless loop deaf to signals",
        """
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
while True:
    try:
        time.sleep(60)
    except BaseException:
        pass
""",
        stderr=LONGER,
        exit_code=137,
    ),
    Attack(
        "endless loop in native code",
        "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
        stderr=LONGER,
        exit_code=137,
    ),
    Attack(
        "stopped processes",
        "os.fork(); os.kill(os.getpid(), signal.SIGSTOP)",
        stderr=LONGER,
        exit_code=137,
    ),
    Attack(
        "endless end",
        """
import atexit
threading.Thread(target=lambda: [time.sleep(1) for _ in range(99)]).start()
atexit.register(time.sleep, 60)
""",
        stderr=LONGER,
        exit_code=137,
    ),
)

OUTPUTS = (
    Attack("endless lines", "while True: print('x' * 1000)", stderr=PRINTED, exit_code=137),
    Attack(
        "endless errors without a line end",
        "while True: sys.stderr.write('x' * 10_000)",
        stderr=PRINTED,
        exit_code=137,
    ),
    Attack(
        "output past the interpreter, of several processes",
        """
for _ in range(4):
    if not os.fork():
        while True:
            os.write(1, bytes(range(256)) * 100)
time.sleep(60)
""",
        stderr=PRINTED,
        exit_code=137,
    ),
    Attack(
        "a program that reads its own output",
        """
own = os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK)
def take():
    while True:
        try:
            os.read(own, 65536)
        except BlockingIOError:
            pass
for _ in range(3):
    threading.Thread(target=take, daemon=True).start()
end = time.monotonic() + 1
while time.monotonic() < end:
    os.write(1, b"x")
time.sleep(60)
""",
        stderr=LONGER,
        exit_code=137,
    ),
    Attack(
        "odd characters",
        r"""
print("\ud800 \x00 \x1b[2J \r \u202e")
sys.stdout.flush()
os.write(1, b"\xff\xfe\x80 \xed\xa0\x80\n")
print("end", file=sys.stderr)
""",
        stdout=r"\\ud800 \x00.*\ufffd",
        stderr="end",
        exit_code=0,
    ),
)


@table(*PROCESSES, *MEMORIES, *TIMES, *OUTPUTS)
def test_the_machine_is_not_used_up(game: Game, attack: Attack) -> None:
    game.withstand(attack)


def test_what_is_kept_of_output_is_bounded(game: Game) -> None:
    info = game.run("for n in range(100_000): print(n)")
    assert len(info["stdout"]) < LIMITS.kept_characters + 100
    assert info["stdout"].startswith("0\n1\n")
    assert info["stdout"].endswith("99998\n99999\n")
    assert "bytes are left out here" in info["stdout"]


def test_the_limit_of_time_is_exact_and_counts_answers_apart(game: Game) -> None:
    begun = time.monotonic()
    info = game.run("import time; time.sleep(60)")
    assert LIMITS.wall_s <= time.monotonic() - begun < LIMITS.wall_s + 5.0
    assert LIMITS.wall_s <= info["seconds"] < LIMITS.wall_s + 5.0

    def slow(request: str) -> dict[str, int]:
        time.sleep(1.5)
        return {"data": {"current_day": 1}}

    program = "import novamind_api as nm\nfor _ in range(2): print(nm.vars.current_day)"
    outcome = game.sandbox.run(program, slow)
    assert (outcome.stdout, outcome.stopped) == ("1\n1\n", "")
    assert 3.0 <= outcome.answer_seconds < 5.0
    assert outcome.seconds < LIMITS.wall_s
