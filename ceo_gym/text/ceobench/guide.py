"""The mechanics guide that a player gets at the start, made from the parameter files.

Every number in it is the one the world plays with. Told are costs, tiers, limits and dates; what
customers are like, how well channels work and the coefficients behind the scenes are described in
words only (observation.md 1 and 3).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import CHANNELS, MONTH_DAYS, PLANS, WEEK_DAYS


def guide(params: Params | None = None, rules: Rules | None = None) -> str:
    """The guide as Markdown.

    Args:
        params: numbers of the world; the published ones unless given.
        rules: its rules; the published ones unless given.
    """
    params = params or Params.load()
    rules = rules or Rules.published()
    sections = (
        _task(params),
        _decides(),
        _plans(params, rules),
        _capacity(params),
        _support(),
        _quality(params),
        _customers(params),
        _growth(params),
        _money(params),
        _information(params),
        _enterprises(params, rules),
        _posts(params),
        _economy(params),
        _hidden(params),
        _limits(params, rules),
    )
    return "\n\n".join(_wrapped(section) for section in sections) + "\n"


def _wrapped(section: str) -> str:
    """A section with its paragraphs filled anew; headings, tables and lists stay as they are."""
    blocks = section.strip().split("\n\n")
    return "\n\n".join(b if b[0] in "#|-" else textwrap.fill(b, 100) for b in blocks)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _amount(value: float) -> str:
    """A number of dollars or units: cents only where there are some."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"


def _task(params: Params) -> str:
    days, cash = params.clock.horizon_days, params.company.initial_cash_usd
    rest = days % WEEK_DAYS
    last = f" ({rest} the last time)" if rest else ""
    end = (
        "If the cash is below zero at the end of a day, the company is bankrupt and the run over."
        if params.company.ends_when_bankrupt
        else "The company may go below zero cash."
    )
    return f"""
# Running the company

You run a company that sells an AI assistant by subscription. The run lasts {days} days. You decide
between weeks; then {WEEK_DAYS} days pass{last}. The score is the cash on the last day. You start
with ${_amount(cash)}, no customers, and every setting at zero or its lowest tier. {end}
"""


def _decides() -> str:
    return f"""
# What decides

Customers weigh the quality they get against the price they pay. Each has a private budget and
private expectations: below a least quality nothing sells at any price, above it a better product
is worth more money, up to a point. Quality as a customer feels it is the quality of the product
times the multiplier of the plan's model tier, lowered by overload, outages, tickets that stay
open, quotas that are too small, and advertising inside the product; a good relationship and a
longer stay raise it.

Individuals look at the three plans and sign up at once or leave. Every {MONTH_DAYS} days, when
they are billed, they decide anew: stay, change the plan, or cancel. Enterprises negotiate.

Satisfied and dissatisfied customers move the company's reputation in their own group and, less, in
others; reputation multiplies the prospects that come. Lost customers hurt it.
"""


def _plans(params: Params, rules: Rules) -> str:
    tiers = params.model_tiers
    rows = (
        (tier, f"{tiers.cost_usd_per_unit[k]:g}", f"{tiers.quality_multiplier[k]:g}")
        for k, tier in enumerate(tiers.ids)
    )
    quota = (
        "For an enterprise the quota is compared with what all its seats use together, so that a "
        "small one keeps enterprises away."
        if rules.quota_per_account
        else "For an enterprise the quota holds per seat."
    )
    return f"""
# Plans

There are {len(PLANS)} plans, {", ".join(PLANS)}. Each has a list price (USD a month and seat), a
model tier and a quota (units a day; a unit is a thousand tokens). A quota of 0 serves nothing; it
is the way to withdraw a plan, since a price cannot go back to 0. {quota}

{_table(("model tier", "USD per unit of usage", "quality multiplier"), rows)}

A new list price concerns new individuals from the next day and subscribers at their next bill.
Enterprises keep the price they agreed on.

Promotions lower what subscribers pay (everybody, a group, a group on a plan, a customer); lead
promotions lower the first bill of new individuals and can be given by channel. Scopes add up.
Neither changes how many prospects come.

Advertising inside the product brings income every day from each subscriber it is shown to, and
costs quality; groups differ in how much they yield and how much they mind. Its strength goes from
0 to 1, scopes add up to at most 1.
"""


def _capacity(params: Params) -> str:
    tiers = params.capacity_tiers
    rows = (
        (
            tier,
            _amount(tiers.capacity_units_per_day[k]),
            _amount(tiers.cost_usd_per_day[k]),
        )
        for k, tier in enumerate(tiers.ids)
    )
    return f"""
# Capacity

{_table(("capacity tier", "units a day", "USD a day"), rows)}

The tier can be changed to any other for free and acts from the next day. Usage above capacity is
overload: it slows the service, raises errors and makes outages likelier. Even a company with room
to spare has an outage now and then; shared support makes them rarer. Usage follows the days of the
week.
"""


def _support() -> str:
    return """
# Support

Customers raise tickets, more of them when they are dissatisfied or after an outage. Shared support
(operations) and targeted support decide how many are solved a day. A ticket that is solved quickly
makes the relationship better than it was before; one that stays open costs quality and wears the
relationship down, more with every day.
"""


def _quality(params: Params) -> str:
    tiers = params.research_tiers
    rows = (
        (
            tier,
            tiers.label[k],
            _amount(tiers.cost_usd[k]),
            f"{tiers.duration_mean_days[k]:g} ({tiers.duration_sd_days[k]:g})",
            f"{tiers.quality_mean[k]:g} ({tiers.quality_sd[k]:g})",
        )
        for k, tier in enumerate(tiers.ids)
    )
    product = params.product
    rivals = (
        ", but what customers expect rises: competitors bring out better products, and part of "
        "your own lead is caught up with"
        if params.competitors.enabled
        else ""
    )
    wavers = (
        "; the shared part also wavers a little by itself" if product.shared_noise_sd > 0.0 else ""
    )
    head = ("tier", "project", "cost, USD", "days: mean (deviation)", "gain: mean (deviation)")
    return f"""
# Quality of the product

The product starts at a quality of {product.base_quality:g}. Shared development raises it for
everybody, targeted development for one group and much more per dollar; both with falling returns
the more is spent a day. Quality that was built does not decay{rivals}{wavers}.

Research projects are paid at once and add their gain to the shared quality on the day of their
completion. Duration and gain are drawn when a project starts, and told. No project takes less than
{product.project_min_days} days. One project of a tier can run at a time, and each can be repeated.

{_table(head, rows)}
"""


def _customers(params: Params) -> str:
    groups = params.groups
    known = [k for k, yes in enumerate(groups.visible_at_start) if yes > 0]
    rows = ((groups.ids[k], groups.name[k], groups.kind[k]) for k in known)
    hidden = [k for k in range(len(groups.ids)) if k not in known]
    firms = sum(groups.is_enterprise[k] > 0 for k in hidden)
    research = params.research
    luck = "most attempts find nothing" if research.discovery_probability < 0.5 else "it may fail"
    unknown = (
        f"These are known from the start. {len(hidden)} further groups are unknown, "
        f"{len(hidden) - firms} of individuals and {firms} of enterprises; nobody comes from an "
        f"unknown group. An attempt to find one costs ${_amount(research.discovery_cost_usd)}, and "
        f"{luck}. A group that is found can be addressed in the same week."
        if hidden
        else "These are all groups there are, and all are known from the start."
    )
    return f"""
# Customer groups

{_table(("group", "name", "kind"), rows)}

{unknown}

Groups differ in budget, expected quality, usage, size, growth, sensitivity to advertising, the
channels that reach them, and in how they follow the business cycle. Their taste drifts slowly.
"""


def _growth(params: Params) -> str:
    lead = params.acquisition.lead_cost_usd
    return f"""
# Growth

Prospects come through advertising in {len(CHANNELS)} channels ({", ".join(CHANNELS)}), each set by
group in USD a day, and by referral from accounts you have. How well a channel reaches a group is
for you to find out; it wavers from month to month. The closer a market is to exhaustion, the fewer
prospects come. Their number follows the days of the week and of the month, and now and then a surge
multiplies it for some days. Every prospect costs ${_amount(lead)}, whether or not it signs up.
"""


def _money(params: Params) -> str:
    return f"""
# Money

Subscribers pay every {MONTH_DAYS} days, starting on the day they sign. Every day the company pays
for usage (units times the cost of the model tier), capacity, advertising, support, development and
prospects. Studies, searches for groups and research projects are paid at once and need the cash to
be there. The ledger has every movement.
"""


def _information(params: Params) -> str:
    levels = params.info_levels
    rows = (
        (
            level,
            levels.label[k],
            f"±{100 * levels.noise_half_width[k]:g}%",
            _amount(levels.cost_usd[k]) if k > 1 else "-",
            f"{int(levels.delay_days[k])}" if k > 1 else "-",
        )
        for k, level in enumerate(levels.ids)
        if k > 0
    )
    head = ("level", "name", "error of each estimate", "cost of a study, USD", "days")
    return f"""
# Information

A report about a known group gives estimates of what its customers pay, use and expect, of its size
and growth, and of whom it talks to. It tells the state on the day of the last study, with a
relative error that depends on the level:

{_table(head, rows)}

A study may aim at any level that is not below the present one; at the present one it refreshes the
report. One study of a group at a time. The company's books can be queried freely. What the books
say of the past is exact.
"""


def _enterprises(params: Params, rules: Rules) -> str:
    p = params.enterprise
    free = f"{p.late_reply_free_days} day" + ("" if p.late_reply_free_days == 1 else "s")
    threat = (
        "even one that threatened to leave"
        if rules.rejected_churn_threat_stays
        else "unless it threatened to leave: then it is gone"
    )
    return f"""
# Enterprises

An enterprise that some plan could satisfy opens a thread and waits for an offer: up to three, each
a plan and a price per seat. It answers after a day or some weeks: it accepts one, asks another
price, or leaves when its patience is at an end, which is counted in turns. What an enterprise pays
is the agreed price, less the promotion of the day of the deal, times its seats, every month, until
one side wants to talk again.

A message that you leave without an answer for {p.deadline_days} days ends the thread, and what it
was about is lost. Your turn comes every {WEEK_DAYS} days. A customer's message that is older than
{free} when you answer costs goodwill, more with each further day; a new lead's first offer costs
none.

Subscribers complain when quality falls behind what they expect, or wish for another plan; you may
open a renegotiation yourself by sending an offer. Rejecting a new lead loses it; when you reject
what a subscriber wants, it stays on its present terms, {threat}.
"""


def _posts(params: Params) -> str:
    s = params.social
    voices = (
        "Customers, commentators and voices about competitors"
        if params.competitors.enabled
        else "Customers and commentators"
    )
    return f"""
# Public posts

{voices} post in public. You may publish one text of at
most {s.post_max_characters} characters a week, or answer a post with it. Each group that you know
forms an opinion on the next day. Lukewarm texts change nothing; a text that is taken very well or
very badly changes for some days how many prospects come. Specific and honest words that concern
what a group cares about do well, slogans and repetition do not.
"""


def _economy(params: Params) -> str:
    e = params.economy
    rivals = """
Competitors improve their products at times that nobody announces. Each time, what customers expect
rises for good. Posts after it tell that something happened, and roughly how large it was.
"""
    subject = "Economy and competitors" if params.competitors.enabled else "Economy"
    return f"""
# {subject}

A business cycle moves prospects, budgets, seats of enterprises and the pace of their deals, in some
groups more than in others. An index is measured every {e.reading_interval_days} days and published
{e.publication_delay_days} days later; above {e.neutral_index:g} business is better than normal.
Commentary reflects the mood of the day.
{rivals if params.competitors.enabled else ""}"""


def _hidden(params: Params) -> str:
    rivals = ", and when competitors will move" if params.competitors.enabled else ""
    return f"""
# What you are not told

Satisfaction, reputation, relationships, the private budgets and expectations of customers, the true
averages of groups, how well channels work, who influences whom beyond the reports, present surges,
today's index{rivals}. Tickets, cancellations, answers in negotiations,
posts and prospects by channel are what you can read them from.
"""


def _limits(params: Params, rules: Rules) -> str:
    lines = [
        "Settings act from the next day, stay until changed, and can be changed as often as you "
        "like between weeks.",
        "A call that cannot be carried out says why and changes nothing.",
        "Groups must be known before they can be named in a setting.",
        "A week can come with four forecasts of the cash; they change nothing.",
    ]
    if not rules.loose_input:
        most = params.limits
        lines.append(
            f"Prices and promotions are at most ${_amount(most.max_price_usd)}, a spend at most "
            f"${_amount(most.max_spend_usd_per_day)} a day."
        )
    return "# Limits\n\n" + "\n".join(f"- {line}" for line in lines)
