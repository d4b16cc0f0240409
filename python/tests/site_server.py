"""A web server for tests. Each address of 127.0.0.0/8 is a site of its own, with a function that
answers its requests."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Awaitable, Callable

Headers = dict[str, str]
Answer = Callable[[str, Headers], "bytes | Awaitable[bytes]"]


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    """An HTTP answer. Underscores in the names of headers stand for hyphens."""
    lines = [f"HTTP/1.1 {status} x", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def hang() -> bytes:
    await asyncio.sleep(3600)
    return b""


class Sites:
    """The server, in a thread with an event loop of its own."""

    def __init__(self) -> None:
        self.by_address: dict[str, Answer] = {}
        self.requests: list[tuple[str, str]] = []
        self._numbers = itertools.count(2)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        start = asyncio.start_server(self._serve, "0.0.0.0", 0, backlog=1000)
        self._server = asyncio.run_coroutine_threadsafe(start, self._loop).result()
        self.port: int = self._server.sockets[0].getsockname()[1]

    def add(self, site: Answer | bytes) -> str:
        """A new site: its origin."""
        number = next(self._numbers)
        address = f"127.0.{number // 250}.{number % 250 + 2}"
        self.by_address[address] = site if callable(site) else lambda path, headers: site
        return f"http://{address}:{self.port}"

    def count(self, origin: str) -> int:
        """How many requests a site has had."""
        return sum(f"//{address}:" in origin for address, _ in self.requests)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            path = head[0].split(" ")[1]
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            address: str = writer.get_extra_info("sockname")[0]
            self.requests.append((address, path))
            result = self.by_address[address](path, headers)
            writer.write(result if isinstance(result, bytes) else await result)
            await writer.drain()
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def close(self) -> None:
        async def close() -> None:
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
