"""The traffic of a lobby without a lobby, by `websockets`: an answer to every frame, a tick a second to everyone.

Arguments: the bytes of an answer, the bytes of a tick. Prints its port as JSON. Runs in the peers' environment.
"""

import asyncio
import json
import sys

from websockets.asyncio.server import ServerConnection, broadcast, serve  # type: ignore[import-not-found]

ANSWER, TICK = (bytes([fill]) * int(length) for fill, length in zip((1, 2), sys.argv[1:], strict=True))
here: set[ServerConnection] = set()


async def answer(connection: ServerConnection) -> None:
    here.add(connection)
    try:
        async for _ in connection:
            await connection.send(ANSWER)
    finally:
        here.discard(connection)


async def main() -> None:
    async with serve(answer, "127.0.0.1", 0, compression=None, max_size=4_096, ping_interval=None) as server:
        print(json.dumps({"port": next(iter(server.sockets)).getsockname()[1]}), flush=True)
        while True:
            await asyncio.sleep(1)
            broadcast(here, TICK)


asyncio.run(main())
