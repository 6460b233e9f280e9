"""Attempts against the company itself: its books, its tools, and the line to it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.sandbox.conversation import ANSWER_BYTES
from ceo_gym.tools import ceobench as tools
from tests.sandbox.games import HEAD, Attack, Game, table

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"


def _queries(name: str, *queries: str) -> Attack:
    program = f"for sql in {list(queries)!r}: attempt(nm.query, sql, name=sql[:40])"
    return Attack(name, program, refusals=len(queries), exit_code=0)


BOOKS = (
    _queries(
        "other databases",
        "ATTACH DATABASE 'other.db' AS x",
        "ATTACH DATABASE '/etc/passwd' AS x",
        "DETACH DATABASE main",
        "VACUUM INTO 'copy.db'",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_temp_master",
    ),
    _queries(
        "pragmas",
        "PRAGMA writable_schema = ON",
        "PRAGMA database_list",
        "PRAGMA temp_store_directory = '.'",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_table_info('ledger')",
    ),
    _queries(
        "writes",
        "INSERT INTO ledger SELECT * FROM ledger",
        "UPDATE ledger SET amount = 1e9",
        "DELETE FROM ledger",
        "DROP TABLE ledger",
        "CREATE TABLE mine (x)",
        "CREATE TEMP TABLE mine (x)",
        "CREATE TRIGGER t AFTER INSERT ON ledger BEGIN SELECT 1; END",
        "ALTER TABLE ledger RENAME TO mine",
        "REPLACE INTO ledger VALUES (1)",
        "SELECT 1; DELETE FROM ledger",
        "BEGIN",
        "ROLLBACK",
        "WITH x AS (SELECT 1) DELETE FROM ledger",
        "EXPLAIN DELETE FROM ledger",
    ),
    _queries(
        "functions with reach",
        "SELECT load_extension('extension.so')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('written', 'x')",
        "SELECT edit('x')",
        "SELECT fts3_tokenizer('simple', x'00')",
        "SELECT * FROM generate_series(1, 10)",
        "SELECT * FROM dbstat",
        "CREATE VIRTUAL TABLE x USING csv(filename='/etc/passwd')",
        "SELECT * FROM fsdir('/')",
    ),
    _queries(
        "queries without end",
        ENDLESS,
        "SELECT COUNT(*) FROM ledger a, ledger b, ledger c, ledger d, ledger e, ledger f",
        "SELECT 1 WHERE '" + "a" * 500 + "b' LIKE '" + "%a" * 500 + "c'",
    ),
    _queries(
        "queries of size",
        "SELECT zeroblob(2000000000)",
        "SELECT replace(printf('%.*c', 900000, 'x'), 'x', 'xxxxxxxx')",
        "SELECT " + "(" * 5_000 + "1" + ")" * 5_000,
        "SELECT '" + "x" * 300_000 + "'",
        "SELECT " + ", ".join(["1"] * 3_000),
        "SELECT 1" + " UNION ALL SELECT 1" * 2_000,
        "",
        "\0",
        "SELECT '\ud800'",
    ),
    Attack(
        "an answer of size",
        """
large = ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 48)"
         " SELECT printf('%.*c', 900000, 'x') AS text FROM n")
attempt(lambda: len(nm.query(large)["rows"]))
print(nm.query("SELECT 1 AS x")["rows"])
""",
        refusals=1,
        stdout=r"\[{'x': 1}\]",
        exit_code=0,
    ),
)

ENDED = r"stopped: the program sent something else than a call"
LINE = (
    Attack("garbage", "line().sendall(os.urandom(10**6)); time.sleep(60)", stderr=ENDED),
    Attack("a length beyond all", "send(b'', 2**32 - 1); time.sleep(60)", stderr=ENDED),
    Attack(
        "part of a call",
        "line().sendall(struct.pack('>I', 100) + b'{'); time.sleep(60)",
        stderr="stopped:.*longer than",
    ),
    Attack("part of a length", "line().sendall(b'x')", exit_code=0),
    Attack(
        "many calls at once",
        'for _ in range(1000): send(b\'{"tool": "vars", "args": {}}\')',
        stderr=f"{ENDED}|^$|line to the company is closed|BrokenPipe",
    ),
    Attack(
        "calls whose answers are not taken",
        """
body = json.dumps({"tool": "get_current_config", "args": {}}).encode()
for _ in range(300):
    send(body)
    time.sleep(0.02)
time.sleep(60)
""",
        stderr="stopped:",
        exit_code=137,
    ),
    Attack(
        "what is no call",
        r"""
for body in (b"", b"\0", b"\xff\xfe\xed\xa0\x80", b"null", b"[]", b"{}", b'{"tool": 1}', b"1e999",
             b'{"tool": "vars"} {"tool": "vars"}', b'{"tool": "\\ud800"}', b'{"tool": "nope"}',
             b'{"tool": "set_prices", "args": [1]}', b'{"tool": "set_prices", "args": {"A": NaN}}',
             b'{"tool": "set_prices", "tool": "vars"}', b'{"tool": "set_prices", "args": "A"}',
             b"[" * 100_000, b'{"a":' * 100_000, b"9" * 100_000, b'{"tool": ' + b"9" * 100_000,
             b'{"tool": "set_prices", "args": {"A": ' + b"9" * 100_000 + b"}}",
             b'{"tool": "set_prices", "args": {"A": 1e99999}}',
             b'{"tool": "advance", "args": {"rationale": 5}}',
             b'{"tool": "' + b"x" * 1_000_000 + b'"}'):
    send(body)
    found = answer()
    print(body[:30], "refused" if set(found) == {"error", "code"} else "DONE", len(str(found)))
""",
        refusals=23,
        exit_code=0,
    ),
    Attack(
        "an argument of 100 MB",
        """
large = "x" * 100_000_000
attempt(nm.query, large)
attempt(nm.call, "log_rationale", {"text": large[:20_000_000]})
del large
send(b"", 100_000_000)
line().sendall(bytes(100_000_000))
""",
        refusals=2,
        stderr="stopped:",
        exit_code=137,
    ),
    Attack(
        "more than may be sent",
        """
body = b" " * 4_000_000
for _ in range(20):
    send(body)
    answer()
""",
        stderr="stopped:.*sent more than 16 MiB",
        exit_code=137,
    ),
    Attack(
        "a million calls",
        """
for _ in range(10**6):
    try:
        nm.vars.current_day
    except nm.NovaMindAPIError as error:
        last = str(error)
        if "300 times" in last:
            print("is refused")
""",
        refusals=100,
        stderr="stopped: the program does not stop calling",
        exit_code=137,
    ),
    Attack(
        "calls from another process",
        """
if not os.fork():
    attempt(nm.advance)
    sys.stdout.flush()
    os._exit(0)
os.wait()
""",
        refusals=1,
        exit_code=0,
    ),
    Attack(
        "files handed to the other side",
        """
for _ in range(50):
    socket.send_fds(line(), [b"\\0"], [os.open("/workspace", os.O_RDONLY) for _ in range(2)])
""",
    ),
)

ODD = ("float('nan')", "float('inf')", "-float('inf')", "10**400", "-1", "1e30", "'x' * 100_000")
ODD += ("'\\ud800'", "None", "[]", "{}", "[[[[1]]]]", "True", "''", "'\\0'", "{'A': float('nan')}")


@table(*BOOKS, *LINE)
def test_the_company_is_not_changed(game: Game, attack: Attack) -> None:
    game.withstand(attack)


@pytest.mark.parametrize("value", ODD)
def test_odd_arguments_never_end_a_program(game: Game, value: str) -> None:
    names = {tool: [p["name"] for p in s["parameters"]] for tool, s in _functions().items()}
    program = f"""
odd = {value}
for tool, names in {names!r}.items():
    for name in names:
        try:
            nm.call(tool, {{**{{n: 1 for n in names}}, name: odd}})
        except nm.NovaMindAPIError as error:
            print(tool, name, "refused", error.code, len(str(error)) < 2_000)
for number in ("point", "lower", "upper"):
    forecast = {{f"cash_{{n}}wk": {{"point": 1, "lower": 1, "upper": 1}} for n in (1, 4, 12, 26)}}
    forecast["cash_4wk"][number] = odd
    attempt(nm.next_week, forecast, "why")
attempt(nm.next_week, odd, "why")
"""
    saved = game.env.unwrapped.save_state()
    numbers = value in ODD[:4]
    try:
        info = game.run(HEAD + program)
        assert math.isfinite(game.env.unwrapped.world.company.cash_usd)
    finally:
        game.restore(saved)
    told = info["stdout"][-3000:] + info["stderr"][-2000:]
    assert info["exit_code"] == 0, told
    assert "False" not in info["stdout"], told
    if numbers:
        assert info["weeks_advanced"] == 0, told
        assert "DONE" not in info["stdout"], told
    game.still_plays()


def _functions() -> dict[str, dict[str, list[dict[str, str]]]]:
    return {f["tool"]: f for f in tools.python_functions() if f["tool"] not in ("next_week",)}


def test_a_week_is_played_once_when_its_caller_ends_meanwhile(game: Game) -> None:
    saved, day = game.env.unwrapped.save_state(), game.env.unwrapped.world.day

    def slow(request: str) -> Mapping[str, Any]:
        time.sleep(0.5)
        return game.env.desk.answer(request)

    program = HEAD + "threading.Timer(0.1, os._exit, (9,)).start(); nm.advance()"
    assert game.sandbox.run(program, slow).exit_code == 9
    turn = game.env.desk.take()
    assert (turn.weeks, game.env.desk.day) == (1, day + 7)
    info = game.run(HEAD + 'send(b\'{"tool": "advance", "args": {}}\'); os._exit(9)')
    assert (info["weeks_advanced"], info["day"], info["exit_code"]) == (1, day + 14, 9)
    game.restore(saved)
    game.still_plays()


def test_an_answer_that_is_too_long_is_refused(game: Game) -> None:
    program = HEAD + "attempt(nm.call, 'x')\nprint(len(nm.call('y')))"
    answers = iter([{"data": "x" * ANSWER_BYTES}, {"data": "\ud800" + "\u4e00" * 1_000_000}])
    outcome = game.sandbox.run(program, lambda request: next(answers))
    assert "refused: NovaMindAPIError the answer has 33,554" in outcome.stdout
    assert outcome.stdout.endswith("\n1000001\n")


def test_an_error_of_the_handler_ends_the_program_and_is_raised(game: Game) -> None:
    def broken(request: str) -> dict[str, str]:
        raise ZeroDivisionError(json.loads(request)["tool"])

    with pytest.raises(ZeroDivisionError, match="vars"):
        game.sandbox.run("import novamind_api as nm; nm.vars.current_day", broken)
    game.still_plays()


def test_the_attacked_company_plays_on_like_any_other(game: Game) -> None:
    other = gym.make("ceo_gym:CEOBench-v0")
    other.reset(seed=5, options={"start": "configured"})
    for _ in range(2):
        other.step(other.unwrapped.noop_action())
    saved = game.env.unwrapped.save_state()
    game.run("import novamind_api as nm; nm.advance()")
    mine = game.env.unwrapped.world
    assert mine.company.cash_usd == other.unwrapped.world.company.cash_usd
    assert mine.day == other.unwrapped.world.day
    game.restore(saved)
    other.close()
