"""A thread of one's own: what is done in it is done one after the other."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


class OneThread:
    """Does calls for asynchronous code in one thread, in the order in which they came.

    A session is for one thread only: its lock and its database belong to the thread that opened
    it. So it is opened, used and closed through the same object of this class.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="session")

    async def do(
        self,
        function: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """Call a function and wait for it.

        If whoever waits is cancelled, a call that has not begun is left out; one that has begun is
        finished all the same.
        """
        from anyio import to_thread

        future: Future[Result] = self._executor.submit(function, *args, **kwargs)
        try:
            # waiting in a thread, because asyncio is not the only loop that may be running
            result: Result = await to_thread.run_sync(future.result, abandon_on_cancel=True)
        finally:
            future.cancel()
        return result

    def now(
        self,
        function: Callable[Parameters, Result],
        *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Result:
        """The same for code that is not asynchronous."""
        return self._executor.submit(function, *args, **kwargs).result()

    def end(self) -> None:
        """Wait for what has begun, and end the thread."""
        self._executor.shutdown(wait=True)
