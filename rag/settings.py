"""How this process runs: the environment and `.env`, read here and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from dotenv import load_dotenv
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from rag.errors import ConfigError
from rag.types import Fusion, Lexical, Mode

ENV_FILE = ".env"


class Settings(BaseSettings):
    """One field a setting; the names in the environment are the fields' aliases."""

    model_config = SettingsConfigDict(env_file=ENV_FILE, extra="ignore", frozen=True)

    database_url: SecretStr | None = Field(None, alias="DATABASE_URL")
    port: int = Field(8080, alias="PORT", ge=0, le=65535)
    host: str = Field("127.0.0.1", alias="CERTCOACH_HOST")
    home: Path = Field(Path(".certcoach"), alias="CERTCOACH_HOME")
    sources: Path = Field(Path("sources.yaml"), alias="CERTCOACH_SOURCES")
    anthropic_api_key: SecretStr | None = Field(None, alias="ANTHROPIC_API_KEY")
    chat: str | None = Field(None, alias="CERTCOACH_CHAT")
    chat_fallback: str | None = Field(None, alias="CERTCOACH_CHAT_FALLBACK")
    prompt: Literal["v1", "v2"] = Field("v1", alias="CERTCOACH_PROMPT")
    prices: Path | None = Field(None, alias="CERTCOACH_PRICES")
    daily_tokens: int = Field(0, alias="CERTCOACH_DAILY_TOKENS", ge=0)
    daily_tokens_person: int = Field(0, alias="CERTCOACH_DAILY_TOKENS_PERSON", ge=0)
    rate: int = Field(60, alias="CERTCOACH_RATE", ge=0)
    retain_days: int = Field(30, alias="CERTCOACH_RETAIN_DAYS", ge=1)
    api_keys: SecretStr = Field(SecretStr(""), alias="CERTCOACH_API_KEYS")
    embedder: str = Field("local:minilm", alias="CERTCOACH_EMBEDDER")
    mode: Mode = Field("hybrid", alias="CERTCOACH_MODE")
    lexical: Lexical = Field("bm25", alias="CERTCOACH_LEXICAL")
    fusion: Fusion = Field("coverage", alias="CERTCOACH_FUSION")
    chunker: str = Field("headings-1200", alias="CERTCOACH_CHUNKER")
    budget_chars: int | None = Field(None, alias="CERTCOACH_BUDGET_CHARS", ge=500, le=200_000)
    gate: float = Field(0.5, alias="CERTCOACH_GATE", ge=0, le=1)
    guard: Literal["off", "observe", "enforce"] = Field("enforce", alias="CERTCOACH_GUARD")
    offline: bool = Field(False, alias="CERTCOACH_OFFLINE")
    fetch_allow: Annotated[tuple[str, ...], NoDecode] = Field((), alias="CERTCOACH_FETCH_ALLOW")
    log: Literal["text", "json"] = Field("text", alias="CERTCOACH_LOG")
    eval_corpus: Path | None = Field(None, alias="CERTCOACH_EVAL_CORPUS")
    otlp_endpoint: str | None = Field(None, alias="OTEL_EXPORTER_OTLP_ENDPOINT")

    @field_validator("fetch_allow", mode="before")
    @classmethod
    def _split_hosts(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().lower() for part in value.split(",") if part.strip())
        return value


def setting_names() -> tuple[str, ...]:
    """The names of all settings as they stand in the environment."""
    return tuple(str(field.alias) for field in Settings.model_fields.values())


def load_settings() -> Settings:
    """Read the settings from the environment and `.env`.

    Raises ConfigError naming the variable, for a value that does not fit and for a `CERTCOACH_` name that is unknown.
    """
    load_dotenv(ENV_FILE)  # for the SDKs, which look for their keys in the environment alone
    ours = {name for name in os.environ if name.upper().startswith("CERTCOACH_")}
    if unknown := sorted(ours - set(setting_names())):
        known = ", ".join(name for name in setting_names() if name.startswith("CERTCOACH_"))
        raise ConfigError(f"{unknown[0]} is not a setting. Correct or remove it. Settings: {known}.")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise ConfigError(f"{first['loc'][0]}: {first['msg']}. Correct it in the environment or {ENV_FILE}.") from None
