#!/usr/bin/env python3
"""The speed of `robotsieve filter`, by source and order, beside another build of it.

    cargo build --profile dist -p robotsieve-cli -p robotsieve-corpora
    python3 cli/tests/filter_speed.py target/dist/robotsieve --hosts 1000000
    python3 cli/tests/filter_speed.py target/dist/robotsieve --hosts 60000 --beside OLD --threads 1,2

Generates the robots.txt files of N hosts and URLs for them (once: it keeps what is in --work), as many
for each host, sorted by host and at random, and makes a pack and a store of the files. Each build makes
its own pack. Then it filters the URLs by each source in each order into a file, and prints

* million URLs a second by the clock,
* million URLs for each second that the judging threads were on a processor, and how many of their
  nanoseconds a URL takes: what counts on a machine that is busy,
* the same nanoseconds for the threads that read and write.

All sources, orders and numbers of threads must give the same counts, and the verdicts on the URLs of
some hosts must be those of `check` with the host's own file. Exits with 1 if they are not. The folder is
left out from 100,000 hosts on, where opening files is all that one would measure; so is the store, unless
--sources names them.

Needs Linux, and 7 GB in --work for a million hosts.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import time

AGENT = "Googlebot"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--beside", help="another build, measured in turn")
    parser.add_argument("--generator", default="target/dist/robotsieve-corpora")
    parser.add_argument("--hosts", type=int, default=1_000_000)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--sources", help="of dir, pack and store, with commas")
    parser.add_argument("--orders", default="sorted,random")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=3, help="the best one counts")
    parser.add_argument("--format", default="urls")
    parser.add_argument("--work", default="/tmp/filter_speed", help="keeps what it generates")
    args = parser.parse_args()
    work = os.path.join(args.work, f"{args.hosts}-{args.urls}")
    generate(args, work)
    few = args.hosts < 100_000
    sources = (args.sources or ("dir,pack,store" if few else "pack")).split(",")
    programs = [("new", args.program)] + ([("old", args.beside)] if args.beside else [])
    counts = {}
    print(f"{args.hosts} hosts, {args.urls} URLs, to a file, format {args.format}, best of {args.rounds}")
    print("build  source  order   threads   million/s   a judging thread's   ns judging   ns reading, writing")
    for source in sources:
        for order in args.orders.split(","):
            for threads in map(int, args.threads.split(",")):
                runs = {}
                for _ in range(args.rounds):
                    for name, program in programs:
                        option = source_of(source, name, program, work)
                        ran = run(program, option, order, threads, args, work)
                        counts.setdefault(ran[0], []).append((name, source, order, threads))
                        runs.setdefault(name, []).append(ran[1:])
                for name, _ in programs:
                    seconds = min(ran[0] for ran in runs[name])
                    judging, rest = min(ran[1:] for ran in runs[name])
                    print(
                        f"{name:6} {source:7} {order:7} {threads:7} {args.urls / seconds / 1e6:11.2f}"
                        f" {args.urls / judging / 1e6:20.2f} {1e9 * judging / args.urls:12.0f}"
                        f" {1e9 * rest / args.urls:21.0f}",
                        flush=True,
                    )
    if len(counts) != 1:
        print(f"the counts differ: {counts}", file=sys.stderr)
        return 1
    print(f"all runs: allowed {next(iter(counts))[0]}, disallowed {next(iter(counts))[1]}")
    return check(args, work)


def generate(args, work):
    """The files, the URLs in both orders."""
    if not os.path.exists(f"{work}/urls.txt"):
        os.makedirs(work, exist_ok=True)
        numbers = ["--hosts", str(args.hosts), "--urls", str(args.urls), "--by-host"]
        subprocess.run([args.generator, *numbers, "--out", f"{work}/new"], check=True)
        os.rename(f"{work}/new/robots", f"{work}/robots")
        os.rename(f"{work}/new/urls.txt", f"{work}/urls.txt")
    if not os.path.exists(f"{work}/urls-random.txt"):
        with open(f"{work}/urls.txt", "rb") as file:
            lines = file.readlines()
        random.Random(1).shuffle(lines)
        with open(f"{work}/urls-random.new", "wb") as file:
            file.writelines(lines)
        os.rename(f"{work}/urls-random.new", f"{work}/urls-random.txt")


def source_of(source, name, program, work):
    """The option for a source, which is made first if it is not there."""
    if source == "dir":
        return ["--robots-dir", f"{work}/robots", "--agent", AGENT]
    if source == "pack":
        path = f"{work}/{name}.pack"
        if not os.path.exists(path):
            make = ["pack", "--robots-dir", f"{work}/robots", "--agent", AGENT, "-o", path]
            subprocess.run([program, *make, "--progress", "never"], check=True)
        return ["--pack", path]
    path = f"{work}/robots.store"
    if not os.path.exists(path):
        make = ["store", "import", "--robots-dir", f"{work}/robots", path]
        subprocess.run([program, *make, "--progress", "never"], check=True)
    return ["--store", path, "--agent", AGENT]


def run(program, option, order, threads, args, work):
    """The counts, the seconds, and those on a processor: of the judging threads, of the others."""
    urls = f"{work}/urls.txt" if order == "sorted" else f"{work}/urls-random.txt"
    command = [program, "filter", *option, "--threads", str(threads), "--format", args.format]
    with open(f"{work}/out", "wb") as out:
        begun = time.monotonic()
        process = subprocess.Popen(
            [*command, "--progress", "never", urls], stdout=out, stderr=subprocess.PIPE, text=True
        )
        on_processor = {}
        while process.poll() is None:
            try:
                for task in os.listdir(f"/proc/{process.pid}/task"):
                    at = f"/proc/{process.pid}/task/{task}"
                    with open(f"{at}/comm") as comm, open(f"{at}/schedstat") as stat:
                        on_processor[task] = (comm.read().strip(), int(stat.read().split()[0]) / 1e9)
            except OSError:
                pass
            time.sleep(0.002)
        seconds = time.monotonic() - begun
    said = process.stderr.read()
    found = re.search(r"allowed (\d+) disallowed (\d+) unknown (\d+) invalid (\d+) hosts (\d+)", said)
    if process.returncode or not found:
        raise SystemExit(f"{command}: {said}")
    judging = sum(time for name, time in on_processor.values() if name == "judging")
    rest = sum(time for name, time in on_processor.values() if name != "judging")
    return tuple(map(int, found.groups())), seconds, judging, rest


def check(args, work):
    """Compares the verdicts on the URLs of some hosts with the plain way: `check`, a file at a time."""
    allowed = set()
    with open(f"{work}/urls.txt", "rb") as file:
        urls = [line for line in file.read(8 << 20).splitlines()[:-1]]
    by_host = {}
    for url in urls:
        by_host.setdefault(url.split(b"/")[2].decode(), []).append(url)
    hosts = random.Random(2).sample(sorted(by_host)[:-1], min(300, len(by_host) - 1))
    for host in hosts:
        command = [args.program, "check", f"{work}/robots/{host}", AGENT, "-"]
        text = b"\n".join(by_host[host]) + b"\n"
        for line in subprocess.run(command, input=text, capture_output=True).stdout.splitlines():
            verdict, url = line.split(b"\t")[0], line.split(b"\t")[-1]
            if verdict == b"allow":
                allowed.add(url)
    sample = b"\n".join(b"\n".join(by_host[host]) for host in hosts) + b"\n"
    wanted = [url for url in sample.splitlines() if url in allowed]
    option = source_of("pack", "new", args.program, work)
    ran = subprocess.run([args.program, "filter", *option], input=sample, capture_output=True)
    if ran.stdout.splitlines() != wanted or not wanted:
        print("check says otherwise", file=sys.stderr)
        return 1
    print(f"{len(hosts)} hosts: the {len(wanted)} URLs that check allows")
    return 0


if __name__ == "__main__":
    sys.exit(main())
