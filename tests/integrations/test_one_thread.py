"""Calls of asynchronous code in one thread, one after the other."""

import asyncio
import threading
import time

import pytest

pytest.importorskip("anyio", reason='needs pip install "ceo-gym[mcp]" or "ceo-gym[inspect]"')

from ceo_gym.integrations.one_thread import OneThread


def test_calls_are_done_in_one_thread_in_their_order() -> None:
    thread, done = OneThread(), []

    def note(number: int) -> int:
        time.sleep(0.001)
        done.append((number, threading.get_ident()))
        return number

    async def ask() -> list[int]:
        return await asyncio.gather(*(thread.do(note, number) for number in range(20)))

    assert asyncio.run(ask()) == list(range(20))
    assert [number for number, _ in done] == list(range(20))
    assert {ident for _, ident in done} == {thread.now(threading.get_ident)}
    assert threading.get_ident() not in {ident for _, ident in done}
    thread.end()


def test_an_error_comes_to_who_has_asked() -> None:
    thread = OneThread()

    def fail(words: str) -> None:
        raise ValueError(words)

    with pytest.raises(ValueError, match="asked"):
        asyncio.run(thread.do(fail, "asked"))
    with pytest.raises(ValueError, match="now"):
        thread.now(fail, words="now")
    thread.end()


def test_a_cancelled_call_that_has_begun_is_finished_and_one_that_waits_is_left_out() -> None:
    thread, done, begun, go_on = OneThread(), [], threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        go_on.wait(30)
        done.append("first")

    async def ask() -> None:
        calls = [
            asyncio.create_task(thread.do(first)),
            asyncio.create_task(thread.do(done.append, "second")),
        ]
        while not begun.is_set():
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        go_on.set()
        await thread.do(done.append, "third")

    asyncio.run(ask())
    thread.end()
    assert done == ["first", "third"]
