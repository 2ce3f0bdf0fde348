"""Models by name: "provider:model" names a loader, and only the loader imports the provider's library."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from rag.errors import ConfigError
from rag.settings import Settings
from rag.types import ChatModel, Embedder

CHAT = {"anthropic": "anthropic", "openai": "openai", "bedrock": "aiobotocore"}
"""Chat providers, with the library that each needs."""
DEFAULT_CHAT = "anthropic:claude-sonnet-4-6"
"""The chat model when none is named and its key is present."""


def load_chat_models(settings: Settings) -> tuple[ChatModel, ...]:
    """The chat models in the order in which they are tried; none when there is no key and none is named."""
    default = DEFAULT_CHAT if settings.anthropic_api_key else None
    names = [name for name in (settings.chat or default, settings.chat_fallback) if name and name != "none"]
    return tuple(load_chat(name, settings.prices) for name in dict.fromkeys(names))


def load_chat(name: str, prices: Path | None = None) -> ChatModel:
    """The chat model of this name, such as "openai:gpt-5". Raises ConfigError for one that cannot be used."""
    provider, _, model = name.partition(":")
    if provider not in CHAT or not model:
        known = ", ".join(f"{provider}:MODEL" for provider in CHAT)
        raise ConfigError(f"The chat model {name!r} is unknown. Name one as {known}.")
    if find_spec(CHAT[provider]) is None:
        raise ConfigError(f"{name} needs the package {CHAT[provider]}: pip install 'certcoach[{provider}]'.")
    loaded: ChatModel = import_module(f"rag.providers.{provider}").load(model, prices)
    return loaded


def load_embedder(name: str, home: Path) -> Embedder:
    """The embedder of this name. Raises ConfigError for one that is unknown or cannot be loaded."""
    if name == "local:minilm":
        from rag.providers.local import load_minilm

        return load_minilm(home)
    raise ConfigError(f"CERTCOACH_EMBEDDER {name!r} is unknown. Known: local:minilm.")
