"""The tables have the columns that agents know, in their order, and no others."""

import csv

import pytest

from ceo_gym.sql.ceobench import BusinessDatabase, schema
from tests.conformance.shared import shared_file
from tests.sql.ceobench.companies import played

HIDDEN = {
    "customers": (
        "steepness_left",
        "steepness_right",
        "c_max",
        "q_max",
        "q_min",
        "usage_demand",
        "reply_delay_mean",
        "reply_delay_std",
        "negotiation_rate",
        "initial_offer_factor",
        "max_negotiation_turns",
        "contract_lockin_penalty",
        "persona_communication",
        "quality_sensitivity",
        "price_sensitivity",
        "willingness_to_pay",
        "usage_scale",
        "patience",
        "seat_count",
        "ads_quality_sensitivity",
        "ads_return_sensitivity",
    ),
    "subscriptions": (
        "effective_c_max",
        "daily_usage_rate",
        "billing_period_usage",
        "churn_reason",
    ),
    "ads_revenue": ("sensitivity", "seat_count"),
    "enterprise_turns": ("next_reply_day", "current_offer_price", "_internal_status"),
    "social_media_posts": (
        "customer_id",
        "sentiment",
        "likes",
        "shares",
        "virality_score",
        "reputation_impact",
        "influence_score",
    ),
    "agent_social_media_posts": ("effect_by_group", "views_by_group", "reasoning_by_group"),
    "research_projects": (
        "actual_completion_day",
        "current_decay_reduction",
        "decay_reduction_expiry_day",
    ),
    "segment_discovery": ("remaining_undiscovered",),
}
HIDDEN_CELLS = [(table, column) for table, of_table in HIDDEN.items() for column in of_table]


@pytest.mark.parametrize("table", schema.table_names())
def test_columns_in_order(table: str) -> None:
    """Check 1."""
    result = BusinessDatabase(played("published")).query(f"SELECT * FROM {table} LIMIT 1")
    assert result["columns"] == list(schema.names(table))
    assert result["row_count"] == 1, "the world of these tests fills every table"
    assert list(result["rows"][0]) == result["columns"]


def test_columns_are_those_of_the_specification() -> None:
    with shared_file("spec/ceobench/params/tables.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    visible = [r for r in rows if r["visibility"].startswith("visible")]
    ours = [(c.table, c.name, c.type) for t in schema.columns().values() for c in t]
    assert ours == [(r["table"], r["column"], r["type"]) for r in visible]
    hidden = {(r["table"], r["column"]) for r in rows} - {(t, c) for t, c, _ in ours}
    assert set(HIDDEN_CELLS) == hidden


def test_nineteen_tables_and_their_description() -> None:
    assert len(schema.table_names()) == 19
    result = BusinessDatabase(played("published")).query("SELECT * FROM schema_columns")
    assert result["columns"] == list(schema.SCHEMA_FIELDS)
    assert result["row_count"] == sum(len(t) for t in schema.columns().values())
    groups = played("published").params.groups.ids
    labels = {(r["table"], r["column"]): r["values"] for r in result["rows"]}
    assert labels["customers", "group_id"] == "|".join(groups)
    assert all(r["meaning"] for r in result["rows"])
