#!/usr/bin/env python3
"""A soak of `robotsieve fetch --store`: thousands of sites on loopback, and faults of ours.

    python3 cli/tests/soak.py target/debug/robotsieve --seconds 60
    python3 cli/tests/soak.py target/release/robotsieve --seconds 1800 --seed 7

A server process answers on every address of 127.0.0.0/8, each in a way that is a function of the
address alone: with a robots.txt, 404, 503, a reset, silence and so on. Rounds of `fetch` ask random
sites and keep the outcomes in one store, while the program is stopped for seconds, killed (and killed
again while it goes on), short of descriptors, interrupted, behind a proxy that fails for a while (and is
stopped or killed meanwhile), or writes to a file system that is full. After each round the program itself
says what the store holds, and it must be so that

* every line that was printed is in the store: nothing acknowledged is lost;
* no site that answers is recorded as unreachable, whatever happened to us, and every verdict is that
  of the site's own robots.txt;
* the store opens without a manual step;
* the exit status is right, and memory and descriptors stayed within bounds while it ran.

Needs Linux and Python 3.9, and root for the file system that fills up: without root, say `--no-tmpfs`.
No address outside 127.0.0.0/8 is contacted. Every process that it starts ends with it. Exits with 1 if
something did not hold; the seed that it prints repeats the same rounds.
"""

import argparse
import asyncio
import ctypes
import gzip
import os
import random
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter
from multiprocessing import Process, Value

HEADER = "SoakBot/1.0 (+https://soak.example/bot)"
# How long the program waits for a silent site, in seconds.
TIMEOUT = 8
PARALLEL = 128
# What a process may use. The program raises the soft limit of descriptors as far as it needs.
MAX_RSS = 256 << 20
MAX_DESCRIPTORS = PARALLEL + 64
# A process that runs for longer hangs.
HANGS_AFTER = 180

# How sites answer, and how many of a thousand do so.
KINDS = [
    ("good", 500),
    ("gzip", 60),
    ("chunked", 60),
    ("slow", 30),
    ("redirect", 60),
    ("absent", 110),
    ("forbidden", 30),
    ("error", 70),
    ("reset", 20),
    ("reset_head", 20),
    ("reset_body", 20),
    ("cut", 17),
    ("silence", 3),
]
ABSENT = {"absent", "forbidden"}
UNREACHABLE = {"error", "reset", "reset_head", "reset_body", "cut", "silence"}
# Rounds, by the fault of ours. Twice is twice as often.
ROUNDS = ["plain", "kill", "stop", "descriptors", "interrupt", "disk", "kill", "proxy", "kill twice"]
# How a proxy fails, after 0: it works.
PROXY_FAILS = ["hangs", "refuses", "garbage", "closes"]
# Redirects lead here; all of these answer with a robots.txt.
TARGETS = 200


def mixed(number):
    """A number that looks random, and depends on this one alone."""
    number = (number ^ 0x9E3779B9) * 0x85EBCA6B & 0xFFFFFFFF
    number ^= number >> 15
    number = number * 0xC2B2AE35 & 0xFFFFFFFF
    return number ^ number >> 16


def address(site):
    """The address of a site: 127.16.0.1 and on."""
    number = site + 1
    return f"127.{16 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"


def number_of(ip):
    return struct.unpack("!I", socket.inet_aton(ip))[0]


def kind_of(ip):
    if ip.split(".")[1] == str(TARGETS):
        return "good"
    place = mixed(number_of(ip)) % 1000
    for kind, share in KINDS:
        if place < share:
            return kind
        place -= share
    raise AssertionError("the shares make a thousand")


def target_of(ip):
    """Where a site redirects to."""
    return f"127.{TARGETS}." + ".".join(ip.split(".")[2:])


def body_of(ip):
    """A robots.txt of its own for each address, of different lengths."""
    padding = "#" * (mixed(number_of(ip) + 1) % 4000)
    return f"User-agent: *\nDisallow: /closed-{ip}\n{padding}\n".encode()


def wanted_body(ip):
    """What is in force for a site with a robots.txt."""
    return body_of(target_of(ip) if kind_of(ip) == "redirect" else ip)


# ---- the server ----------------------------------------------------------------------------------


async def answer(reader, writer, lag):
    ip = writer.get_extra_info("sockname")[0]
    kind = kind_of(ip)
    try:
        if kind == "reset":
            return reset(writer)
        request = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        body = body_of(ip)
        etag = f'"{ip}"'.encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: " + etag + b"\r\nConnection: close\r\n"
        if kind == "silence":
            await asyncio.sleep(30)
        elif kind == "absent":
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\nConnection: close\r\n\r\nnone")
        elif kind == "forbidden":
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        elif kind == "error":
            writer.write(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        elif kind == "redirect":
            to = f"http://{target_of(ip)}:{writer.get_extra_info('sockname')[1]}/robots.txt"
            writer.write(f"HTTP/1.1 301 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        elif kind == "reset_head":
            writer.write(head[:20])
            await writer.drain()
            return reset(writer)
        elif kind == "reset_body":
            writer.write(head + f"Content-Length: {len(body) + 9}\r\n\r\n".encode() + body[:30])
            await writer.drain()
            await asyncio.sleep(0.05)
            return reset(writer)
        elif kind == "cut":
            writer.write(head + f"Content-Length: {len(body) + 100}\r\n\r\n".encode() + body)
        elif etag in request:
            writer.write(b"HTTP/1.1 304 Not Modified\r\nETag: " + etag + b"\r\nConnection: close\r\n\r\n")
        elif kind == "gzip":
            body = gzip.compress(body, 1)
            writer.write(head + f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        elif kind == "chunked":
            parts = [body[: len(body) // 2], body[len(body) // 2 :]]
            chunks = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts if part)
            writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
        elif kind == "slow":
            writer.write(head + f"Content-Length: {len(body)}\r\n\r\n".encode())
            for part in range(4):
                await asyncio.sleep(0.1)
                writer.write(body[len(body) * part // 4 : len(body) * (part + 1) // 4])
        else:
            writer.write(head + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
    except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.TimeoutError):
        pass
    finally:
        writer.close()


def reset(writer):
    """Closes a connection with a reset."""
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


def serve(listener, lag):
    """Runs the server until its parent ends."""
    die_with_parent()
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def run():
        server = await asyncio.start_server(
            lambda reader, writer: answer(reader, writer, lag), sock=listener, backlog=4096
        )
        async with server:
            while True:
                before = time.monotonic()
                await asyncio.sleep(0.1)
                # How much later than it should the server was: nobody else is to blame for that.
                lag.value = max(lag.value, time.monotonic() - before - 0.1)

    asyncio.run(run())


async def relay(reader, writer):
    try:
        while part := await reader.read(1 << 16):
            writer.write(part)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()


async def tunnel(reader, writer, fails):
    """A proxy's answer to one connection."""
    try:
        how = PROXY_FAILS[fails.value - 1] if fails.value else ""
        if how == "hangs":
            return await asyncio.sleep(30)
        if how == "closes":
            return None
        if how == "garbage":
            writer.write(b"\0\1garbage\r\n\r\n")
            return await writer.drain()
        request = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
        if how == "refuses":
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return await writer.drain()
        host, port = request.split(b" ")[1].decode().rsplit(":", 1)
        from_site, to_site = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(relay(reader, to_site), relay(from_site, writer))
    except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError):
        pass
    finally:
        writer.close()


def serve_proxy(listener, fails):
    """Runs the proxy until its parent ends."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def run():
        server = await asyncio.start_server(
            lambda reader, writer: tunnel(reader, writer, fails), sock=listener, backlog=4096
        )
        async with server:
            await server.serve_forever()

    asyncio.run(run())


def die_with_parent():
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


# ---- the rounds ----------------------------------------------------------------------------------


class Soak:
    def __init__(self, args, folder, port, lag):
        self.args, self.folder, self.port, self.lag = args, folder, port, lag
        self.random = random.Random(args.seed)
        self.proxy = None
        self.store = os.path.join(folder, "soak.store")
        # What was printed about each site that is in `store`: the condition.
        self.acknowledged = {}
        self.violations = Counter()
        self.shown = Counter()
        self.rounds, self.lines, self.late = Counter(), 0, 0
        self.max_rss, self.max_descriptors, self.growth = 0, 0, 0
        self.conditions = Counter()

    def origin(self, site):
        return f"http://{address(site)}:{self.port}"

    def violated(self, rule, detail):
        self.violations[rule] += 1
        self.shown[rule] += 1
        if self.shown[rule] <= 5:
            print(f"  VIOLATED: {rule}: {detail}", flush=True)

    def run(self, *arguments, input=None):
        """A short run of the program."""
        command = [self.args.program, *arguments]
        try:
            return subprocess.run(
                command, input=input, capture_output=True, timeout=HANGS_AFTER, preexec_fn=die_with_parent
            )
        except subprocess.TimeoutExpired:
            self.violated("no command hangs", " ".join(arguments))
            return subprocess.CompletedProcess(command, -1, b"", b"")

    def fetch(self, sites, store, during=None, descriptors=None, again=False, proxy=None):
        """Fetches these sites. `during` is called with the process while it runs."""
        sites_path = os.path.join(self.folder, "sites")
        with open(sites_path, "w") as out:
            out.writelines(f"{self.origin(site)}/some/page\n" for site in sites)
        command = [
            self.args.program, "fetch", "--send-user-agent", HEADER, "--allow-private", "--parallel",
            str(PARALLEL), "--timeout", str(TIMEOUT), "--store", store, sites_path,
        ] + ["--again"] * again + ["--proxy", proxy] * (proxy is not None)

        def prepare():
            die_with_parent()
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        out_path, err_path = os.path.join(self.folder, "out"), os.path.join(self.folder, "err")
        self.lag.value = 0
        with open(out_path, "wb") as out, open(err_path, "wb") as err:
            process = subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=prepare)
            began, samples = time.monotonic(), []
            plan = during(process) if during else iter(())
            try:
                while process.poll() is None:
                    if time.monotonic() - began > HANGS_AFTER:
                        self.violated("no command hangs", "fetch")
                        process.kill()
                        break
                    samples += [sample for sample in [self.sample(process.pid)] if sample]
                    next(plan, None)
                    time.sleep(0.05)
            finally:
                if process.poll() is None:
                    process.kill()
                process.wait()
        if samples:
            rss = [rss for rss, _ in samples]
            self.max_rss = max(self.max_rss, *rss)
            # Where a proxy refuses, a request opens its second connection while the first one closes.
            second = PARALLEL if proxy else 0
            self.max_descriptors = max(self.max_descriptors, *(count - second for _, count in samples))
            # Flat: from the first third to the last, a process does not grow.
            if len(samples) > 60:
                third = len(rss) // 3
                self.growth = max(self.growth, max(rss[-third:]) - max(rss[:third]))
        with open(err_path, "rb") as err:
            errors = err.read().decode(errors="replace")
        with open(out_path, "rb") as out:
            # A line without its end was not printed.
            lines = out.read().decode(errors="replace").split("\n")[:-1]
        printed, self.lines_of = {}, {}
        for line in lines:
            condition, origin = line.split("\t")[:2]
            printed[origin.rstrip("/")] = condition
            self.lines_of[origin.rstrip("/")] = line
        self.lines += len(printed)
        self.conditions.update(printed.values())
        return process.returncode, printed, errors

    def sample(self, pid):
        """The resident bytes and the number of descriptors of a process."""
        try:
            with open(f"/proc/{pid}/statm") as statm:
                rss = int(statm.read().split()[1]) * resource.getpagesize()
            return rss, len(os.listdir(f"/proc/{pid}/fd"))
        except (OSError, IndexError):
            return None

    def judge(self, printed, what):
        """Each printed condition is the site's own."""
        if self.lag.value > TIMEOUT / 2:
            # The server was late, so the sites really did not answer.
            self.late += 1
            return False
        for origin, condition in printed.items():
            line = self.lines_of.get(origin, condition)
            ip = origin.split("/")[2].split(":")[0]
            kind = kind_of(ip)
            wanted = "unreachable" if kind in UNREACHABLE else "absent" if kind in ABSENT else "parsed"
            if condition != wanted and condition == "unreachable":
                self.violated("no site is judged by our faults", f"{what}: {origin} is {kind}, printed {line}")
            elif condition != wanted:
                self.violated("what is printed is what the site said", f"{what}: {origin} is {kind}, printed {condition}")
        return True

    def check(self, store, acknowledged, sites, what, is_judged=True):
        """The store has what was printed, and no wrong verdict about anything. Returns how many of
        the sites it does not know."""
        urls = []
        for site in sites:
            urls += [f"{self.origin(site)}/open", f"{self.origin(site)}/closed-{address(site)}"]
            urls += [f"{self.origin(site)}/closed-{target_of(address(site))}"]
        ran = self.run(
            "filter", "--store", store, "--agent", "SoakBot", "--format", "tsv", "-",
            input="\n".join(urls).encode(),
        )
        if ran.returncode != 0:
            self.violated("the store opens without a manual step", f"{what}: {ran.stderr.decode()[:300]}")
            return 0
        verdicts, unknown = {}, 0
        for line in ran.stdout.decode().splitlines():
            fields = line.split("\t")
            url = next(field for field in fields if field.startswith("http://"))
            verdicts[url] = next(f for f in fields if f in ("allow", "disallow", "unknown", "invalid"))
        for site in sites:
            origin, ip = self.origin(site), address(site)
            kind = kind_of(ip)
            paths = ("/open", f"/closed-{ip}", f"/closed-{target_of(ip)}")
            got = tuple(verdicts.get(origin + path) for path in paths)
            if got == ("unknown",) * 3:
                unknown += 1
                if origin in acknowledged:
                    self.violated("nothing acknowledged is lost", f"{what}: {origin} ({kind})")
                continue
            if kind in UNREACHABLE:
                wanted = ("disallow",) * 3
            elif kind in ABSENT:
                wanted = ("allow",) * 3
            elif kind == "redirect":
                wanted = ("allow", "allow", "disallow")
            else:
                wanted = ("allow", "disallow", "allow")
            if got == wanted or not is_judged:
                continue
            rule = "no site is judged by our faults" if got[0] == "disallow" else "every verdict is right"
            self.violated(rule, f"{what}: {origin} ({kind}) {got}")
        return unknown

    def sampled_bodies(self, store, acknowledged, what):
        """Some bodies, byte for byte."""
        known = [origin for origin, condition in acknowledged.items() if condition == "parsed"]
        for origin in self.random.sample(sorted(known), min(5, len(known))):
            ran = self.run("store", "get", "--body", store, origin + "/")
            ip = origin.split("/")[2].split(":")[0]
            if ran.returncode != 0 or ran.stdout != wanted_body(ip):
                self.violated("bodies are kept byte for byte", f"{what}: {origin} {ran.stderr.decode()[:200]}")

    def status(self, what, returncode, allowed, errors):
        if returncode not in allowed:
            last = errors.strip().splitlines()[-3:]
            self.violated("the exit status is right", f"{what}: {returncode}, expected {allowed}: {last}")

    def kill_early(self, process):
        """Kills the program within its first tenth of a second."""
        time.sleep(self.random.random() / 10)
        process.kill()
        yield

    # Plans: called once for each sample, about every 0.05 s.

    def stop(self, process):
        """Stops the program for longer and shorter than a site may be silent."""
        for seconds in [0.5, TIMEOUT + 1, 2]:
            for _ in range(self.random.randrange(3, 12)):
                yield
            os.kill(process.pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.kill(process.pid, signal.SIGCONT)

    def send(self, number):
        def plan(process):
            for _ in range(self.random.randrange(2, 40)):
                yield
            process.send_signal(number)

        return plan

    def fail(self, process):
        """Lets the proxy fail, and work again; and stops or kills the program meanwhile, or not."""
        other = self.random.choice([self.stop, self.send(signal.SIGKILL), lambda _: iter(())])(process)
        for how in [0, self.random.randrange(len(PROXY_FAILS)) + 1, 0]:
            self.fails.value = how
            for _ in range(self.random.randrange(5, 60)):
                next(other, None)
                yield

    def proxied(self):
        """The address of a proxy that works, for now."""
        if not self.proxy:
            listener = socket.create_server(("127.0.0.1", 0), backlog=4096)
            self.fails = Value("i", 0)
            Process(target=serve_proxy, args=(listener, self.fails), daemon=True).start()
            self.proxy = f"http://127.0.0.1:{listener.getsockname()[1]}"
            listener.close()
        self.fails.value = 0
        return self.proxy

    def round(self, name):
        """One round with the common store."""
        count = min(self.args.batch, self.args.origins)
        sites = self.random.sample(range(self.args.origins), count)
        again = self.random.random() < 0.5
        during, descriptors, allowed, proxy = None, None, {0}, None
        if name == "stop":
            during = self.stop
        elif name == "kill":
            during, allowed = self.send(signal.SIGKILL), {0, -signal.SIGKILL}
        elif name == "interrupt":
            during, allowed = self.send(signal.SIGINT), {0, 130, -signal.SIGINT}
        elif name == "descriptors":
            # Fewer than its requests: it fits its own number to that, or tells its faults.
            descriptors, allowed = 64, {0, 3}
        elif name == "proxy":
            during, allowed, proxy = self.fail, {0, 3, -signal.SIGKILL}, self.proxied()
        elif name == "kill twice":
            # The second time while it opens the store that the first one left.
            during, allowed = self.send(signal.SIGKILL), {0, -signal.SIGKILL}
            returncode, printed, errors = self.fetch(sites, self.store, during)
            self.judge(printed, name)
            self.acknowledged.update(printed)
            during = self.kill_early
        returncode, printed, errors = self.fetch(sites, self.store, during, descriptors, again, proxy)
        self.status(name, returncode, allowed, errors)
        is_judged = self.judge(printed, name)
        if not is_judged:
            # What the store holds now is the server's fault, so it is put right.
            self.fetch(sites, self.store, again=True)
        self.acknowledged.update(printed)
        unknown = self.check(self.store, self.acknowledged, sites, name, is_judged)
        # What was stored just before the program was killed is not asked again, and not printed.
        if name == "plain" and unknown:
            self.violated("every site has an outcome", f"{unknown} of {count} have none: {errors[-300:]}")
        self.sampled_bodies(self.store, self.acknowledged, name)
        return len(printed)

    def full_disk(self):
        """A store of its own, on a file system that fills up while it is written."""
        disk = os.path.join(self.folder, "disk")
        os.makedirs(disk, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=True)
        try:
            store = os.path.join(disk, "full.store")
            sites = self.random.sample(range(self.args.origins), min(self.args.batch, self.args.origins))
            # Without the disk being full, so that there is a store.
            returncode, first, errors = self.fetch(sites[:100], store)
            self.status("full disk, before", returncode, {0}, errors)
            is_judged = self.judge(first, "full disk, before")
            ballast = os.path.join(disk, "ballast")
            with open(ballast, "wb", buffering=0) as out:
                try:
                    while True:
                        out.write(bytes(4096))
                except OSError:
                    pass
            # A little room.
            with open(ballast, "r+b") as out:
                out.truncate(max(0, os.path.getsize(ballast) - (64 << 10)))
            # What is free within the store may be enough for a batch: then for more.
            printed, asked = {}, list(sites)
            for _ in range(8):
                returncode, more, errors = self.fetch(sites, store)
                printed.update(more)
                if returncode != 0:
                    break
                rest = sorted(set(range(self.args.origins)) - set(asked))
                sites = self.random.sample(rest, min(self.args.batch, len(rest)))
                asked += sites
            sites = asked
            self.status("full disk", returncode, {3}, errors)
            if len(errors.splitlines()) > 20:
                self.violated("a full disk is told once", f"{len(errors.splitlines())} lines")
            is_judged &= self.judge(printed, "full disk")
            printed = {**first, **printed}
            self.check(store, printed, sites, "full disk", is_judged)
            # There is room again: no manual step.
            os.unlink(ballast)
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            self.check(store, printed, sites, "full disk, room again", is_judged)
            returncode, later, errors = self.fetch(sites, store)
            self.status("full disk, after", returncode, {0}, errors)
            is_judged &= self.judge(later, "full disk, after")
            printed.update(later)
            if len(printed) < len(sites) and is_judged:
                self.violated("every site has an outcome", f"full disk, after: {len(printed)} of {len(sites)}")
            self.check(store, printed, sites, "full disk, after", is_judged)
            self.sampled_bodies(store, printed, "full disk, after")
            # Full again, by others: pruning makes room by what is kept for it.
            with open(ballast, "wb", buffering=0) as out:
                try:
                    while True:
                        out.write(bytes(4096))
                except OSError:
                    pass
            time.sleep(1.1)
            ran = self.run("store", "prune", "--older-than", "1s", store)
            self.status("full disk, pruned", ran.returncode, {0}, ran.stderr.decode(errors="replace"))
            return len(printed)
        finally:
            subprocess.run(["umount", "-l", disk], check=False)

    def soak(self):
        end = time.monotonic() + self.args.seconds
        names = list(self.args.rounds)
        while True:
            # Each once before any comes again.
            self.random.shuffle(names)
            for name in names:
                if time.monotonic() > end:
                    return
                began = time.monotonic()
                count = self.full_disk() if name == "disk" else self.round(name)
                self.rounds[name] += 1
                seconds = time.monotonic() - began
                print(f"{name}: {count} outcomes, {seconds:.1f} s, server late by {self.lag.value:.1f} s", flush=True)

    def last_checks(self):
        """All sites, and the store as a whole."""
        if not self.late:
            self.check(self.store, self.acknowledged, range(self.args.origins), "at the end")
        ran = self.run("store", "verify", self.store)
        if ran.returncode != 0:
            self.violated("the store is undamaged", ran.stderr.decode()[:300])
        if self.max_rss > MAX_RSS:
            self.violated("memory is bounded", f"{self.max_rss >> 20} MiB, at most {MAX_RSS >> 20}")
        if self.growth > 48 << 20:
            self.violated("memory is flat", f"grew by {self.growth >> 20} MiB in one run")
        if self.max_descriptors > MAX_DESCRIPTORS:
            self.violated("descriptors are bounded", f"{self.max_descriptors}, at most {MAX_DESCRIPTORS}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the robotsieve to run")
    parser.add_argument("--seconds", type=int, default=60, help="how long to begin rounds (default 60)")
    parser.add_argument("--origins", type=int, default=20_000, help="how many sites there are (default 20000)")
    parser.add_argument("--batch", type=int, default=1_000, help="how many are asked in a round (default 1000)")
    parser.add_argument("--seed", type=int, default=None, help="repeats the rounds of this seed")
    parser.add_argument("--no-tmpfs", dest="tmpfs", action="store_false", help="without a full disk, which needs root")
    parser.add_argument("--rounds", default=",".join(ROUNDS), help=f"which ones (default {','.join(ROUNDS)})")
    args = parser.parse_args()
    args.rounds = args.rounds.split(",")
    if not set(args.rounds) <= set(ROUNDS):
        parser.error(f"--rounds is a list of some of {','.join(ROUNDS)}")
    args.tmpfs = args.tmpfs and "disk" in args.rounds
    if not args.tmpfs:
        args.rounds = [name for name in args.rounds if name != "disk"]
        print("soak: without a full disk", flush=True)
    if not args.rounds:
        parser.error("no rounds are left")
    args.program = os.path.abspath(args.program)
    if args.seed is None:
        args.seed = random.SystemRandom().randrange(1 << 32)
    if not 0 < args.batch <= args.origins <= 1_000_000:
        parser.error("--batch is at most --origins, and that is at most 1000000")
    if args.tmpfs and os.environ.get("SOAK_NAMESPACE") != "yes":
        # Mounts of a namespace of our own end with it.
        if os.geteuid() != 0:
            sys.exit("soak: a full disk needs root, to mount a small tmpfs; or say --no-tmpfs")
        command = ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv]
        if "--seed" not in sys.argv:
            command += ["--seed", str(args.seed)]
        os.environ["SOAK_NAMESPACE"] = "yes"
        os.execvp(command[0], command)
    print(f"soak: seed {args.seed}, {args.origins} sites, {args.seconds} s", flush=True)

    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # All of 127.0.0.0/8; the addresses of this machine's interfaces are turned away by nobody, but
    # nobody is told of them either.
    listener.bind(("0.0.0.0", 0))
    listener.listen(4096)
    lag = Value("d", 0.0)
    server = Process(target=serve, args=(listener, lag), daemon=True)
    server.start()
    port = listener.getsockname()[1]
    listener.close()
    folder = tempfile.mkdtemp(prefix="robotsieve-soak-")
    soak = Soak(args, folder, port, lag)
    began = time.monotonic()
    try:
        soak.soak()
        soak.last_checks()
    finally:
        server.kill()
        server.join()
        shutil.rmtree(folder, ignore_errors=True)
    rounds = " ".join(f"{name} {count}" for name, count in sorted(soak.rounds.items()))
    conditions = " ".join(f"{name} {count}" for name, count in sorted(soak.conditions.items()))
    print(f"rounds: {rounds}; {time.monotonic() - began:.0f} s, server late in {soak.late}")
    print(f"outcomes printed {soak.lines}: {conditions}; sites in the store {len(soak.acknowledged)}")
    print(
        f"memory at most {soak.max_rss / (1 << 20):.1f} MiB, growth within a run {soak.growth / (1 << 20):.1f} MiB, "
        f"descriptors at most {soak.max_descriptors}"
    )
    if soak.violations:
        for rule, count in sorted(soak.violations.items()):
            print(f"VIOLATED {count} times: {rule}")
        print(f"repeat with --seed {args.seed}")
        return 1
    print("everything held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
