"""Public posts: who posts, economic commentary, and the effect of the company's own posts.

Posts are kept as data (author, topic, mood, intensity); words are made from them elsewhere. Only
the company's own posts move the economy, through the prospect formula (market.md 9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import economy, judge
from ceo_gym.simulators.ceobench.sections import PLANS, WEEK_DAYS, Social
from ceo_gym.simulators.ceobench.state import OwnPost, truncated
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

POSITIVE, NEUTRAL, NEGATIVE = 1, 0, -1
MOODS = (POSITIVE, NEUTRAL, NEGATIVE)  # order of the columns of post_sentiment.csv


# --- customers who post (market.md 9.2) ----------------------------------------------------------


def is_sampling_day(day: int) -> bool:
    """Customers' posts are sampled on the last day of a week."""
    return day % WEEK_DAYS == 0


def post_weight(
    satisfaction: Floats,
    change: Floats,
    troubles: Floats,
    tenure_days: Ints,
    influencer: Floats,
    seats: Floats,
    social: Social,
) -> Floats:
    """[n] weight of active accounts in the draw of posters; `influencer` is 1 or 0."""
    anger, change = np.minimum(satisfaction, 0.0), np.abs(change)
    w = (1.0 + social.extremity_gain * np.abs(satisfaction)) * seats
    w *= 1.0 + (social.influencer_factor - 1.0) * influencer
    w *= 1.0 + (social.newcomer_factor - 1.0) * (tenure_days <= social.newcomer_days)
    w *= 1.0 + social.negative_gain * (anger * anger)
    w *= 1.0 + social.change_gain * (change * (change >= social.change_min))
    w *= 1.0 + social.trouble_gain * troubles
    return w


def sentiment_probability(satisfaction: Floats, world: World) -> Floats:
    """[n, 3] probabilities of a positive, neutral and negative post."""
    table = world.params.posts
    row = (np.asarray(satisfaction)[:, None] < table.sentiment_min[None, :]).sum(axis=1)
    return table.sentiment_probability[row]


def consider_accounts(world: World) -> None:
    """After step 11a on sampling days: the five most eager posters among active accounts."""
    if not is_sampling_day(world.day) or not len(world.population):
        return
    population, today, social = world.population, world.today, world.params.social
    weight = np.concatenate([_eagerness(world, part) for part in population.chunks()])
    for key, row in _race(world, weight):
        change = population.satisfaction[row] - population.old_satisfaction[row]
        if today.service.overload > 0.0:
            topic = "overload"
        elif today.service.outage:
            topic = "outage"
        elif population.issue_days[row]:
            topic = "issue"
        elif population.served_share[row] < 1.0:
            topic = "quota"
        else:
            topic = "improving" if change > 0.0 else "declining"
            topic = topic if abs(change) >= social.change_min else "general"
        today.posters.append(
            (
                key,
                int(population.customer_id[row]),
                int(population.group[row]),
                topic,
                float(population.satisfaction[row]),
            )
        )


def _eagerness(world: World, part: slice) -> Floats:
    """[n] weights of the accounts of a chunk as posters."""
    population, service = world.population, world.today.service
    real, satisfaction = population.real, population.satisfaction[part]
    influencer = (world.params.groups.is_influencer > 0).astype(real)
    troubles = (population.issue_days[part] > 0).astype(real)
    troubles += population.served_share[part] < 1.0
    troubles += int(service.overload > 0.0) + int(service.outage)
    weight = post_weight(
        satisfaction,
        satisfaction - population.old_satisfaction[part],
        troubles,
        world.day - population.start_day[part],
        np.tile(influencer, len(PLANS)).take(population.cell[part]),
        population.whole_seats[part],
        world.params.social,
    )
    return population.times_weight(weight, part)


def offer_leavers(world: World, rows: Ints) -> None:
    """Individuals who cancel by choice are candidates once more, as leavers."""
    if not is_sampling_day(world.day):
        return
    population, social = world.population, world.params.social
    satisfaction = population.satisfaction[rows]
    weight = social.churn_weight * (1.0 + social.extremity_gain * np.maximum(0.0, -satisfaction))
    for key, k in _race(world, population.times_weight(weight, rows)):
        row = rows[k]
        topic = "left_for_quality" if satisfaction[k] < 0.0 else "left_for_price"
        today = world.today
        today.posters.append(
            (
                key,
                int(population.customer_id[row]),
                int(population.group[row]),
                topic,
                float(satisfaction[k]),
            )
        )


def offer_losses(world: World, leads: Ints) -> None:
    """Enterprise accounts lost in a negotiation are candidates."""
    if not is_sampling_day(world.day):
        return
    table, social = world.negotiations.leads, world.params.social
    for key, k in _race(world, social.loss_weight * truncated(table.seats[leads])):
        row = leads[k]
        world.today.posters.append(
            (
                key,
                int(table.customer_id[row]),
                int(table.group[row]),
                "lost_negotiation",
                social.loss_satisfaction,
            )
        )


def _race(world: World, weight: Floats) -> list[tuple[float, int]]:
    """The first candidates of a pool to cross the line, with their times; at most a week's posts.

    Every candidate runs for an exponential time with its weight as rate; the first five of all
    pools together are a weighted draw without replacement. The winners are drawn directly, one
    after the other, instead of everybody's time.
    """
    rng, cumulative = world.streams("posters"), weight.cumsum(dtype=np.float64)
    time, left = 0.0, float(cumulative[-1])
    winners: list[tuple[float, int]] = []
    for _ in range(min(world.params.social.posts_per_week, len(weight))):
        time += float(rng.standard_exponential()) / left
        winner = _pick(cumulative, rng)
        while winner in [k for _, k in winners]:
            if left < 0.1 * cumulative[-1]:  # few tickets left: take the winners' out
                rest = weight.copy()
                rest[[k for _, k in winners]] = 0.0
                winner = _pick(rest.cumsum(dtype=np.float64), rng)
            else:
                winner = _pick(cumulative, rng)
        winners.append((time, winner))
        left -= float(weight[winner])
    return winners


def _pick(cumulative: Floats, rng: np.random.Generator) -> int:
    """A position drawn in proportion to its share of a cumulative sum."""
    return int(cumulative.searchsorted(rng.random() * cumulative[-1], side="right"))


def write_posts(world: World) -> None:
    """Step 16 of the day: customers' posts and economic commentary."""
    _write_customer_posts(world)
    _write_commentary(world)


def _write_customer_posts(world: World) -> None:
    social = world.params.social
    chosen = sorted(world.today.posters)[: social.posts_per_week]
    if not chosen:
        return
    _, authors, groups, topics, satisfaction = map(list, zip(*chosen))
    draws = world.streams("sentiment").random(len(chosen))
    reached = sentiment_probability(np.array(satisfaction), world).cumsum(axis=1)
    moods = [MOODS[min(int(k), 2)] for k in (draws[:, None] >= reached).sum(axis=1)]
    leaving = ("left_for_quality", "left_for_price", "lost_negotiation")
    bounds = (social.intensity_mild_max, social.intensity_clear_max)
    world.history.post(
        world.day,
        "customer",
        topics,
        customer_id=authors,
        group=groups,
        sentiment=[NEGATIVE if t in leaving else mood for t, mood in zip(topics, moods)],
        intensity=np.searchsorted(bounds, np.abs(satisfaction), side="right").tolist(),
    )


def _write_commentary(world: World) -> None:
    """A batch about today's trend on scheduled days, and one post per published reading."""
    count = world.exogenous.commentary.get(world.day, 0)
    if count:
        trend = economy.trend_label(world.market.index, world.params.economy)
        world.history.post(world.day, "economy", [trend] * count)
    for reading in world.market.published[-1:]:
        if reading.published_day == world.day:
            world.history.post(world.day, "economy", [reading.trend], value=reading.value)


# --- the company's own posts (market.md 9.4) -----------------------------------------------------


def own_post_multiplier(strength: Floats, social: Social) -> Floats:
    """[G] A_{g,t} from the decayed sum of own posts' effects."""
    return np.clip(1.0 + social.max_effect * strength, social.multiplier_min, social.multiplier_max)


def post_contribution(effect: Floats, age_days: float, social: Social) -> Floats:
    """[G] what a post adds to that sum: nothing below the threshold, halving every three days."""
    size = np.abs(effect)
    excess = (size - social.viral_min) / (1.0 - social.viral_min)
    strength = np.where(size >= social.viral_min, np.sign(effect) * excess, 0.0)
    return strength * 0.5 ** (age_days / social.half_life_days)


def decay(world: World) -> None:
    """Own posts fade by a day."""
    world.market.post_strength *= 0.5 ** (1.0 / world.params.social.half_life_days)


def judge_own_posts(world: World) -> None:
    """The rest of step 16: posts of yesterday get their effect, views and replies."""
    for number, post in enumerate(world.market.own_posts, start=1):
        if post.judged or post.day >= world.day:
            continue
        _judge(world, post, number)


def _judge(world: World, post: OwnPost, number: int) -> None:
    market, social = world.market, world.params.social
    discovered = market.discovered
    post.effect = np.where(discovered, post.score, 0.0)
    post.judged = True
    market.post_strength += post_contribution(post.effect, world.day - post.day, social)

    size = np.abs(post.effect)
    base = np.maximum(social.views_base_min, social.views_per_account * world.population.accounts)
    noise = world.streams.fresh("views", number).standard_normal(len(base))
    seen = base * view_factor(size, social) * np.exp(social.views_log_sd * noise)
    post.views = np.where(discovered, np.floor(seen), 0.0)
    mean = float(post.effect[discovered].mean())
    liked, disliked = mean > social.notice_positive_above, mean < social.notice_negative_below
    mood = POSITIVE if liked else NEGATIVE if disliked else NEUTRAL
    world.history.notices(world.day, "social_media", [number], kind=mood, value=mean)
    for g in (discovered & (size >= social.viral_min)).nonzero()[0]:
        _reply(world, int(g), float(post.effect[g]), number)


def view_factor(size: Floats, social: Social) -> Floats:
    """[G] how often a post of an absolute effect is seen, relative to the base."""
    low = 1.0 + (social.views_at_threshold - 1.0) * size / social.viral_min
    growth = np.log(social.views_at_one / social.views_at_threshold) / (1.0 - social.viral_min)
    high = social.views_at_threshold * np.exp(growth * (size - social.viral_min))
    return np.where(size <= social.viral_min, low, high)


def judge_text(world: World, content: str, *, is_reply: bool) -> Floats:
    """[G] opinion of the world's judge about a text that is posted today.

    Raises:
        ValueError: if the judge does not return finite scores, one a group.
    """
    social, groups = world.params.social, len(world.params.groups.ids)
    since = world.day - social.history_days
    earlier = [post.content for post in world.market.own_posts if post.day >= since]
    scores = world.judge(content, is_reply, earlier[-social.history_posts :], world.params)
    effect = np.asarray(scores, dtype=np.float64)
    if effect.shape != (groups,) or not np.isfinite(effect).all():
        raise ValueError(f"a post judge returns {groups} finite scores, not {scores!r}")
    noise_sd = world.params.judge.noise_sd
    if noise_sd > 0.0:
        rng = world.streams.fresh("judge", len(world.market.own_posts))
        effect = np.round(effect + noise_sd * rng.standard_normal(groups), judge.DECIMALS)
    return np.clip(effect, -1.0, 1.0)


def _reply(world: World, group: int, effect: float, number: int) -> None:
    """A public reply in the name of a random account of the group, or of a neutral observer."""
    members = (world.population.group == group).nonzero()[0]
    author = 1
    if len(members):
        pick = world.streams.fresh("reply_author", number, group).random()
        if world.population.weighted:
            sums = world.population.weight[members].cumsum()
            row = members[int(sums.searchsorted(pick * sums[-1], side="right"))]
        else:
            row = members[int(pick * len(members))]
        author = int(world.population.customer_id[row])
    mood = POSITIVE if effect > 0.0 else NEGATIVE
    world.history.post(
        world.day,
        "reply",
        ["reply"],
        customer_id=author,
        group=group,
        sentiment=mood,
        intensity=2,
        reply_to=number,
    )
