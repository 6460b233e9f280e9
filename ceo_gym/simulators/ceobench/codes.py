"""The small numbers that stand for labels in arrays."""

from __future__ import annotations

NONE = -1

# --- enterprise sales ---
SYSTEM, CUSTOMER, AGENT = 0, 1, 2  # senders of a message
NEW_LEAD, CHURN_PREVENTION, PLAN_CHANGE, RENEGOTIATION = 0, 1, 2, 3  # kinds of a thread
KINDS = ("new_lead", "churn_prevention", "plan_change", "renegotiation")
OPEN, ACCEPTED, REJECTED, LOST = 0, 1, 2, 3  # states of a thread
LEAD, SUBSCRIBED, LEAD_LOST, CANCELLED = 0, 1, 2, 3  # states of an enterprise

# --- what became of a prospect, and why an account left ---
ARRIVAL_SUBSCRIBED, ARRIVAL_LOST, ARRIVAL_LEAD, ARRIVAL_GATED_OUT = 0, 1, 2, 3
REASON_INVOLUNTARY, REASON_CHOICE, REASON_LOST_THREAD, REASON_REJECTED = 0, 1, 2, 3

# --- notices to the company ---
NOTICES = (
    "large_customer_message",
    "lead_lost",
    "deal_won",
    "market_discovery",
    "research_complete",
    "group_research_complete",
    "macro_economic_update",
    "social_media",
)
COUNTER_OFFER = 4  # kind of a customer message beside the kinds of a thread

# --- public posts ---
POSTS = ("customer", "economy", "competitor", "reply")
# what a post can be about: customers, then the labels of economy and competitor posts
TOPICS = (
    "overload",
    "outage",
    "issue",
    "quota",
    "improving",
    "declining",
    "general",
    "left_for_quality",
    "left_for_price",
    "lost_negotiation",
    "strong_expansion",
    "expansion",
    "neutral",
    "contraction",
    "severe_contraction",
    "minor",
    "moderate",
    "major",
    "transformative",
    "reply",
)
TOPIC = {name: i for i, name in enumerate(TOPICS)}
