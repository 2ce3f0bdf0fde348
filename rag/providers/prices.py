"""What model calls cost: one dated table that operators can replace, because prices change and contracts differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.errors import ConfigError
from rag.types import Usage

TABLE = Path(__file__).with_name("prices.yaml")
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call. `input` counts neither what the provider's cache gave (`cached`) nor took (`stored`)."""

    input: int = 0
    output: int = 0
    cached: int = 0
    stored: int = 0


class Price(BaseModel):
    """US dollars per million tokens; cached and stored input cost what other input does unless the table says more."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(None, ge=0)
    stored: float | None = Field(None, ge=0)

    def usd(self, tokens: Tokens) -> float:
        """The cost of these tokens, in dollars."""
        cached = self.input if self.cached is None else self.cached
        stored = self.input if self.stored is None else self.stored
        inward = tokens.input * self.input + tokens.cached * cached + tokens.stored * stored
        return (inward + tokens.output * self.output) / MILLION


class Prices(BaseModel):
    """The table: the day it was written, where its numbers come from in words, and a price for each model's name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dated: date
    source: str = ""
    models: Mapping[str, Price]

    def usage(self, model: str, tokens: Tokens) -> Usage:
        """What a call to "provider:model" used: all its input together, and its cost where that is known.

        `usd` is an estimate. It is None for a model without a price, and for a server that counted nothing.
        """
        price = self.models.get(model)
        usd = price.usd(tokens) if price and tokens != Tokens() else None
        return Usage(model, tokens.input + tokens.cached + tokens.stored, tokens.output, usd)


def load_prices(path: Path | None = None) -> Prices:
    """The table in this file, or the one that comes with CertCoach.

    Raises ConfigError naming the file and the entry that does not fit.
    """
    path = path or TABLE
    try:
        return Prices.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"The prices in {path} cannot be read ({type(error).__name__}). Correct the file.") from None
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the top level"
        raise ConfigError(f"{path}: {place}: {first['msg']}. Correct it there.") from None
