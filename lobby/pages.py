"""What a browser is shown: a few plain pages, the same for everyone, and a closed door for pages of others.

Knows no tables: the page of an invitation is the same whether there is such a table or not.
"""

from __future__ import annotations

import html
from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # the address of a page is an invitation
    "Server": "race2048",
    "X-Content-Type-Options": "nosniff",
}
ABOUT = "A race2048 lobby: people race at 2048 here, in their terminals. pipx install race2048\n"
INVITATION = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>race2048</title>
<style>
body {{ font: 1.1em/1.6 sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere }}
</style>
<h1>{heading}</h1>
<p>race2048 is played in a terminal. Install it once, on Linux or macOS with Python 3.11 or newer:
<pre>pipx install race2048</pre>
<p>Then type:
<pre>race2048 {command} {link}</pre>
<p>If the address of this page goes on with <code>#…</code>, type all of it, in quotes: that part proves which
lobby you reach.
</html>
"""


def application(
    serve: Handler, *, public_url: str, origins: frozenset[str], health: Callable[[], str]
) -> web.Application:
    """Returns the pages, with `serve` at /ws. Only web pages of `origins` may ask for anything here.

    `health` tells why nobody should be sent here now, empty if all is well.
    """

    async def invite(request: web.Request) -> web.Response:
        base = public_url or f"{request.scheme}://{request.host}"
        watching = request.rel_url.raw_path.startswith("/w/")
        page = INVITATION.format(
            heading="Watch a race of 2048" if watching else "Race at 2048",
            command="watch" if watching else "join",
            link=html.escape(base + request.rel_url.raw_path),  # percent-encoded, as it came
        )
        return web.Response(text=page, content_type="text/html")

    async def healthy(_: web.Request) -> web.Response:
        fault = health()
        return web.Response(status=503 if fault else 200, text=f"{fault or 'ok'}\n")

    made = web.Application(middlewares=[_doorkeeper(origins)])
    made.on_response_prepare.append(_harden)
    made.router.add_get("/", _about)
    made.router.add_get("/healthz", healthy)
    made.router.add_get("/t/{code}", invite)
    made.router.add_get("/w/{code}", invite)
    made.router.add_get("/ws", serve)
    return made


async def _about(_: web.Request) -> web.Response:
    return web.Response(text=ABOUT)


async def _harden(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


def _doorkeeper(origins: frozenset[str]) -> Middleware:
    """A terminal sends no Origin. A page that does would act from its visitor's place in the network."""

    @web.middleware
    async def refuse(request: web.Request, handler: Handler) -> web.StreamResponse:
        for origin in request.headers.getall("Origin", ()):
            if origin not in origins:
                raise web.HTTPForbidden(text="This lobby does not answer the web pages of others.\n")
        return await handler(request)

    return refuse
