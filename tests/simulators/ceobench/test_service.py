"""Service: what a customer may use."""

import gymnasium as gym


def test_a_quota_beyond_every_number_is_no_limit() -> None:
    """Neither the population nor the observation, which are float32, overflow by it."""
    cash = []
    for quota in (1e30, 1.7e308):
        env = gym.make("ceo_gym:CEOBench-v0")
        env.reset(seed=1, options={"start": "configured"})
        env.unwrapped.call("set_usage_quotas", dict.fromkeys("ABC", quota))
        for _ in range(8):  # until the first are billed again
            *_, info = env.step(env.unwrapped.noop_action())
        cash.append(info["cash_usd"])
    assert cash[0] == cash[1]
