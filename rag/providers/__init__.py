"""Models by name: "provider:model" names a loader, and only the loader imports the provider's library."""

from __future__ import annotations

from pathlib import Path

from rag.errors import ConfigError
from rag.types import Embedder


def load_embedder(name: str, home: Path) -> Embedder:
    """The embedder of this name. Raises ConfigError for one that is unknown or cannot be loaded."""
    if name == "local:minilm":
        from rag.providers.local import load_minilm

        return load_minilm(home)
    raise ConfigError(f"CERTCOACH_EMBEDDER {name!r} is unknown. Known: local:minilm.")
