"""An action is nothing but tool calls, and zero is nothing at all."""

import json
from typing import Any

import numpy as np
import pytest

from ceo_gym.envs.ceobench import posts
from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.simulators.ceobench.codes import KINDS
from ceo_gym.tools.ceobench import call
from tests.envs.companies import grown, make, sparse

PLANS = "ABC"
CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")


def use(world: World, tool: str, arguments: dict[str, Any] | None = None) -> Any:
    """What a tool answers to arguments that went through JSON; None if it refuses."""
    try:
        return call(world, tool, json.loads(json.dumps(arguments or {})))
    except InvalidDecision:
        return None


def num(value: Any) -> float:
    return float(str(np.float32(value)))


def on(action: dict[str, Any], key: str) -> dict[int, float]:
    cells = np.flatnonzero(action[f"{key}_set"])
    return {int(k): num(action[key].ravel()[k]) for k in cells}


def by_tools(world: World, action: dict[str, Any], slots: dict[str, list[int]]) -> None:
    """The same decisions as the tool calls that an agent would write, with lists and maps."""
    groups = world.params.groups.ids
    known = {g: bool(world.market.info_level[i]) for i, g in enumerate(groups)}
    company = world.company

    prices = {PLANS[k]: v for k, v in on(action, "price").items() if v > 0}
    if prices:
        use(world, "set_prices", prices)
    tiers = {p: int(t) for p, t in zip(PLANS, action["model_tier"]) if t}
    if tiers:
        use(world, "set_model_tiers", tiers)
    quotas = {PLANS[k]: float(round(v)) for k, v in on(action, "quota").items()}
    if quotas:
        use(world, "set_usage_quotas", quotas)
    if action["capacity"]:
        use(world, "set_capacity_tier", {"tier": int(action["capacity"]) - 1})
    spend = {("operations", "development")[k]: v for k, v in on(action, "spend").items()}
    if spend:
        use(world, "set_daily_spend", spend)

    def patch(table: np.ndarray, cells: dict[tuple[int, ...], float]) -> np.ndarray:
        table = table.copy()
        for cell, value in cells.items():
            table[cell] = value
        return table

    def group_map(row: np.ndarray) -> dict[str, float]:
        return {g: float(v) for g, v in zip(groups, row) if v}

    def channel_map(table: np.ndarray) -> dict[str, dict[str, float]]:
        return {c: group_map(row) for c, row in zip(CHANNELS, table) if row.any()}

    ads = {divmod(k, 26): v for k, v in on(action, "ads").items() if known[groups[k % 26]]}
    if ads:
        spend = channel_map(patch(company.ads_spend_usd, ads))
        use(world, "set_targeted_ad_spend", {"targeted_spend": spend})
    for key, table, tool in (
        ("dev", company.development_group_usd, "set_targeted_dev_spend"),
        ("ops", company.support_group_usd, "set_targeted_ops_spend"),
    ):
        cells = {(k,): v for k, v in on(action, key).items() if known[groups[k]]}
        if cells:
            use(world, tool, {"targeted_spend": group_map(patch(table, cells))})

    def scoped(key: str, table: np.ndarray) -> dict[str, Any]:
        cells = on(action, key)
        found: dict[str, Any] = {}
        if 0 in cells:
            found["everybody"] = cells[0]
        mine = {(k - 1,): v for k, v in cells.items() if 1 <= k < 27 and known[groups[k - 1]]}
        if mine:
            found["by_group"] = group_map(patch(table, mine))
        return found

    accounts = action["account_set"].reshape(32, 2)

    def customers(column: int, key: str, current: dict[int, float]) -> dict[int, float] | None:
        chosen = [k for k in np.flatnonzero(accounts[:, column]) if k < len(slots["accounts"])]
        if not chosen:
            return None
        return current | {slots["accounts"][k]: num(action[key][k]) for k in chosen}

    strength = scoped("strength", company.ads_strength_group)
    if "everybody" in strength:
        strength["global_strength"] = strength.pop("everybody")
    own = customers(1, "account_strength", company.ads_strength_customer)
    if own is not None:
        strength["by_customer"] = own
    if strength:
        use(world, "set_ads_strength", strength)

    promotion = scoped("promotion", company.promotion_group)
    if "everybody" in promotion:
        promotion["global_promotion"] = promotion.pop("everybody")
    own = customers(0, "account_promotion", company.promotion_customer)
    if own is not None:
        promotion["by_customer"] = own
    plan_cells = {
        divmod(k - 27, 3): v
        for k, v in on(action, "promotion").items()
        if k >= 27 and known[groups[(k - 27) // 3]]
    }
    if plan_cells:
        table = patch(company.promotion_group_plan, plan_cells)
        promotion["by_group_plan"] = {
            g: {p: float(v) for p, v in zip(PLANS, row) if v}
            for g, row in zip(groups, table)
            if row.any()
        }
    if promotion:
        use(world, "set_promotion", promotion)

    lead = scoped("lead_promotion", company.lead_promotion_group)
    if "everybody" in lead:
        lead["global_promotion"] = lead.pop("everybody")
    cells = on(action, "lead_promotion")
    channel = {(k - 27,): v for k, v in cells.items() if 27 <= k < 32}
    if channel:
        table = patch(company.lead_promotion_channel, channel)
        lead["by_channel"] = {c: float(v) for c, v in zip(CHANNELS, table) if v}
    both = {
        divmod(k - 32, 26): v for k, v in cells.items() if k >= 32 and known[groups[(k - 32) % 26]]
    }
    if both:
        table = patch(company.lead_promotion_channel_group, both)
        lead["by_channel_group"] = channel_map(table)
    if lead:
        use(world, "set_lead_promotion", lead)

    for _ in range(int(action["market_research"])):
        if use(world, "research_market") is None:
            break
    wanted = {
        g: (max(2, int(world.market.info_level[i])) if op == 1 else int(op), op)
        for i, (g, op) in enumerate(zip(groups, action["group_research"]))
        if op and known[g]
    }
    for g, (level, op) in sorted(wanted.items(), key=lambda i: (i[1][0], groups.index(i[0]))):
        target = {} if op == 1 else {"target_level": level}
        use(world, "research_group", {"group_id": g} | target)
    for k in np.flatnonzero(action["rnd"]):
        use(world, "start_research_project", {"tier": int(k) + 1})

    sell(world, action, slots)
    topic = world.params.posts.topics[int(action["post_topic"])]
    earlier = len(world.market.own_posts)
    if action["post_op"] == 1 and known[groups[int(action["post_group"])]]:
        text = posts.topic_text(topic, int(action["post_group"]), earlier, world.params)
        use(world, "post_social_media", {"content": text})
    if action["post_op"] == 2 and int(action["post_reply"]) < len(slots["replies"]):
        number = slots["replies"][int(action["post_reply"])]
        reply = {"content": posts.reply_text(topic, earlier), "reply_to_post_id": number}
        use(world, "post_social_media", reply)


def sell(world: World, action: dict[str, Any], slots: dict[str, list[int]]) -> None:
    firms = [g for g, firm in enumerate(world.params.groups.is_enterprise) if firm]
    waiting = world.observe().waiting
    included = action["inbox_plan"].reshape(64, 3)
    rejections: list[int] = []
    deals: list[Any] = []
    treated: set[int] = set()
    for slot, who in enumerate(slots["inbox"]):
        op = action["inbox_op"][slot]
        if op:
            treated.add(who)
        if op == 2:
            rejections.append(who)
        if op == 1:
            offer = [
                [PLANS[p], num(action["inbox_price"][slot, p])]
                for p in range(3)
                if included[slot, p]
            ]
            if offer:
                deals.append([who, offer])
    for k, who in enumerate(waiting.customer_id.tolist()):
        if who in treated:
            continue
        kind = KINDS[waiting.kind[k]]
        row = {"churn_prevention": 2, "plan_change": 2, "renegotiation": 3}.get(kind)
        if row is None:
            row = 1 if waiting.turn[k] > 0 else 0
        op, asked = action["bulk_op"][row], waiting.asked_plan[k]
        table = action["bulk_price"][firms.index(int(waiting.group[k]))]
        offer = [[PLANS[p], num(table[p])] for p in range(3) if table[p] > 0]
        if op == 4:
            rejections.append(who)
        elif op == 2 and asked >= 0 and waiting.asked_usd[k] > 0:
            deals.append([who, [[PLANS[asked], float(waiting.asked_usd[k])]]])
        elif op in (1, 2) and offer:
            deals.append([who, offer])
        elif op == 3:
            listed = world.company.price_usd
            offer = [[PLANS[p], float(listed[p])] for p in range(3) if listed[p] > 0]
            if offer:
                deals.append([who, offer])
    for slot in np.flatnonzero(action["account_op"]):
        if slot < len(slots["accounts"]):
            prices = action["account_offer"][slot]
            offer = [[PLANS[p], num(prices[p])] for p in range(3) if prices[p] > 0]
            if offer:
                deals.append([slots["accounts"][slot], offer])
    if rejections:
        use(world, "reject_enterprise_deal", {"deals": rejections})
    if deals:
        use(world, "send_enterprise_deal", {"deals": deals})


def kept(env: Any) -> dict[str, list[int]]:
    return {name: ids.tolist() for name, ids in vars(env._observer.slots).items()}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_an_action_is_the_same_as_its_tool_calls(seed: int, rules: str) -> None:
    env = grown(seed=seed + 1, rules=rules, record="business")
    rng = np.random.default_rng(seed)
    env.action_space.seed(seed)
    for _ in range(3):
        slots, twin = kept(env), World.restore(env.world.save())
        action = sparse(env, rng)
        by_tools(twin, action, slots)
        forecast = None
        if action["forecast_set"]:
            point, below, above = action["forecast"].astype(float).T
            forecast = np.stack([point, point - below, point + above], axis=1)
        twin.step_week(forecast)
        _, _, terminated, _, _ = env.step(action)
        assert env.world.save() == twin.save()
        if terminated:
            break


def test_zero_is_next_week_without_calls() -> None:
    env = grown()
    twin = World.restore(env.world.save())
    for _ in range(4):
        twin.step_week()
        env.step(env.noop_action())
    assert env.world.save() == twin.save()


@pytest.mark.parametrize("profile", ["core", "manager"])
def test_zero_changes_nothing_in_the_small_profiles(profile: str) -> None:
    env = grown(actions=profile)
    twin = World.restore(env.world.save())
    twin.step_week()
    _, _, _, _, info = env.step(env.noop_action())
    assert env.world.save() == twin.save()
    assert info["rejected"] == []


def test_calls_before_a_noop_step_equal_one_action() -> None:
    env, other = grown(), grown()
    other.world.set_prices(A=25)
    other.world.set_targeted_dev_spend({"S1": 100, "S2": 4_000, "E1": 16_000, "E2": 9_000})
    seen = other.step(other.noop_action())
    same = env.step(env.action(price={"A": 25}, dev={"S1": 100}))
    assert env.world.save() == other.world.save()
    assert all((seen[0][key] == same[0][key]).all() for key in seen[0])
    assert seen[1] == same[1]


def test_patching_one_ad_cell_leaves_the_others() -> None:
    env = grown()
    before = env.world.company.ads_spend_usd.copy()
    env.step(env.action(ads={("search_ads", "S1"): 100}))
    after = env.world.company.ads_spend_usd
    before[1, 0] = 100
    assert (after == before).all()
    env.step(env.action(ads={("search_ads", "S1"): 0}))
    before[1, 0] = 0
    assert (env.world.company.ads_spend_usd == before).all()


def test_decimal_prices_arrive_as_they_were_written() -> None:
    env = make()
    env.reset(seed=1)
    env.step(env.action(price={"A": 45.1}, spend={"operations": 123.45}))
    assert env.world.company.price_usd[0] == 45.1
    assert env.world.company.operations_usd == 123.45


def crowd(weeks: int = 12) -> Any:
    env = make(params={"company.initial_cash_usd": 1e9}, record="none")
    env.reset(seed=5)
    world = env.world
    world.set_prices(A=20, B=40, C=60)
    world.set_model_tiers(A=5, B=5, C=5)
    world.set_usage_quotas(A=5_000, B=100_000, C=900_000)
    world.set_capacity_tier(6)
    world.set_targeted_dev_spend({"E1": 100_000, "E2": 100_000})
    world.set_targeted_ad_spend({"content_marketing": {"E1": 600_000}, "social_media": {"E2": 6e5}})
    for _ in range(weeks):
        env.step(env.noop_action())
        if len(world.observe().waiting.customer_id) >= 300:
            return env
    raise AssertionError("the inbox never overflowed")


def test_the_bulk_rule_reaches_threads_beyond_the_slots() -> None:
    env = crowd()
    observation = env._observer.observe(env.world, new_week=False)
    waiting = len(env.world.observe().waiting.customer_id)
    assert observation["inbox_mask"].all()
    assert observation["inbox_overflow"][:, 0].sum() == waiting - 64
    from ceo_gym.envs.ceobench.action_decode import carry_out

    action = env.action(
        bulk_op={"new_lead": "table"},
        bulk_price={("E1", "C"): 30, ("E2", "B"): 50},
        inbox_op={0: "reject"},
    )
    assert carry_out(env.world, action, env._observer.slots) == []
    sales = env.world.negotiations
    assert len(env.world.observe().waiting.customer_id) == 0
    sent = (sales.threads.sender == 2) & (sales.threads.state == 0)
    assert np.count_nonzero(sent) == waiting - 1
