"""Which addresses may be fetched from: public ones, and those that the settings allow."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import httpcore
import httpx

from rag.errors import Unreadable

Resolve = Callable[[str, int], Awaitable[list[str]]]
"""Host and port to IP addresses, the preferred first. Raises OSError for a name that has none."""

_NAT64 = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")


async def resolve(host: str, port: int) -> list[str]:
    """Ask the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: str) -> bool:
    """Whether an IP address, or the IPv4 address that an IPv6 one carries, is one of the public internet."""
    ip = ip_address(address.split("%")[0])
    carried = _carried(ip) if isinstance(ip, IPv6Address) else None
    if carried is not None:
        return is_public(str(carried))
    return ip.is_global and not ip.is_multicast


def _carried(ip: IPv6Address) -> IPv4Address | None:
    if ip in _NAT64 or (ip in _COMPATIBLE and int(ip) > 1):
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)


class AddressGuard:
    """Decides where a connection may go. `allow` holds `host` or `host:port`, for addresses that are not public."""

    def __init__(self, allow: Iterable[str] = (), resolver: Resolve = resolve) -> None:
        self._allow = frozenset(entry.lower() for entry in allow)
        self._resolve = resolver

    async def addresses(self, host: str, port: int) -> list[str]:
        """The IP addresses of a host, all of them checked.

        Raises Unreadable if one of them is not public and the host is not allowed, OSError if there is none.
        """
        found = await self._resolve(host, port)
        if not self._allowed(host, port):
            private = next((address for address in found if not is_public(address)), None)
            if private:
                raise Unreadable(
                    f"{host} is at {private}, which is not a public address; "
                    f"if that is intended, add {host}:{port} to CERTCOACH_FETCH_ALLOW"
                )
        return found

    def _allowed(self, host: str, port: int) -> bool:
        name = host.lower().rstrip(".")
        names = {name, f"[{name}]"} if ":" in name else {name}
        return any(entry in self._allow for name in names for entry in (name, f"{name}:{port}"))


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Connects to the very addresses that were checked, so that a name cannot resolve differently the second time."""

    def __init__(self, guard: AddressGuard) -> None:
        self._guard = guard
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Try the checked addresses in turn. TLS and the Host header still use the name."""
        try:
            addresses = await self._guard.addresses(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} has no address") from error
        failure: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in addresses:
            try:
                return await self._backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure

    async def sleep(self, seconds: float) -> None:
        """Wait, as the connection pool asks."""
        await self._backend.sleep(seconds)


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's own transport over a pool whose connections are guarded."""

    def __init__(self, guard: AddressGuard) -> None:
        context = httpx.create_ssl_context()
        super().__init__(verify=context)
        # httpx has no argument for the network backend, which httpcore offers as its seam for this.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=context, http2=True, max_connections=20, network_backend=GuardedBackend(guard)
        )
