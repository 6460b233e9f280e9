"""The company as a task of Inspect, played by a model that answers what it is told to."""

import importlib.metadata
import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.integrations.session_tools import SessionTools
from ceo_gym.runs import DamagedJournal, read_journal
from ceo_gym.sessions import Session, replay
from tests.sandbox_here import NEEDS_BOX

pytest.importorskip("inspect_ai", reason='needs pip install "ceo-gym[inspect]"')

import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score

from ceo_gym.integrations import inspect_scorer, inspect_task
from ceo_gym.integrations.inspect_task import IDLE, ceobench

# what Inspect and its own dependencies do
pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]

FORECAST = {"point": 1e6, "lower": 9.9e5, "upper": 1.1e6}
WEEK = {
    "predictions": {f"cash_{weeks}wk": FORECAST for weeks in (1, 4, 12, 26)},
    "rationale": "see who comes",
}


def says(content: str) -> ModelOutput:
    return _counted(ModelOutput.from_content("mockllm/model", content))


def calls(tool: str, **arguments: Any) -> ModelOutput:
    return _counted(ModelOutput.for_tool_call("mockllm/model", tool, arguments))


def _counted(output: ModelOutput) -> ModelOutput:
    output.usage = ModelUsage()  # otherwise Inspect counts tokens, which needs a download
    return output


def evaluated(outputs: Iterable[ModelOutput], folder: Path, **arguments: Any) -> Any:
    """The log of an evaluation; options of Inspect begin with ``inspect_``."""
    options = {k: v for k, v in arguments.items() if k.startswith("inspect_")}
    for name in options:
        del arguments[name]
    task = ceobench(**{"programs": False, "sessions": str(folder / "sessions"), **arguments})
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    (log,) = inspect_ai.eval(
        task,
        model=model,
        display="none",
        log_dir=str(folder / "logs"),
        **{name.removeprefix("inspect_"): value for name, value in options.items()},
    )
    return log


def metrics(log: Any) -> dict[str, dict[str, float]]:
    return {
        score.name: {name: metric.value for name, metric in score.metrics.items()}
        for score in log.results.scores
    }


def weeks() -> Iterator[ModelOutput]:
    while True:
        yield calls("next_week", **WEEK)


def test_a_short_game_is_scored_by_its_final_cash(tmp_path: Path) -> None:
    def outputs() -> Iterator[ModelOutput]:
        yield says("Let me think.")
        yield calls("set_prices", A=35, B=90)
        yield calls("set_prices", A=-1)
        yield calls("set_prices", A="cheap")
        yield calls("query", sql="SELECT SUM(amount) AS usd FROM ledger")
        yield from weeks()

    log = evaluated(outputs(), tmp_path, seeds=3, days=14)
    assert log.status == "success", log.error
    (sample,) = log.samples
    directory = Path(sample.metadata["session"])
    assert directory.parent == tmp_path / "sessions"
    game = replay(directory)
    with Session.open(directory) as session:
        cash = session.desk.world.company.cash_usd
        assert session.status["status"] == "completed"
        assert session.begin["about"]["sample"] == sample.uuid
    score = sample.scores["game_score"]
    assert score.value["final_cash_usd"] == cash == game.final_cash_usd
    assert score.metadata == {"session": str(directory), "weeks": 2, "decisions": 3}
    assert (score.value["survived"], score.value["finished"]) == (1.0, 1.0)
    assert score.value["survival_days"] == 14.0
    assert score.value["coverage_95"] == 1.0
    assert math.isnan(score.value["error_28d"])
    assert f"ceo-gym replay {directory}" in score.explanation

    found = metrics(log)
    assert found["final_cash_usd"]["mean"] == cash
    assert found["final_cash_usd"]["ceo_gym/bootstrap_low"] == cash
    assert math.isnan(found["error_28d"]["mean"])

    answers = [message for message in sample.messages if message.role == "tool"]
    assert "out_of_range: " in answers[1].error.message
    assert "'cheap' is not of type 'number'" in answers[2].error.message  # by Inspect itself
    assert answers[3].text.startswith('{"success": true')
    assert answers[4].text.startswith("WEEK 1 | DAY 7")
    assert "THE GAME IS OVER (completed on day 14)" in answers[5].text
    told = [message.text for message in sample.messages if message.role == "user"]
    assert "WEEK 0 | DAY 0" in told[0]
    assert told[1] == "The game goes on: it is day 0 of 14. next_week plays the next week."
    assert sample.messages[0].text.startswith("# Running the company")


def test_several_seeds_have_a_mean_and_its_uncertainty(tmp_path: Path) -> None:
    def outputs() -> Iterator[ModelOutput]:
        for price in (10, 20, 30):
            yield calls("research_market") if price > 10 else calls("get_cost_info")
            for _ in range(5):
                yield calls("next_week", **WEEK)

    log = evaluated(outputs(), tmp_path, seeds="1-3", days=35, inspect_max_samples=1)
    assert log.status == "success", log.error
    values = [sample.scores["game_score"].value for sample in log.samples]
    cash = [value["final_cash_usd"] for value in values]
    assert [sample.id for sample in log.samples] == ["seed-1", "seed-2", "seed-3"]
    assert len(set(cash)) > 1
    found = metrics(log)
    assert found["final_cash_usd"]["mean"] == pytest.approx(sum(cash) / 3)
    assert found["final_cash_usd"]["stderr"] > 0.0
    low, high = (found["final_cash_usd"][f"ceo_gym/bootstrap_{end}"] for end in ("low", "high"))
    assert min(cash) <= low < high <= max(cash)
    assert 0.0 < found["error_28d"]["mean"] < 1.0
    assert found["finished"]["mean"] == 1.0


def test_a_model_that_only_talks_does_not_play_for_ever(tmp_path: Path) -> None:
    log = evaluated(iter([says("Well.")] * 20), tmp_path, days=14)
    assert log.status == "success", log.error
    (sample,) = log.samples
    value = sample.scores["game_score"].value
    assert (value["finished"], value["survival_days"]) == (0.0, 0.0)
    assert math.isnan(value["coverage_95"])
    assert len([m for m in sample.messages if m.role == "assistant"]) == IDLE


def test_a_limit_of_inspect_ends_a_game_which_is_scored(tmp_path: Path) -> None:
    log = evaluated(weeks(), tmp_path, days=70, inspect_message_limit=8)
    assert log.status == "success", log.error
    (sample,) = log.samples
    assert sample.limit.type == "message"
    value = sample.scores["game_score"].value
    assert value["finished"] == 0.0
    assert 0.0 < value["survival_days"] < 70.0
    directory = Path(sample.metadata["session"])
    Session.open(directory).close()  # it was closed
    assert value["final_cash_usd"] == replay(directory).final_cash_usd


@NEEDS_BOX
def test_programs_act_on_the_company(tmp_path: Path) -> None:
    def outputs() -> Iterator[ModelOutput]:
        code = "import novamind_api as nm; print(nm.pricing.set_prices(A=40)['current']['A'])"
        yield calls("run_python", code=code)
        yield calls("run_python", code="1 / 0")
        yield from weeks()

    log = evaluated(outputs(), tmp_path, days=7, programs=True)
    assert log.status == "success", log.error
    answers = [message for message in log.samples[0].messages if message.role == "tool"]
    assert answers[0].text == "40.0\n"
    assert "ZeroDivisionError" in answers[1].text
    entries = read_journal(Path(log.samples[0].metadata["session"]))
    by = [entry["by"] for entry in entries if entry.get("tool") == "set_prices"]
    assert by == ["program 1"]


def test_a_forged_record_gets_no_score(tmp_path: Path) -> None:
    log = evaluated(weeks(), tmp_path, days=7)
    directory = Path(log.samples[0].metadata["session"])
    journal = directory / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"cash_usd":9', b'"cash_usd":8'))
    with pytest.raises(DamagedJournal):
        inspect_scorer.audit(directory)


def test_tools_are_those_of_the_declarations(tmp_path: Path) -> None:
    from ceo_gym.integrations.one_thread import OneThread

    with Session.create(tmp_path) as session:
        tools = SessionTools(session, programs=False)
        for schema in tools.schemas():
            made = inspect_task._tool(tools, OneThread(), schema)
            assert (made.name, made.description) == (schema["name"], schema["description"])
            assert list(made.parameters.properties) == list(schema["parameters"]["properties"])
            assert made.parameters.required == schema["parameters"]["required"]
            for name, field in schema["parameters"]["properties"].items():
                assert made.parameters.properties[name].description == field["description"]


def test_the_bootstrap_of_the_metric() -> None:
    scores = [SampleScore(score=Score(value=value)) for value in (1.0, 2.0, 6.0)]
    found = inspect_scorer.bootstrap()(scores)
    assert 1.0 <= found["low"] < 3.0 < found["high"] <= 6.0
    assert math.isnan(inspect_scorer.bootstrap()([])["low"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"env": "CEOBench-v9"}, "no environment 'CEOBench-v9'"),
        ({"days": -1}, "horizon_days"),
        ({"env_args": {"colour": "red"}}, "colour"),
        ({"seeds": "publisched"}, "no set of seeds"),
    ],
)
def test_what_is_wrong_is_told_before_a_model_is_asked(
    arguments: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        ceobench(**{"programs": False, **arguments})


def test_a_missing_sandbox_is_told_before_a_model_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="programs=false"):
        ceobench()


@pytest.mark.parametrize(
    ("seeds", "count"), [("evaluation", 32), ("1-4", 4), (["1-2", "7"], 3), (64, 1), ([1, 2], 2)]
)
def test_seeds_as_the_command_line_of_inspect_gives_them(seeds: Any, count: int) -> None:
    assert len(ceobench(seeds=seeds, programs=False).dataset) == count


def test_inspect_finds_the_task_by_its_entry_point() -> None:
    found = importlib.metadata.entry_points(group="inspect_ai", name="ceo_gym")
    assert found, "the package was installed before it had the entry point; install it again"
    assert {"ceobench", "game_score"} <= set(found["ceo_gym"].load().__all__)
