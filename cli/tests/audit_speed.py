#!/usr/bin/env python3
"""The speed of `robotsieve audit` beside a plain script with urllib.robotparser.

    cargo build --profile dist -p robotsieve-cli
    python3 cli/tests/audit_speed.py target/dist/robotsieve
    python3 cli/tests/audit_speed.py target/dist/robotsieve --lines 20000000 --script-lines 500000
    python3 cli/tests/audit_speed.py target/dist/robotsieve --threads 1 2 --beside ../before/robotsieve

Generates a log in the combined format (once: it keeps what is in --work): browsers with some ten thousand
different headers, and crawlers of which some obey and some do not. The script is what one would write:
a regular expression for the line, the crawlers' names looked for in the header, `can_fetch` for the path.
The robots.txt has what urllib reads as RFC 9309 does: prefixes without wildcards, the longest first.

Both must count the same requests and forbidden requests for each crawler; exits with 1 if they do not.
Prints lines a second of both, and for `audit`, with each number of threads, of the log as it is and
compressed by gzip, also the lines of each second that it was on a processor, and its largest memory. All
ways take turns, in every round; what is printed is the median. --beside adds another build, which is run
without --threads, and the ratios to it.
"""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
import urllib.robotparser

ROBOTS = """\
User-agent: GPTBot
User-agent: CCBot
Disallow: /

User-agent: Googlebot
User-agent: bingbot
Allow: /search/about
Disallow: /search
Disallow: /cart

User-agent: *
Allow: /account/help
Allow: /search/about
Disallow: /account
Disallow: /search
Disallow: /cart
Disallow: /tmp/
"""

# Name and header.
CRAWLERS = {
    "Googlebot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; "
    "+http://www.google.com/bot.html) Chrome/142.0.0.0 Safari/537.36",
    "bingbot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; "
    "+http://www.bing.com/bingbot.htm) Chrome/136.0.0.0 Safari/537.36",
    "GPTBot": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "CCBot": "CCBot/2.0 (https://commoncrawl.org/faq/)",
    "AhrefsBot": "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "SomeNewBot": "Mozilla/5.0 (compatible; SomeNewBot/0.3; +https://somenew.example/bot)",
}

PATHS = ["/", "/robots.txt", "/search?q={}", "/search/about", "/cart/{}", "/account/{}", "/account/help", "/tmp/{}"]
PATHS += ["/products/{}", "/news/2026/11/{}.html", "/images/{}.jpg", "/static/js/app.{}.js"] * 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--script-lines", type=int, help="how many the script reads [default: all]")
    parser.add_argument("--crawlers", type=float, default=0.3, help="which part of the lines is theirs")
    parser.add_argument("--threads", type=int, nargs="+", default=[1], help="of audit")
    parser.add_argument("--beside", metavar="PROGRAM", help="another build, to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", default="/tmp/audit_speed", help="keeps what it generates")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    robots = f"{args.work}/robots.txt"
    with open(robots, "w") as file:
        file.write(ROBOTS)
    few = min(args.script_lines or args.lines, args.lines)
    log = generate(args.work, args.lines, args.crawlers)
    short = log if few == args.lines else generate(args.work, few, args.crawlers)

    begun = time.perf_counter()
    wanted = by_script(robots, short)
    script = few / (time.perf_counter() - begun)
    found, *_ = by_audit([args.program], robots, short)
    if found != wanted or not any(forbidden for _, forbidden in wanted.values()):
        print(f"audit counts {found}\nthe script counts {wanted}", file=sys.stderr)
        return 1
    print(f"the script: {script:,.0f} lines a second, over {few:,} lines; the same figures for {len(wanted)} crawlers")
    print(f"audit, over {args.lines:,} lines, {os.path.getsize(log) / 1e6:,.0f} MB:")
    ways = {f"{threads} threads": [args.program, threads] for threads in args.threads}
    if args.beside:
        ways = {"beside": [args.beside]} | ways
    packed = f"{log}.gz"
    if not os.path.exists(packed):
        with open(f"{packed}.new", "wb") as file:
            subprocess.run(["gzip", "-c", log], stdout=file, check=True)
        os.rename(f"{packed}.new", packed)
    runs = {}
    for _ in range(args.rounds):
        for name, way in ways.items():
            for form, path in ("plain", log), ("gzip", packed):
                runs.setdefault((form, name), []).append(by_audit(way, robots, path)[1:])
    medians = {way: [statistics.median(column) for column in zip(*those)] for way, those in runs.items()}
    for (form, name), (seconds, busy, memory) in medians.items():
        beside = medians.get((form, "beside"))
        ratio = f", {beside[0] / seconds:.2f} times the other build's rate" if beside and name != "beside" else ""
        print(
            f"{form:5}  {name:10}  {args.lines / seconds:,.0f} lines a second, {args.lines / busy:,.0f} for each second on a "
            f"processor, at most {memory / 1024:.0f} MiB, {args.lines / seconds / script:.0f} times the script's{ratio}"
        )
    return 0


def generate(work, lines, share):
    path = f"{work}/{lines}-{share}.log"
    if os.path.exists(path):
        return path
    chance = random.Random(7)
    crawlers = list(CRAWLERS.values())
    browsers = [
        f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{major}.0.{build}.0 Safari/537.36"
        for system in ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7", "X11; Linux x86_64")
        for major in range(100, 143)
        for build in range(80)
    ]
    with open(f"{path}.new", "w") as file:
        for number in range(lines):
            second = number // 40
            header = chance.choice(crawlers if chance.random() < share else browsers)
            target = chance.choice(PATHS).format(chance.randrange(100_000))
            file.write(
                f"192.0.2.{chance.randrange(256)} - - [{10 + second // 86400 % 20:02}/Nov/2026:{second // 3600 % 24:02}:"
                f'{second // 60 % 60:02}:{second % 60:02} +0100] "GET {target} HTTP/1.1" 200 {chance.randrange(99999)} '
                f'"https://www.example.com/" "{header}"\n'
            )
    os.rename(f"{path}.new", path)
    return path


def by_script(robots, log):
    rules = urllib.robotparser.RobotFileParser()
    with open(robots) as file:
        rules.parse(file.read().splitlines())
    line = re.compile(r'\S+ \S+ \S+ \[[^\]]+\] "\S+ (\S+)[^"]*" \d+ \S+ "[^"]*" "([^"]*)"')
    counts = {}
    with open(log) as file:
        for text in file:
            path, header = line.match(text).groups()
            for name in CRAWLERS:
                if name in header:
                    count = counts.setdefault(name.lower(), [0, 0])
                    count[0] += 1
                    count[1] += path != "/robots.txt" and not rules.can_fetch(name, path)
                    break
    return counts


def by_audit(way, robots, log):
    """The counts, the seconds, those on a processor, and the largest memory in KiB.

    A way is a program, and with how many threads it runs.
    """
    program, *threads = way
    options = ["--json", "--progress", "never"] + [f"--threads={count}" for count in threads]
    command = [program, "audit", *options, robots, log]
    begun = time.perf_counter()
    ran = subprocess.Popen(command, stdout=subprocess.PIPE)
    out = ran.stdout.read()
    _, status, used = os.wait4(ran.pid, 0)
    seconds = time.perf_counter() - begun
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{command}: {status}")
    report = json.loads(out)
    counts = {
        crawler["token"].lower(): [crawler["requests"], crawler["forbidden"]] for crawler in report["crawlers"]
    }
    return counts, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss


if __name__ == "__main__":
    sys.exit(main())
