"""Odd ways to end or not to end, signals, and what a program leaves behind."""

from __future__ import annotations

from tests.sandbox.games import HEAD, Attack, Game, table

SIGNALS = (
    Attack(
        "signals to the worker and to the first process",
        """
worker = os.getppid()
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV):
    for process in (1, worker, -1, -worker):
        attempt(os.kill, process, number, name=f"kill {process}")
    attempt(os.killpg, os.getpgid(worker), number)
    for process in (1, worker):
        attempt(call, 200, process, int(number), name="tkill")
        attempt(call, 234, process, process, int(number), name="tgkill")
        attempt(call, 129, process, int(number), (ctypes.c_char * 128)(), name="sigqueue")
""",
        refusals=55,
        exit_code=0,
    ),
    Attack(
        "signals by way of files",
        """
ends = socket.socketpair()
for command in (fcntl.F_SETOWN, 10, 15):
    attempt(fcntl.fcntl, ends[0], command, os.getppid(), name="fcntl")
for command in (0x8901, 0x8902):
    attempt(fcntl.ioctl, ends[0], command, struct.pack("i", os.getppid()), name="ioctl")
attempt(fcntl.fcntl, os.open(sys.executable, os.O_RDONLY), 1024, 0, name="lease")
""",
        refusals=6,
        exit_code=0,
    ),
    Attack(
        "a child whose end kills its parent",
        """
# the signal of a child's end, and the worker as the parent of a process
for flags in (9, 0x8000 | 9, 0x8000 | 19):
    if libc.syscall(56, flags, 0, 0, 0, 0) == 0:
        os._exit(0)
time.sleep(0.2)
print("alive")
""",
    ),
    Attack(
        "other groups",
        """
attempt(os.setpgid, os.getppid(), 0)
attempt(os.setpgid, 0, os.getpgid(os.getppid()))
attempt(os.setsid)
""",
        refusals=3,
    ),
    Attack(
        "end by every signal",
        """
for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM, signal.SIGHUP):
    child = os.fork()
    if not child:
        os.kill(os.getpid(), number)
    os.waitpid(child, 0)
os.kill(0, signal.SIGKILL)
""",
        exit_code=137,
    ),
)

ENDS = (
    Attack("abort", "os.abort()", exit_code=134),
    Attack("segmentation fault", "ctypes.string_at(1)", exit_code=139),
    Attack(
        "recursion",
        "def f(): f()\nf()",
        stderr=r"RecursionError: maximum recursion depth exceeded\n$",
        exit_code=1,
    ),
    Attack(
        "recursion without a limit",
        "sys.setrecursionlimit(10**9)\nf = lambda x: [x for _ in map(f, [x])]\nf(map)",
    ),
    Attack("source of brackets", "(" * 100_000, stderr="SyntaxError|MemoryError", exit_code=1),
    Attack("source of signs", "-" * 500_000 + "1"),
    Attack("source with a null", "\0", stderr="null", exit_code=1),
    Attack("source with half a character", "x = '\ud800'", stderr="Unicode", exit_code=1),
    Attack(
        "exit in atexit",
        "import atexit; atexit.register(os._exit, 3); print('printed')",
        exit_code=3,
    ),
    Attack("exit with words", "sys.exit('words')", stderr="^words\n$", exit_code=1),
    Attack("exit with nothing", "sys.exit()", exit_code=0),
    Attack("exit with a large number", "sys.exit(2**70 + 5)"),
    Attack("exit with minus one", "sys.exit(-1)", exit_code=255),
    Attack(
        "exit with what cannot be printed",
        """
class Odd:
    def __str__(self): raise SystemExit(Odd())
    __repr__ = __str__
sys.exit(Odd())
""",
    ),
    Attack(
        "a hook that raises",
        """
def hook(*error): raise ValueError("of the hook")
sys.excepthook = hook
raise KeyError("of the program")
""",
        stderr="of the program",
        exit_code=1,
    ),
    Attack(
        "an error that lies about itself",
        """
class Odd(BaseException):
    def __str__(self): raise self
    __traceback__ = __cause__ = property(lambda self: 1 / 0)
raise Odd
""",
    ),
    Attack("closed streams", "sys.stdout.close(); sys.stderr.close()", exit_code=0),
    Attack("no streams", "sys.stdout = sys.stderr = None; os.closerange(0, 1000)"),
    Attack(
        "living on without a line and output",
        "line().close(); os.closerange(0, 1000)\nwhile True: time.sleep(1)",
        stderr="stopped:.*longer than",
        exit_code=137,
    ),
    Attack(
        "an end from another thread while an answer is awaited",
        """
threading.Timer(0.1, os._exit, (7,)).start()
nm.query("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n")
""",
        exit_code=7,
    ),
    Attack(
        "a main module without what it should have",
        "import builtins\nsys.modules.clear(); builtins.__dict__.clear()",
    ),
    Attack(
        "another program in its place",
        "os.execv('/bin/sh', ['sh', '-c', 'echo replaced; exit 5'])",
        stdout="replaced",
        exit_code=5,
    ),
)

# program, and what the next one must find
LEFTOVERS = {
    "processes": (
        """
for _ in range(3):
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            time.sleep(0.01)
subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
""",
        "known = {'1', str(os.getppid()), str(os.getpid())}\n"
        "print({n for n in os.listdir('/proc') if n.isdigit()} - known)",
        "set()",
    ),
    "changed modules": (
        """
import numpy, math
numpy.sum = math.sqrt = nm.query = nm.advance = None
del nm.pricing
json.loads = print
sys.modules["pandas"] = None
sys.path[:] = []
""",
        "import numpy, pandas, math\n"
        "print(numpy.sum([1, 2]), math.sqrt(4), nm.query('SELECT 1 AS x')['rows'])\n"
        "print(nm.pricing.__name__)",
        "3 2.0 [{'x': 1}]\nnovamind_api.pricing",
    ),
    "hooks, environment, directory": (
        """
sys.excepthook = print
sys.settrace(print)
os.environ.clear()
os.environ["PYTHONPATH"] = "/tmp"
os.umask(0o777)
os.chdir("/proc")
signal.signal(signal.SIGTERM, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
""",
        "mask = os.umask(0); print(sys.gettrace(), os.environ['HOME'], os.getcwd(), oct(mask),\n"
        "      signal.getsignal(15), resource.getrlimit(resource.RLIMIT_NOFILE)[0])",
        "None /workspace /workspace 0o22 0 128",
    ),
    "files in memory": (
        """
for folder in ("/tmp", "/dev/shm"):
    os.makedirs(folder + "/a/b/c")
    open(folder + "/a/b/c/file", "w").write("left")
    os.symlink("/workspace", folder + "/link")
    os.chmod(folder + "/a/b", 0o500)
""",
        "print(os.listdir('/tmp'), os.listdir('/dev/shm'), os.listdir('/workspace'))",
        "[] [] []",
    ),
    "sockets and names": (
        """
for address in ("/tmp/socket", chr(0) + "name"):
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    os.set_inheritable(server.fileno(), True)
if not os.fork():
    time.sleep(60)
""",
        "print(open('/proc/net/unix').read().count('name'), os.path.exists('/tmp/socket'))",
        "0 False",
    ),
}


@table(*SIGNALS, *ENDS)
def test_however_it_ends_the_next_program_runs(game: Game, attack: Attack) -> None:
    game.withstand(attack)


def test_nothing_is_left_to_the_next_program(game: Game) -> None:
    for name, (program, look, seen) in LEFTOVERS.items():
        game.withstand(Attack(name, program, exit_code=0))
        assert game.run(HEAD + look)["stdout"] == f"{seen}\n", name
