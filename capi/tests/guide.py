"""Compiles and runs the C in docs/c.md, and the Python in docs/wasm.md, and compares what they print.

    guide.py FOLDER COMPILER...            the blocks of docs/c.md
    guide.py --wasm MODULE                 those of docs/wasm.md, with the interpreter that runs this

A block with a `main` is a program; the others are put into one, one after another, after what the page has shown before.
"""

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"

BEFORE = """
#include <stdio.h>
#include <string.h>
#include <robotsieve.h>

int main(void) {
    const char file[] = "User-agent: *\\nDisallow: /search\\n";
    size_t file_len = strlen(file);
    robotsieve_error error;
    robotsieve_crawler *crawler = robotsieve_crawler_named("MyCrawler", 9, ROBOTSIEVE_PROFILE_RFC9309, &error);
    robotsieve_robots *robots = robotsieve_robots_parse(file, file_len, ROBOTSIEVE_PROFILE_RFC9309, &error);
    robotsieve_policy *policy = robotsieve_policy_new(robots, crawler, &error);
"""
AFTER = """
    robotsieve_policy_free(policy);
    robotsieve_robots_free(robots);
    robotsieve_crawler_free(crawler);
}
"""


def blocks(page: str, language: str) -> list[tuple[str, str | None]]:
    """The blocks of a language, each with the text that follows it at once, which is what it prints."""
    found = re.findall(rf"^```{language}\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", (DOCS / page).read_text(), re.M | re.S)
    return [(block, printed or None) for block, printed in found]


def printed(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main() -> None:
    if sys.argv[1] == "--wasm":
        [(program, wanted)] = blocks("wasm.md", "python")
        assert printed(sys.executable, "-c", program, sys.argv[2]) == wanted
        print("docs/wasm.md: 1 program")
        return
    folder, compiler = Path(sys.argv[1]), sys.argv[2:]
    programs = [(block, wanted) for block, wanted in blocks("c.md", "c") if "int main" in block]
    parts = [block for block, _ in blocks("c.md", "c") if "int main" not in block]
    together = BEFORE + "".join(f"    {{\n{part}    }}\n" for part in parts) + AFTER
    programs.append((together, None))
    for number, (program, wanted) in enumerate(programs):
        source, made = folder / f"guide-{number}.c", folder / f"guide-{number}"
        source.write_text(program)
        # The compiler's libraries come after the source.
        subprocess.run([*compiler[:1], str(source), *compiler[1:], "-o", str(made)], check=True)
        out = printed(str(made))
        assert wanted is None or out == wanted, out
    lines = out.splitlines()
    assert lines[0] == "https://example.com/a" and lines[1] == "line 2 decides: /search", out
    assert lines[2].startswith('{"schema":') and lines[3] == "leave https://a.example/search?q=x", out
    print(f"docs/c.md: {len(programs) - 1} program, {len(parts)} parts")


main()
