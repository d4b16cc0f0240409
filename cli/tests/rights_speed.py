"""`filter --purpose ai-train` beside `filter`, on the same URLs and files, in turn.

    python3 cli/tests/rights_speed.py PROGRAM [CORPUS]

CORPUS is a folder that has `robots/HOST` and `urls/HOST`. Measured are its files as they are, none of which speaks of rights, and with
Content-Usage and Content-Signal lines added to every fifth file; as a folder, and as a pack that keeps rights. The URLs
are repeated until there are two million. The numbers of verdicts are asserted: those of crawling are the same in
both folders, and of training only the files that speak of it are disallowed.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time

AGENT = "GPTBot"
ROUNDS = 7
URLS = 2_000_000
LINES = b"\nUser-agent: GPTBot\nUser-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\nContent-Signal: search=yes, ai-input=no\n"


def main():
    program = os.path.abspath(sys.argv[1])
    beside = os.path.join(os.path.dirname(__file__), "../../../shared/corpus")
    corpus = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("ROBOTSIEVE_CORPUS", beside)
    work = "/tmp/rights_speed"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(f"{work}/some")
    hosts = sorted(os.listdir(f"{corpus}/robots"))
    speaking = set()
    for number, host in enumerate(hosts):
        with open(f"{corpus}/robots/{host}", "rb") as file:
            body = file.read()
        # Behind the limit of 500 KiB nothing is read, and in a page the lines would be none.
        if number % 5 == 0 and len(body) < 400_000 and b"<" not in body[:200]:
            body += LINES
            speaking.add(host)
        with open(f"{work}/some/{host}", "wb") as file:
            file.write(body)
    lines = []
    for host in sorted(os.listdir(f"{corpus}/urls")):
        with open(f"{corpus}/urls/{host}", "rb") as file:
            lines += [line for line in file.read().splitlines() if line.strip()]
    lines = [line for line in lines if line.startswith((b"http://", b"https://"))]
    count = len(lines)
    lines = (lines * (URLS // count + 1))[:URLS]
    with open(f"{work}/urls", "wb") as file:
        file.write(b"\n".join(lines) + b"\n")
    folders = [("as they are", f"{corpus}/robots"), ("every fifth speaks", f"{work}/some")]
    print(f"{len(hosts)} files, {URLS} URLs ({count} different), median of {ROUNDS}")
    print(f"{'files':20} {'source':6} {'filter':>10} {'--purpose':>10} {'ratio':>6}   million URLs/s")
    verdicts = {}
    for what, folder in folders:
        pack = f"{work}/{len(verdicts)}.pack"
        subprocess.run(
            [program, "-q", "pack", "--robots-dir", folder, "--agent", AGENT, "--rights", "-o", pack], check=True
        )
        for source, option in [("dir", ["--robots-dir", folder, "--agent", AGENT]), ("pack", ["--pack", pack])]:
            taken = {"crawl": [], "ai-train": []}
            for _ in range(ROUNDS):
                for purpose in taken:
                    asked = [] if purpose == "crawl" else ["--purpose", purpose]
                    command = [program, "filter", *option, *asked, f"{work}/urls"]
                    start = time.monotonic()
                    ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
                    taken[purpose].append(time.monotonic() - start)
                    told = re.search(rb"urls (\d+) allowed (\d+) disallowed (\d+) unknown (\d+)", ran.stderr)
                    numbers = tuple(map(int, told.groups()))
                    known = verdicts.setdefault((what, source, purpose), numbers)
                    assert known == numbers, (known, numbers)
            crawl, train = (statistics.median(taken[purpose]) for purpose in ("crawl", "ai-train"))
            print(f"{what:20} {source:6} {URLS / crawl / 1e6:10.2f} {URLS / train / 1e6:10.2f} {crawl / train:6.2f}")
    for source in ("dir", "pack"):
        plain = verdicts["as they are", source, "ai-train"]
        assert plain[1] == plain[2] == 0, plain
        some = verdicts["every fifth speaks", source, "ai-train"]
        assert some[2] > 0 and some[3] < plain[3], some
    assert verdicts["every fifth speaks", "dir", "ai-train"] == verdicts["every fifth speaks", "pack", "ai-train"]
    print("training, every fifth speaks: urls, allowed, disallowed, unknown", verdicts["every fifth speaks", "pack", "ai-train"])


main()
