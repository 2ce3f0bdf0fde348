"""The shape of everything that travels between the platform and an app."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
"""A JSON object."""
