"""What an exception of a fetcher means: is the site at fault, or this side?"""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import socket
import ssl
from collections.abc import Sequence

from ._fetching import FetchError, LocalFault

_log = logging.getLogger("robotsieve.aio")

#: A kind, a text, and whether the fault is on this side.
_Verdict = tuple[str, str, bool]

_SHORTAGES = {
    errno.EMFILE: "descriptors",
    errno.ENFILE: "descriptors",
    errno.ENOMEM: "memory",
    errno.ENOBUFS: "memory",
    errno.EADDRNOTAVAIL: "address",
    errno.EACCES: "permission",
    errno.EPERM: "permission",
}
_NO_ROUTE = {errno.ENETUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT}
_UNREACHABLE = {errno.EHOSTUNREACH, errno.EHOSTDOWN}
_NO_CONNECTION = {errno.ECONNREFUSED, errno.ETIMEDOUT}
_LOST = {errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE, errno.ENOTCONN, errno.ESHUTDOWN}

#: The exceptions of the libraries, by package and name.
_BY_NAME: dict[tuple[str, str], tuple[str, bool]] = {
    ("aiohttp", "ClientConnectorCertificateError"): ("tls", False),
    ("aiohttp", "ClientConnectorDNSError"): ("dns", False),
    ("aiohttp", "ClientConnectorError"): ("connect", False),
    ("aiohttp", "ClientConnectorSSLError"): ("tls", False),
    ("aiohttp", "ClientHttpProxyError"): ("proxy", True),
    ("aiohttp", "ClientPayloadError"): ("broken", False),
    ("aiohttp", "ClientProxyConnectionError"): ("proxy", True),
    ("aiohttp", "ClientResponseError"): ("broken", False),
    ("aiohttp", "ConnectionTimeoutError"): ("connect-timeout", False),
    ("aiohttp", "ContentEncodingError"): ("encoding", False),
    ("aiohttp", "HttpProcessingError"): ("broken", False),
    # Of a URL that a site has led to. The library's own reading of URLs is narrower than the sieve's.
    ("aiohttp", "InvalidURL"): ("connect", False),
    ("aiohttp", "ServerDisconnectedError"): ("broken", False),
    ("aiohttp", "ServerFingerprintMismatch"): ("tls", False),
    ("aiohttp", "ServerTimeoutError"): ("timeout", False),
    ("aiohttp", "SocketTimeoutError"): ("read-timeout", False),
    ("httpx", "CloseError"): ("broken", False),
    ("httpx", "ConnectError"): ("connect", False),
    ("httpx", "ConnectTimeout"): ("connect-timeout", False),
    ("httpx", "DecodingError"): ("encoding", False),
    ("httpx", "InvalidURL"): ("connect", False),
    ("httpx", "LocalProtocolError"): ("other", True),
    ("httpx", "PoolTimeout"): ("other", True),
    ("httpx", "ProxyError"): ("proxy", True),
    ("httpx", "ReadError"): ("broken", False),
    ("httpx", "ReadTimeout"): ("read-timeout", False),
    ("httpx", "RemoteProtocolError"): ("broken", False),
    ("httpx", "WriteError"): ("broken", False),
    ("httpx", "WriteTimeout"): ("read-timeout", False),
}


def verdict(error: BaseException, depth: int = 0) -> _Verdict | None:
    """What an exception means, by itself and by its causes. A fault of this side counts wherever it
    is; among the site's the outermost that says more than 'no connection'."""
    causes = []
    if depth < 8:
        # Libraries raise 'from None', so what was suppressed counts too.
        inner = [getattr(error, "os_error", None), error.__cause__, error.__context__]
        by_id = {id(cause): cause for cause in inner if isinstance(cause, BaseException)}
        found = [verdict(cause, depth + 1) for cause in by_id.values()]
        found.append(_gravest([verdict(one, depth + 1) for one in _parts(error)]))
        causes = [one for one in found if one is not None]
    own = _own_verdict(error)
    if own is not None and own[2]:
        return own
    for cause in causes:
        if cause[2]:
            return cause
    if causes and (own is None or own[0] in ("connect", "broken", "dns")):
        return causes[0]
    return own


def _parts(error: BaseException) -> Sequence[BaseException]:
    parts = getattr(error, "exceptions", None)
    return parts if isinstance(parts, tuple) else ()


def _gravest(verdicts: list[_Verdict | None]) -> _Verdict | None:
    """Of several addresses' failures, the one that says most of the site. There may be no route to the
    addresses of one family, and that says nothing."""
    known = [verdict for verdict in verdicts if verdict is not None]
    for is_wanted in (
        lambda verdict: verdict[2] and verdict[0] != "route",
        lambda verdict: not verdict[2],
        lambda verdict: True,
    ):
        for verdict in known:
            if is_wanted(verdict):
                return verdict
    return None


def _own_verdict(error: BaseException) -> _Verdict | None:
    text = str(error) or type(error).__name__
    if isinstance(error, LocalFault):
        return error.kind, error.text, True
    if isinstance(error, FetchError):
        return error.kind, error.text, False
    if isinstance(error, MemoryError):
        return "memory", text, True
    for cls in type(error).__mro__:
        named = _BY_NAME.get((cls.__module__.partition(".")[0], cls.__name__))
        if named is not None:
            return named[0], text, named[1]
    if isinstance(error, ssl.SSLError):
        return "tls", text, False
    if isinstance(error, socket.gaierror):
        return _of_lookup(error, text)
    if isinstance(error, OSError) and error.errno is not None:
        return _of_errno(error.errno, text)
    if isinstance(error, UnicodeError) and ("idna" in text or text.startswith("label ")):
        return "dns", text, False
    if isinstance(error, (asyncio.TimeoutError, TimeoutError)):
        return "timeout", text, False
    if isinstance(error, (asyncio.IncompleteReadError, ConnectionError)):
        return "broken", text, False
    if isinstance(error, OSError):
        # 'Multiple exceptions: [Errno 101] …, [Errno 111] …'
        codes = [int(code) for code in re.findall(r"\[Errno (\d+)\]", text)]
        return _gravest([_of_errno(code, text) for code in codes]) or ("connect", text, False)
    return None


def _of_errno(code: int, text: str) -> _Verdict | None:
    if code in _SHORTAGES:
        return _SHORTAGES[code], text, True
    if code in _NO_ROUTE or (code in _UNREACHABLE and not _has_route()):
        return "route", text, True
    if code in _UNREACHABLE or code in _NO_CONNECTION:
        return "connect", text, False
    return ("broken", text, False) if code in _LOST else None


def _of_lookup(error: socket.gaierror, text: str) -> _Verdict:
    names = ("EAI_NONAME", "EAI_NODATA", "EAI_ADDRFAMILY")
    if error.errno in {getattr(socket, name, None) for name in names}:
        return "dns", text, False
    if error.errno == socket.EAI_MEMORY:
        return "memory", text, True
    # Silent name servers, or a name whose own are silent: the system does not tell.
    return "resolver", text, True


def _has_route() -> bool:
    """Whether there is a route to the world. Connecting a UDP socket sends nothing."""
    for family, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((address, 9))
                return True
        except OSError:
            pass
    return False


def hidden_shortage() -> _Verdict | None:
    """The fault, if no socket can be opened now. Some libraries hide it."""
    try:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()
    except OSError as error:
        verdict = _of_errno(error.errno or 0, str(error))
        return verdict if verdict is not None and verdict[2] else None
    return None


def unknown(error: Exception, url: str) -> _Verdict:
    """An exception that says nothing of the site: the fetcher is at fault."""
    _log.warning("the fetcher raised an unexpected exception for %s", url, exc_info=error)
    return "other", f"the fetcher raised {type(error).__name__}: {error}", True
