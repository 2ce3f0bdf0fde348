"""Only public addresses are fetched, unless the settings name the host."""

from __future__ import annotations

import pytest

from ingest.addresses import AddressGuard, is_public, resolve
from rag.errors import Unreadable


class Names:
    """A resolver with a fixed answer."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = list(addresses)

    async def __call__(self, host: str, port: int) -> list[str]:
        return self.addresses


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::127.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "fd00:ec2::254",
    ],
)  # fmt: skip
def test_private_and_reserved_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localhost"])
async def test_every_spelling_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(Unreadable, match="CERTCOACH_FETCH_ALLOW"):
        await AddressGuard(resolver=resolve).addresses(host, 80)


async def test_one_private_address_among_public_ones_refuses_the_host() -> None:
    with pytest.raises(Unreadable, match=r"10\.0\.0\.1"):
        await AddressGuard(resolver=Names("8.8.8.8", "10.0.0.1")).addresses("h.example", 443)


@pytest.mark.parametrize("entry", ["h.example", "H.example", "h.example:8080"])
async def test_an_allowed_host_may_be_private(entry: str) -> None:
    assert await AddressGuard([entry], Names("10.0.0.1")).addresses("h.example", 8080) == ["10.0.0.1"]


@pytest.mark.parametrize("entry", ["h.example:80", "example", "other.example"])
async def test_another_port_or_name_is_not_allowed(entry: str) -> None:
    with pytest.raises(Unreadable):
        await AddressGuard([entry], Names("10.0.0.1")).addresses("h.example", 8080)


@pytest.mark.parametrize("entry", ["::1", "[::1]", "[::1]:8080"])
async def test_an_ipv6_host_is_allowed_in_each_spelling(entry: str) -> None:
    assert await AddressGuard([entry], Names("::1")).addresses("::1", 8080) == ["::1"]
