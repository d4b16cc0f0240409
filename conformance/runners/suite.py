"""What the runners in Python share: it reads the cases, asks, and prints `id<TAB>answer` for each.

An answer is allow, disallow, invalid (the parser refuses the URL), or `?` with the reason why the case cannot be asked.
"""

import base64
import json
import sys


def field(case, name):
    return case[name].encode() if name in case else base64.b64decode(case[f"{name}_base64"])


def run(judge, takes=str):
    """`judge(robots, name, url)` says whether the URL is allowed. `takes` is what it wants of a file: str or bytes."""
    for case in json.load(open(sys.argv[1], encoding="utf-8"))["cases"]:
        print(case["id"], answer(case, judge, takes), sep="\t")


def answer(case, judge, takes):
    if len(case.get("crawler", ())) != 1:
        return "? takes one name"
    try:
        robots, url = field(case, "robots"), field(case, "url").decode()
        robots = robots if takes is bytes else robots.decode()
    except UnicodeDecodeError:
        return "? takes text"
    try:
        return "allow" if judge(robots, case["crawler"][0], url) else "disallow"
    except Exception as error:
        return f"? {type(error).__name__}"
