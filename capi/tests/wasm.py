"""The WebAssembly module under Wasmtime: no imports, the public cases, the corpus, and what a careless host does.

    python tests/wasm.py [MODULE]      # target/capi/robotsieve.wasm if none is named

`Module` below is also what docs/wasm.md shows of a host.
"""

import base64
import gzip
import json
import os
import re
import struct
import sys
import tomllib
from itertools import groupby
from pathlib import Path

from wasmtime import Engine, Instance, Store, Trap, WasmtimeError
from wasmtime import Module as Compiled

REPOSITORY = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("ROBOTSIEVE_CORPUS", REPOSITORY / "../shared/corpus"))
PROFILES = ["rfc9309", "google", "google-classic", "original-1994"]
DISALLOW, ALLOW, INVALID, UNKNOWN = range(4)
OK, NULL_POINTER, ARGUMENT, NAME, URL, PACK = range(6)


class Failure(Exception):
    """What the module says of a call that failed."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Module:
    """An instance of the module, with a place for the error of a call and one for what it is given."""

    ERROR = 512

    def __init__(self, engine: Engine, compiled: Compiled, most_bytes: int = 1 << 32) -> None:
        self.store = Store(engine)
        self.store.set_limits(memory_size=most_bytes)
        self.exports = Instance(self.store, compiled, []).exports(self.store)
        self.memory = self.exports["memory"]
        self.error = self.call("alloc", self.ERROR)
        self.room, self.size = 0, 0

    def call(self, name: str, *arguments: int):
        return self.exports[f"robotsieve_{name}"](self.store, *arguments)

    def read(self, address: int, size: int) -> bytes:
        return bytes(self.memory.read(self.store, address, address + size))

    def write(self, *parts: bytes) -> list[int]:
        """Copies these into the module. Returns the address of each, until the next call."""
        # Arrays must begin at a multiple of 4.
        offsets, end = [], 0
        for part in parts:
            offsets.append(end)
            end = (end + len(part) + 7) // 8 * 8
        if end > self.size:
            self.call("free", self.room)
            self.room, self.size = self.call("alloc", end), end
            if self.room == 0:
                raise MemoryError
        for offset, part in zip(offsets, parts):
            self.memory.write(self.store, part, self.room + offset)
        return [self.room + offset for offset in offsets]

    def checked(self, result):
        """The result of a call that has written its error."""
        status = int.from_bytes(self.read(self.error, 4), "little")
        if status != OK:
            message = self.read(self.error + 4, self.ERROR - 4)
            raise Failure(status, message[: message.index(0)].decode())
        return result

    def crawler(self, name: bytes, profile: int) -> int:
        [at] = self.write(name)
        return self.checked(self.call("crawler_named", at, len(name), profile, self.error))

    def crawler_from_user_agent(self, header: bytes) -> int:
        [at] = self.write(header)
        return self.checked(self.call("crawler_from_user_agent", at, len(header), self.error))

    def parse(self, file: bytes, profile: int) -> int:
        [at] = self.write(file)
        return self.checked(self.call("robots_parse", at, len(file), profile, self.error))

    def policy(self, robots: int, crawler: int) -> int:
        return self.checked(self.call("policy_new", robots, crawler, self.error))

    def allows(self, policy: int, url: bytes) -> bool:
        [at] = self.write(url)
        return self.call("policy_allows", policy, at, len(url)) == 1

    def urls(self, urls: list[bytes], answers: int) -> list[int]:
        """Writes URLs: the addresses of their slices, and of the room for answers."""
        joined = b"".join(urls)
        # The addresses of the slices depend on where the bytes come to lie.
        at, slices, room = self.write(joined, bytes(8 * len(urls)), bytes(answers))
        pairs, begin = [], at
        for url in urls:
            pairs += [begin, len(url)]
            begin += len(url)
        self.memory.write(self.store, struct.pack(f"<{len(pairs)}I", *pairs), slices)
        return [slices, room]

    def answers(self, policy: int, urls: list[bytes]) -> bytes:
        slices, room = self.urls(urls, len(urls))
        self.checked(self.call("policy_answers", policy, slices, len(urls), room, len(urls), self.error))
        return self.read(room, len(urls))

    def decide(self, policy: int, url: bytes) -> tuple[int, int, int, bytes]:
        """Verdict, reason, line and rule."""
        at, decision = self.write(url, bytes(20))
        self.checked(self.call("policy_decide", policy, at, len(url), decision, self.error))
        verdict, reason, line, data, size = struct.unpack("<5I", self.read(decision, 20))
        return verdict, reason, line, self.read(data, size)

    def explain(self, robots: int, crawler: int, url: bytes) -> dict:
        at, size = self.write(url, bytes(4))
        text = self.checked(self.call("robots_explain", robots, crawler, at, len(url), size, self.error))
        document = json.loads(self.read(text, int.from_bytes(self.read(size, 4), "little")))
        self.call("free", text)
        return document


def interface(compiled: Compiled) -> str:
    """It imports nothing, and exports each function of the header."""
    assert compiled.imports == [], [(i.module, i.name) for i in compiled.imports]
    header = (REPOSITORY / "capi/include/robotsieve.h").read_text()
    declared = set(re.findall(r"\b(robotsieve_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
    exported = {e.name for e in compiled.exports if e.name.startswith("robotsieve_")}
    # It has no files.
    assert declared - exported == {"robotsieve_pack_open_files"} and exported <= declared, declared ^ exported
    # docs/wasm.md says of each what it is given, and whether it returns something.
    page = (REPOSITORY / "docs/wasm.md").read_text().partition("## The functions")[2]
    said = {}
    for names, arguments, result in re.findall(r"^\| (`robotsieve_.*?) \| (.*?) ?\|(?: (.*?) \|| ?\|)$", page, re.M):
        for name in re.findall(r"`(?:robotsieve)?(_\w+)`", names):
            said["robotsieve" + name] = (len(arguments.split(", ")) if arguments else 0, bool(result))
    functions = {e.name: e.type for e in compiled.exports if e.name in exported}
    assert said == {name: (len(f.params), len(f.results) == 1) for name, f in functions.items()}, said
    return f"no imports, {len(exported)} functions"


def cases(module: Module) -> str:
    """The conformance cases, which are the same for every language: corpora/README.md describes them."""
    bytes_of = lambda text, encoded: text.encode() if encoded is None else base64.b64decode(encoded)
    count = checks = 0
    for path in sorted((REPOSITORY / "corpora/cases").glob("*.toml")):
        for case in tomllib.loads(path.read_text())["case"]:
            count += 1
            file = bytes_of(case.get("robots"), case.get("robots_base64"))
            for number, profile in enumerate(PROFILES):
                robots = module.parse(file, number)
                try:
                    if "agent" in case:
                        names = ",".join(name.strip() for name in case["agent"].split(","))
                        crawler = module.crawler(names.encode(), number)
                    else:
                        crawler = module.crawler_from_user_agent(case["user_agent"].encode())
                except Failure as failure:
                    # A name that no line can name obeys the group for everybody in the cases.
                    assert failure.status == NAME, (case["name"], failure)
                    continue
                policy = module.policy(robots, crawler)
                for check in case["checks"]:
                    url = bytes_of(check.get("url"), check.get("url_base64"))
                    verdict, _, line = check.get("all", check.get(profile)).partition(":")
                    where = (case["name"], profile, url)
                    checks += 1
                    wanted = {"allow": ALLOW, "disallow": DISALLOW, "invalid": INVALID}[verdict]
                    assert module.allows(policy, url) == (wanted == ALLOW), where
                    assert module.answers(policy, [url, url]) == bytes([wanted, wanted]), where
                    try:
                        decided, reason, at, _ = module.decide(policy, url)
                        why = module.explain(robots, crawler, url)
                    except Failure as failure:
                        assert (wanted, failure.status) == (INVALID, URL), where
                        continue
                    assert decided == wanted and why["verdict"] == verdict, where
                    by_rule = at if reason == 0 else 0
                    assert by_rule == int(line or 0) == (why["winner_line"] or 0), where
                module.call("policy_free", policy)
                module.call("crawler_free", crawler)
                module.call("robots_free", robots)
    assert count >= 439 and checks >= 4 * 1200, (count, checks)
    return f"{count} cases, {checks} checks"


def corpus(module: Module) -> str:
    """Every verdict of google/robotstxt on real files."""
    verdicts = CORPUS / "verdicts.google.tsv.gz"
    if not verdicts.exists():
        return f"corpus: not in {CORPUS}, skipped"
    asked = disallowed = wrong = 0
    lines = (line.split(b"\t", 3) for line in gzip.open(verdicts).read().rstrip(b"\n").split(b"\n"))
    for host, of_host in groupby(lines, key=lambda line: line[0]):
        robots = module.parse((CORPUS / "robots" / host.decode()).read_bytes(), 1)
        for name, group in groupby(of_host, key=lambda line: line[1]):
            checks = list(group)
            crawler = module.crawler(name, 1)
            policy = module.policy(robots, crawler)
            answers = module.answers(policy, [url for *_, url in checks])
            wanted = bytes(verdict == b"1" for _, _, verdict, _ in checks)
            asked += len(checks)
            disallowed += wanted.count(0)
            wrong += sum(a != b for a, b in zip(answers, wanted, strict=True))
            module.call("policy_free", policy)
            module.call("crawler_free", crawler)
        module.call("robots_free", robots)
    pages = module.memory.size(module.store)
    assert (asked, disallowed, wrong) == (600_347, 222_637, 0), (asked, disallowed, wrong)
    # What is freed is used again.
    assert pages < 1024, pages
    return f"{asked} verdicts, {wrong} wrong, in {pages * 64} KiB"


def sites(module: Module) -> str:
    """A set, and the pack that is made of it."""
    crawlers = [module.crawler(name, 0) for name in (b"GPTBot", b"MyCrawler")]
    [at] = module.write(struct.pack("<2I", *crawlers))
    sites = module.checked(module.call("set_new", at, 2, 0, module.error))
    file = b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /x\n"
    for origin, kind, text in [(b"https://a.example", 0, file), (b"https://b.example/any", 2, b"")]:
        url, body = module.write(origin, text)
        status = module.call("set_put", sites, url, len(origin), kind, body, len(text), module.error)
        module.checked(status)
    asked = [b"https://a.example/", b"https://b.example/", b"https://c.example/", b"no URL"]
    wanted = bytes([DISALLOW, ALLOW, DISALLOW, DISALLOW, UNKNOWN, UNKNOWN, INVALID, INVALID])
    slices, room = module.urls(asked, 8)
    module.checked(module.call("set_answers", sites, slices, 4, room, 8, module.error))
    assert module.read(room, 8) == wanted
    url = asked[0]
    [at] = module.write(url)
    assert module.checked(module.call("set_answer", sites, 1, at, len(url), module.error)) == ALLOW
    assert module.checked(module.call("set_delay", sites, 1, at, len(url), module.error)) == 2.5
    [size] = module.write(bytes(4))
    packed = module.checked(module.call("set_pack", sites, size, module.error))
    packed_len = int.from_bytes(module.read(size, 4), "little")
    module.call("set_free", sites)

    [files] = module.write(struct.pack("<2I", packed, packed_len))
    pack = module.checked(module.call("pack_open", files, 1, module.error))
    module.checked(module.call("pack_verify", pack, module.error))
    assert module.call("pack_crawler_count", pack) == 2
    assert module.checked(module.call("pack_find_crawler", pack, crawlers[1], module.error)) == 1
    slices, room = module.urls(asked, 8)
    module.checked(module.call("pack_answers", pack, 0, 0, slices, 4, room, 8, module.error))
    assert module.read(room, 8) == wanted
    [at] = module.write(url)
    assert module.checked(module.call("pack_answer", pack, 0, at, len(url), module.error)) == DISALLOW
    assert module.checked(module.call("pack_delay", pack, 1, at, len(url), module.error)) == 2.5
    module.call("pack_free", pack)
    module.call("free", packed)
    return "a set and its pack"


def careless(engine: Engine, compiled: Compiled) -> str:
    """Bad arguments are errors, and a wild address that is not seen as one ends that instance alone."""
    module = Module(engine, compiled, most_bytes=64 << 20)
    crawler, robots = module.crawler(b"a", 0), module.parse(b"User-agent: *\nDisallow: /x", 0)
    policy = module.policy(robots, crawler)
    size = module.memory.data_len(module.store)

    def fails(wanted: int, name: str, *arguments: int) -> None:
        try:
            module.checked(module.call(name, *arguments, module.error))
        except Failure as failure:
            assert failure.status == wanted and str(failure), (name, failure.status, failure)
        else:
            raise AssertionError(f"{name} did not fail")

    [at] = module.write(b"/x")
    # Negative numbers are large ones.
    for length in (size, -1, -(1 << 31), (1 << 31) - 1):
        fails(ARGUMENT, "robots_parse", at, length, 0)
        fails(ARGUMENT, "crawler_named", at, length, 0)
        fails(ARGUMENT, "policy_answers", policy, at, length, at, length)
        assert module.call("policy_allows", policy, at, length) == 0
    fails(ARGUMENT, "robots_parse", size - 1, 2, 0)
    fails(NULL_POINTER, "robots_parse", 0, 1, 0)
    fails(ARGUMENT, "robots_parse", at, 2, 4)
    fails(NULL_POINTER, "policy_new", 0, crawler)
    fails(ARGUMENT, "policy_new", size, crawler)
    fails(ARGUMENT, "policy_new", robots + 1, crawler)
    slices, room = module.urls([b"/x"], 1)
    fails(ARGUMENT, "policy_answers", policy, slices + 1, 1, room, 1)
    fails(ARGUMENT, "policy_answers", policy, slices, 1, size, 1)
    # The error has no place of its own there: told nowhere.
    assert module.call("robots_parse", 0, 1, 0, 0) == 0
    for free in ("crawler_free", "robots_free", "policy_free", "set_free", "pack_free", "free"):
        module.call(free, 0)

    # There is no more memory than this.
    assert module.call("alloc", -1) == 0 and module.call("alloc", 100 << 20) == 0
    assert module.allows(policy, b"/y") and not module.allows(policy, b"/x")

    # A result that is written outside ends the instance.
    try:
        module.call("policy_decide", policy, at, 2, size, module.error)
    except (Trap, WasmtimeError):
        pass
    else:
        raise AssertionError("written outside of the memory")
    again = Module(engine, compiled)
    version = re.search(r'^version = "(.*)"', (REPOSITORY / "Cargo.toml").read_text(), re.M)[1].encode()
    assert again.read(again.call("version"), len(version) + 1) == version + b"\0"
    return "careless calls"


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY / "target/capi/robotsieve.wasm"
    engine = Engine()
    compiled = Compiled.from_file(engine, str(path))
    packed = len(gzip.compress(path.read_bytes(), mtime=0))
    print(f"{path.name}: {path.stat().st_size} bytes, {packed} compressed")
    print(interface(compiled))
    print(cases(Module(engine, compiled)))
    print(sites(Module(engine, compiled)))
    print(careless(engine, compiled))
    print(corpus(Module(engine, compiled)))


if __name__ == "__main__":
    main()
