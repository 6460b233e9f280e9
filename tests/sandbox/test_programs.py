"""Ordinary programs: what they find, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ceo_gym.sandbox import Limits, Sandbox
from tests.sandbox.games import LIMITS, processes_of

LIMIT = Limits(**{**LIMITS.as_dict(), "wall_s": 10.0, "memory_bytes": 2**29})

# name -> program, what it prints
PROGRAMS = {
    "arguments": (
        "import sys; print(sys.argv[1:], __name__, sys.argv[0] == __file__, __file__)",
        "['a', 'b'] __main__ True /workspace/program.py",
    ),
    "stdin is empty": ("import sys; print(repr(sys.stdin.read()))", "''"),
    "hash seed": ("import sys; print(sys.flags.hash_randomization)", "0"),
    "csv and json": (
        """
import csv, json, tempfile
csv.writer(open("a.csv", "w")).writerow([1, 2])
json.dump({"a": 1}, open("b.json", "w"))
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w+") as file:
    file.write("x")
    file.seek(0)
    print(open("a.csv").read().strip(), json.load(open("b.json")), file.read())
""",
        "1,2 {'a': 1} x",
    ),
    "pandas": (
        """
import pandas as pd, sqlite3, io
frame = pd.read_csv(io.StringIO("a,b\\n1,2\\n3,4"))
frame.to_sql("t", connection := sqlite3.connect("books.db"))
print(pd.read_sql("SELECT SUM(a) AS s FROM t", connection)["s"][0], frame.describe().shape)
""",
        "4 (8, 2)",
    ),
    "scipy": (
        "from scipy.optimize import minimize\n"
        "print(round(minimize(lambda x: (x[0] - 3) ** 2, [0.0]).x[0], 3))",
        "3.0",
    ),
    "multiprocessing": (
        """
import multiprocessing, concurrent.futures
def square(x): return x * x
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, range(4)))
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        print(list(pool.map(square, [5])))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        print(list(pool.map(square, [6])))
    shared, queue = multiprocessing.Value("i", 3), multiprocessing.Queue()
    queue.put(shared.value)
    print(queue.get())
""",
        "[0, 1, 4, 9]\n[25]\n[36]\n3",
    ),
    "subprocess": (
        """
import subprocess, sys
inner = "import numpy, pandas; print(numpy.ones(3).sum())"
print(subprocess.check_output([sys.executable, "-c", inner], text=True).strip())
print(subprocess.check_output("echo $HOME | tr a-z A-Z", shell=True, text=True).strip())
subprocess.run("echo out > /dev/stdout; echo err > /dev/stderr", shell=True, check=True)
""",
        "3.0\n/WORKSPACE\nout",
    ),
    "threads and atexit": (
        """
import threading, time, atexit
atexit.register(print, "last")
threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()
print("first")
""",
        "first\nthread\nlast",
    ),
    "asyncio": (
        """
import asyncio
async def wait():
    await asyncio.sleep(0.01)
    return 5
print(asyncio.run(wait()))
""",
        "5",
    ),
    "signals of its own": (
        "import signal, time\nsignal.signal(signal.SIGALRM, lambda *a: print('alarm'))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(0.2)",
        "alarm",
    ),
    "pickles": (
        "import pickle\nclass A: x = 5\nprint(pickle.loads(pickle.dumps(A())).x)",
        "5",
    ),
    "modules of its own": ("open('mine.py', 'w').write('x = 5'); import mine; print(mine.x)", "5"),
    "locale and time": (
        "import time, sys, zoneinfo\n"
        "print(time.tzname[0], sys.getfilesystemencoding(), zoneinfo.ZoneInfo('Europe/Paris'))",
        "UTC utf-8 Europe/Paris",
    ),
}


@pytest.fixture(scope="module")
def sandbox(boxed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with Sandbox(tmp_path_factory.mktemp("programs") / "workspace", limits=LIMIT) as found:
        yield found


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_find_what_they_need(sandbox: Sandbox, name: str) -> None:
    program, printed = PROGRAMS[name]
    outcome = sandbox.run(program, dict, arguments=["a", "b"])
    assert outcome.stdout == f"{printed}\n", outcome.stderr
    assert (outcome.exit_code, outcome.stopped) == (0, "")


@pytest.mark.parametrize("name", ["matplotlib", "gymnasium", "torch", "pytest", "ceo_gym"])
def test_what_is_absent_fails_clearly(sandbox: Sandbox, name: str) -> None:
    outcome = sandbox.run(f"import {name}", dict)
    assert outcome.stderr.endswith(f"ModuleNotFoundError: No module named '{name}'\n")
    assert outcome.exit_code == 1


def test_a_traceback_shows_the_lines_of_the_program(sandbox: Sandbox) -> None:
    outcome = sandbox.run("def f():\n    return 1 / 0\n\nf()\n", dict, name="odd.py")
    place = '  File "/workspace/odd.py", line 4'
    assert outcome.stderr.startswith(f"Traceback (most recent call last):\n{place}")
    assert "    return 1 / 0\n" in outcome.stderr
    assert "ceo_worker" not in outcome.stderr


def test_random_numbers_differ_between_programs(sandbox: Sandbox) -> None:
    program = "import numpy, random; print(numpy.random.rand(), random.random())"
    assert sandbox.run(program, dict).stdout != sandbox.run(program, dict).stdout


def test_what_is_run_before_and_limits_of_one_run(sandbox: Sandbox) -> None:
    assert sandbox.run("print(x)", dict, before="x = 5").stdout == "5\n"
    short = Limits(**{**LIMIT.as_dict(), "wall_s": 0.2})
    assert "longer than 0.2 s" in sandbox.run("while True: pass", dict, limits=short).stopped
    with pytest.raises(ValueError, match="at most 1,000,000 characters"):
        sandbox.run(" " * 1_000_001, dict)


def test_an_empty_program_takes_no_time(sandbox: Sandbox) -> None:
    sandbox.run("pass", dict)
    took = []
    for _ in range(20):
        begun = time.perf_counter()
        sandbox.run("pass", dict)
        took.append(time.perf_counter() - begun)
    assert sorted(took)[5] < 0.1  # 0.01 on a machine with nothing else to do


def test_a_worker_that_was_ended_between_programs_is_replaced(sandbox: Sandbox) -> None:
    for stop in (signal.SIGKILL, signal.SIGTERM):
        assert sandbox.run("print(1)", dict).stdout == "1\n"
        assert sandbox._worker is not None
        sandbox._worker._process.send_signal(stop)
        sandbox._worker._process.wait()
        assert sandbox.run("print(2)", dict).stdout == "2\n"
    assert len(processes_of(sandbox.workspace.stat().st_uid)) <= 1


def test_a_sandbox_goes_on_after_close_and_closes_twice(sandbox: Sandbox) -> None:
    sandbox.close()
    sandbox.close()
    assert sandbox.run("print(1)", dict).stdout == "1\n"


def test_two_sandboxes_do_not_see_each_other(sandbox: Sandbox, tmp_path: Path) -> None:
    with Sandbox(tmp_path / "other") as other:
        other.run("open('mine', 'w').write('x'); open('/tmp/mine', 'w')", dict)
        look = "import os; print(os.path.exists('mine'), os.path.exists('/tmp/mine'))"
        assert sandbox.run(look, dict).stdout == "False False\n"
        assert (tmp_path / "other" / "mine").read_text() == "x"


def test_a_forked_process_gets_a_worker_of_its_own(sandbox: Sandbox) -> None:
    sandbox.run("pass", dict)
    assert sandbox._worker is not None
    mine = sandbox._worker._process.pid
    child = os.fork()
    if not child:
        try:
            begun = time.monotonic()
            printed = sandbox.run("print(3)", dict).stdout
            sandbox.close()
            os._exit(0 if printed == "3\n" and time.monotonic() - begun < 20 else 1)
        finally:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sandbox.run("print(4)", dict).stdout == "4\n"
    assert sandbox._worker._process.pid == mine


HOST = """
import os, sys, time
from pathlib import Path
from ceo_gym.sandbox import Sandbox
sandbox = Sandbox(Path(sys.argv[1]))
print(sandbox.run("print('ready')", dict).stdout, flush=True)
if sys.argv[2] == "fork":
    if not os.fork():
        sys.exit(0)
    os.wait()
    print(sandbox.run("print('after')", dict).stdout, flush=True)
elif sys.argv[2] == "run":
    sandbox.run("import os\\nos.fork(); os.fork()\\nwhile True: pass", dict)
"""


def test_the_end_of_the_host_ends_all_in_the_box(boxed: None, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    with subprocess.Popen(
        [sys.executable, "-c", HOST, str(folder), "run"], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout is not None
        assert host.stdout.readline() == "ready\n"
        user = folder.stat().st_uid
        deadline = time.monotonic() + 10
        while len(processes_of(user)) < 4 and user != os.geteuid() and time.monotonic() < deadline:
            time.sleep(0.05)
        host.kill()
    while processes_of(user) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes_of(user) == []


def test_the_end_of_a_forked_process_leaves_the_worker_alone(boxed: None, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", HOST, str(tmp_path / "workspace"), "fork"]
    begun = time.monotonic()
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (found.stdout, found.stderr) == ("ready\n\nafter\n\n", "")
    assert time.monotonic() - begun < 15


def test_without_a_box_time_and_calls_are_limited_all_the_same(tmp_path: Path) -> None:
    limits = Limits(wall_s=1.0, calls=2)
    with Sandbox(tmp_path / "workspace", limits=limits, unsafe=True) as sandbox:
        outcome = sandbox.run(
            "import os, sys, numpy, novamind_api\nprint(os.getcwd()); sys.exit(4)", dict
        )
        assert (outcome.stdout, outcome.exit_code) == (f"{sandbox.workspace}\n", 4)
        outcome = sandbox.run(
            "import subprocess, os\n"
            "child = subprocess.Popen(['sleep', '600'])\nprint(child.pid, flush=True)\n"
            "while True: pass",
            dict,
        )
        assert (outcome.exit_code, outcome.stopped) == (137, "the program ran longer than 1 s")
        _gone(int(outcome.stdout))
        outcome = sandbox.run(
            "import os, signal, subprocess\n"
            "print(subprocess.Popen(['sleep', '600']).pid, flush=True)\n"
            "os.kill(os.getppid(), signal.SIGKILL)\nwhile True: pass",
            dict,
        )
        assert outcome.stopped == "the program ended its own worker"
        _gone(int(outcome.stdout))
        ask = "import novamind_api as nm\nfor _ in range(3): print(nm.vars.current_day)"
        outcome = sandbox.run(ask, lambda request: {"data": {"current_day": 1}})
        assert outcome.stdout == "1\n1\n"
        assert "a program may call 2 times" in outcome.stderr


def _gone(process: int) -> None:
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if (Path("/proc") / str(process) / "stat").read_text().split()[2] == "Z":
                return
            time.sleep(0.02)
        except FileNotFoundError:
            return
    raise AssertionError(f"process {process} lives on")
