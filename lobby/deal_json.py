"""What --deal says: how a demo or a test has every race dealt, as JSON (deal.md 2.1)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.deck import SECRET_BYTES

if TYPE_CHECKING:
    from lobby.opening import DealOptions


def deal_options(text: str) -> DealOptions:
    """Returns the dealing that was asked for; clients can read the Deals it makes."""
    from dataclasses import fields

    import msgspec

    from lobby.opening import DealOptions
    from protocol.layout import LayoutError
    from protocol.limits import Windows

    try:
        asked = json.loads(text)
        _refuse_unknown("a Deal", asked, [field.name for field in fields(DealOptions)])
        _refuse_unknown("windows", asked.get("windows", {}), Windows.__struct_fields__)
        if "seed" in asked:
            asked["seed"] = _seed(asked["seed"])
        options = msgspec.convert(asked, DealOptions, builtin_types=(bytes,))
        _try_out(options)
    except LayoutError as error:
        raise argparse.ArgumentTypeError(f"no race can be dealt like this: {error.what}") from None
    except (msgspec.ValidationError, OverflowError, json.JSONDecodeError) as error:
        raise argparse.ArgumentTypeError(f"no race can be dealt like this: {error}") from None
    return options


def _try_out(options: DealOptions) -> None:
    """Raises LayoutError or OverflowError if there is no Deal with these options."""
    from protocol.deal import Deal
    from protocol.messages import TableSettings

    deal = Deal(
        lobby_key=bytes(32),
        table_id=bytes(16),
        race_number=1,
        chain_id=bytes(16),
        anchor=bytes(32),
        settings=TableSettings(),
        windows=options.windows,
        chain_length=options.chain_length,
    )
    Deal.decode(deal.encode())


def _refuse_unknown(what: str, asked: object, names: Sequence[str]) -> None:
    if not isinstance(asked, dict):
        raise argparse.ArgumentTypeError(f"{what} is a JSON object")
    unknown = next((name for name in asked if name not in names), None)
    if unknown is not None:
        raise argparse.ArgumentTypeError(f"{what} has no {unknown!r}; there are: {', '.join(names)}")


def _seed(value: object) -> bytes:
    try:
        seed = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        seed = b""
    if len(seed) != SECRET_BYTES:
        raise argparse.ArgumentTypeError(f"a seed is {SECRET_BYTES} bytes in hex")
    return seed
