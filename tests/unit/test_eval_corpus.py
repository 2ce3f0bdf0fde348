from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from eval.corpus import Genuine, Provision, find, folders, load_genuine, provide
from eval.site import serve_folder
from rag.errors import ConfigError
from rag.settings import Settings

BYTES = b"# A document\n"
UNREACHABLE = "http://127.0.0.1:9"


def genuine(content: bytes = BYTES, file: str = "doc/a.md") -> Genuine:
    digest = hashlib.sha256(content).hexdigest()
    return Genuine("t", "t/md/a.md", "A", "Guide", "https://a.example/a", "MIT", "owner/name", "c0ffee", file, digest)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    copy = tmp_path / "copy"
    copy.mkdir()
    return Settings(CERTCOACH_HOME=tmp_path / "home", CERTCOACH_EVAL_CORPUS=copy)


@pytest.fixture
def publisher(tmp_path: Path) -> Path:
    """The folder of a site that has the repository's files."""
    file = tmp_path / "site" / "owner" / "name" / "c0ffee" / "doc" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(BYTES)
    return tmp_path / "site"


async def provided(document: Genuine, settings: Settings, target: Path, site: Path) -> Provision:
    with serve_folder(site) as address:
        return await provide([document], target, settings, address)


def test_each_listed_document_is_pinned_to_a_commit_and_a_digest() -> None:
    for document in load_genuine():
        assert len(document.commit) == 40 and len(document.sha256) == 64
        assert document.path.startswith(f"{document.tenant}/") and document.published.startswith("https://")


def test_no_document_is_listed_twice() -> None:
    paths = [document.path for document in load_genuine()]
    assert len(set(paths)) == len(paths)


def test_a_list_with_a_missing_field_is_named(tmp_path: Path) -> None:
    (tmp_path / "corpus.yaml").write_text("documents:\n- tenant: t\n")
    with pytest.raises(ConfigError, match=r"corpus\.yaml: documents\.0"):
        load_genuine(tmp_path / "corpus.yaml")


async def test_a_document_is_fetched_and_verified(settings: Settings, publisher: Path, tmp_path: Path) -> None:
    provision = await provided(genuine(), settings, tmp_path / "target", publisher)
    assert provision.present == ["t/md/a.md"]
    assert (tmp_path / "target/t/md/a.md").read_bytes() == BYTES


async def test_other_bytes_than_the_listed_are_not_kept(settings: Settings, publisher: Path, tmp_path: Path) -> None:
    provision = await provided(genuine(b"other"), settings, tmp_path / "target", publisher)
    assert "sha256" in provision.missing["t/md/a.md"]
    assert not (tmp_path / "target/t/md/a.md").exists()


async def test_a_file_that_the_publisher_lacks_is_missing(settings: Settings, publisher: Path, tmp_path: Path) -> None:
    provision = await provided(genuine(file="gone.md"), settings, tmp_path / "target", publisher)
    assert provision.missing == {"t/md/a.md": "status 404"} and provision.problem is None


async def test_a_document_on_this_machine_is_copied_and_not_fetched(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "copy" / "t/md/a.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(BYTES)
    provision = await provide([genuine()], tmp_path / "target", settings, UNREACHABLE)
    assert provision.problem is None and (tmp_path / "target/t/md/a.md").read_bytes() == BYTES


async def test_without_a_network_it_is_said_once(settings: Settings, tmp_path: Path) -> None:
    provision = await provide([genuine(), genuine()], tmp_path / "target", settings, UNREACHABLE)
    assert provision.problem is not None and "cannot be reached" in provision.problem


async def test_offline_nothing_is_fetched(settings: Settings, publisher: Path, tmp_path: Path) -> None:
    offline = settings.model_copy(update={"offline": True})
    provision = await provided(genuine(), offline, tmp_path / "target", publisher)
    assert provision.missing == {"t/md/a.md": "not fetched"}


def test_an_altered_file_is_not_the_document(tmp_path: Path) -> None:
    file = tmp_path / "t/md/a.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(BYTES + b"edited")
    assert find([genuine()], [tmp_path]) == {}


def test_a_named_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="CERTCOACH_EVAL_CORPUS"):
        folders(Settings(CERTCOACH_EVAL_CORPUS=tmp_path / "none"))
