#!/usr/bin/env python3
"""The speed of `robotsieve filter`, by source, order and way in and out, beside the same answers in memory
and beside another build of it.

    cargo build --profile dist -p robotsieve-cli -p robotsieve-corpora -p robotsieve-tools --bins
    python3 cli/tests/filter_speed.py target/dist/robotsieve --hosts 1000000 --urls 10000000
    python3 cli/tests/filter_speed.py target/dist/robotsieve --sources pack --ways file,pipe,gzip
    python3 cli/tests/filter_speed.py target/dist/robotsieve --beside OLD --threads 1,2

Generates the robots.txt files of N hosts and URLs for them (once: it keeps what is in --work), as many
for each host, sorted by host and at random, and makes a pack and a store of the files. Each build makes
its own pack. Then it filters the URLs by each source in each order:

* `file`: from a file into a file,
* `pipe`: from `cat` into a file; what `cat` does is part of it,
* `pipes`: from `cat` into another `cat`,
* `gzip`: from a compressed file into a file.

Prints for each, with the median of all rounds,

* million URLs a second by the clock, from the start of the process to its end,
* nanoseconds of processor time a URL, of all threads,
* the most memory it had, in MiB, with what it touched of the pack,
* for a pack, the share of the rate at which as many threads answer the URLs in memory (`answers`, an
  example, in a row of its own; it opens the pack anew in each round too),
* for `gzip`, the share of the rate at which one thread inflates the file and does nothing else.

All sources, orders, ways and numbers of threads must give the same counts, also in memory, and the verdicts
on the URLs of some hosts must be those of `check` with the host's own file. Exits with 1 if they are not.
The folder is left out from 100,000 hosts on, where opening files is all that one would measure; so is the
store, unless --sources names them.

Needs Linux, and 7 GB in --work for a million hosts.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

AGENT = "Googlebot"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--beside", help="another build, measured in turn")
    parser.add_argument("--generator", help="default: robotsieve-corpora beside the program")
    parser.add_argument("--answers", help="default: answers beside the program")
    parser.add_argument("--hosts", type=int, default=60_000)
    parser.add_argument("--urls", type=int, default=3_000_000)
    parser.add_argument("--sources", help="of dir, pack and store, with commas")
    parser.add_argument("--orders", default="sorted,random")
    parser.add_argument("--ways", default="file", help="of file, pipe, pipes and gzip, with commas")
    parser.add_argument("--threads", default=str(os.cpu_count()))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--format", default="urls")
    parser.add_argument("--work", default="/tmp/filter_speed", help="keeps what it generates")
    parser.add_argument("--prepare", action="store_true", help="only generate what is missing")
    args = parser.parse_args()
    beside = os.path.dirname(args.program)
    args.generator = args.generator or os.path.join(beside, "robotsieve-corpora")
    args.answers = args.answers or os.path.join(beside, "answers")
    work = os.path.join(args.work, f"{args.hosts}-{args.urls}")
    generate(args, work)
    few = args.hosts < 100_000
    sources = (args.sources or ("dir,pack,store" if few else "pack")).split(",")
    ways = args.ways.split(",")
    programs = [("new", args.program)] + ([("old", args.beside)] if args.beside else [])
    for source in sources:
        for name, program in programs:
            source_of(source, name, program, work)
    if "gzip" in ways:
        compress(args, work)
    if args.prepare:
        return 0
    counts = {}
    print(f"{args.hosts} hosts, {args.urls} URLs, format {args.format}, median of {args.rounds}")
    print("build  source  order   threads way        million/s     ns    MiB  of memory  of inflating")
    for source in sources:
        for order in args.orders.split(","):
            for threads in map(int, args.threads.split(",")):
                rows = measure(args, work, programs, source, order, threads, ways, counts)
                show(args, rows, source, order, threads)
    if len(set(counts)) != 1:
        print(f"the counts differ: {counts}", file=sys.stderr)
        return 1
    print(f"all runs: allowed {next(iter(counts))}")
    return check(args, work)


def measure(args, work, programs, source, order, threads, ways, counts):
    """The runs of each build in each way, in turn: seconds, those on a processor, MiB."""
    rows = {}
    for _ in range(args.rounds):
        for name, program in programs:
            option = source_of(source, name, program, work)
            for way in ways:
                allowed, *ran = run(program, option, order, threads, way, args, work)
                counts.setdefault(allowed, []).append((name, source, order, threads, way))
                rows.setdefault((name, way), []).append(ran)
        if source == "pack":
            allowed, *ran = in_memory(args, work, order, threads)
            counts.setdefault(allowed, []).append(("memory", order, threads))
            rows.setdefault(("memory", ""), []).append(ran)
        if "gzip" in ways:
            command = [args.answers, "--inflate", f"{urls_of(work, order)}.gz"]
            seconds = re.search(r"seconds ([\d.]+)", subprocess.check_output(command, text=True))
            rows.setdefault(("inflate", ""), []).append((float(seconds[1]), float(seconds[1]), 0))
    return rows


def show(args, rows, source, order, threads):
    """A line for each build and way."""
    seconds = {row: statistics.median(ran[0] for ran in runs) for row, runs in rows.items()}
    for (name, way), runs in rows.items():
        taken = seconds[name, way]
        processor = statistics.median(ran[1] for ran in runs)
        share, inflating = "", ""
        if way and ("memory", "") in rows:
            share = f"{seconds['memory', ''] / taken:.2f}"
        if way == "gzip":
            inflating = f"{seconds['inflate', ''] / taken:.2f}"
        print(
            f"{name:7} {source:6} {order:7} {threads:7} {way:8} {args.urls / taken / 1e6:11.2f}"
            f" {1e9 * processor / args.urls:6.0f} {max(ran[2] for ran in runs):6.0f} {share:>10} {inflating:>13}",
            flush=True,
        )


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


def urls_of(work, order):
    return f"{work}/urls.txt" if order == "sorted" else f"{work}/urls-random.txt"


def compress(args, work):
    """The URLs in both orders, as gzip does it by default."""
    for order in args.orders.split(","):
        urls = urls_of(work, order)
        if not os.path.exists(f"{urls}.gz"):
            with open(urls, "rb") as plain, gzip.open(f"{urls}.new", "wb", compresslevel=6) as packed:
                shutil.copyfileobj(plain, packed, 1 << 20)
            os.rename(f"{urls}.new", f"{urls}.gz")


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


def run(program, option, order, threads, way, args, work):
    """The counts, the seconds, those on a processor and the MiB."""
    urls = urls_of(work, order)
    command = [program, "filter", *option, "--threads", str(threads), "--format", args.format]
    command += ["--progress", "never", {"file": urls, "gzip": f"{urls}.gz"}.get(way, "-")]
    # A new file each time: to empty an old one would take time.
    if os.path.exists(f"{work}/out"):
        os.remove(f"{work}/out")
    with open(f"{work}/out", "wb") as out:
        begun = time.monotonic()
        source = sink = None
        if way in ("pipe", "pipes"):
            source = subprocess.Popen(["cat", urls], stdout=subprocess.PIPE)
        if way == "pipes":
            sink = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
        process = subprocess.Popen(
            command,
            stdin=source.stdout if source else subprocess.DEVNULL,
            stdout=sink.stdin if sink else out,
            stderr=subprocess.PIPE,
        )
        for ours in (source and source.stdout, sink and sink.stdin):
            if ours:
                ours.close()
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for other in (source, sink):
            if other:
                other.wait()
        seconds = time.monotonic() - begun
    found = re.search(r"allowed (\d+) disallowed (\d+) unknown (\d+) invalid (\d+) hosts (\d+)", said)
    if process.returncode or not found:
        raise SystemExit(f"{command}: {said}")
    return int(found[1]), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_memory(args, work, order, threads):
    """The same of threads that answer what is in memory. The time on a processor is not known."""
    command = [args.answers, f"{work}/new.pack", urls_of(work, order), str(threads)]
    said = subprocess.check_output(command, text=True)
    found = re.search(r"allowed (\d+) seconds ([\d.]+)", said)
    return int(found[1]), float(found[2]), threads * float(found[2]), 0


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
