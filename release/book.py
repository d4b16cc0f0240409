#!/usr/bin/env python3
"""Builds the book of docs/ into target/book with mdBook, and checks that no link in it is broken.

    release/book.py

The page of the commands gets the help of each, which `cargo run` prints; the schemas of reports stand beside the pages.
The reference of the Python packages is made by reference.py.

Links that leave the book are made to lead to the repository on GitHub, and those to a README of the book to its
index.html. `mdbook serve docs` shows the same pages while you write; there, these links lead nowhere.
"""

import os
import posixpath
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import reference

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "target/book"
# The pages, with what the command says of itself.
SOURCE = ROOT / "target/book-source"
REPOSITORY = "https://github.com/robotsieve/robotsieve/blob/main/"
# Links between pages, of which mdBook makes HTML.
LINK = re.compile(r'(href=")(?![a-z]+:|/|#)([^"#]+)')


def outside(page, link):
    """The file of the repository that a link on a page leads to, if it leaves the book."""
    path = posixpath.normpath(posixpath.join("docs", page.parent.as_posix(), unquote(link)))
    if path.startswith("docs/") or path == "docs":
        return None
    # mdBook has made .html of .md.
    for candidate in (path, re.sub(r"\.html$", ".md", path), path.replace("/index.html", "/README.md")):
        if not candidate.startswith("../") and (ROOT / candidate).exists():
            return candidate
    return None


def said(*words):
    """What the command prints."""
    command = ["cargo", "run", "--quiet", "-p", "robotsieve-cli", "--features", "schema", "--", *words]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def write_source():
    """Copies docs/, with the help of each command on the page of the commands."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SOURCE)
    page = SOURCE / "commands.md"
    text = page.read_text()
    for name in re.findall(r"^\| `([a-z ]+)` \| ", text, re.MULTILINE):
        text = text.replace(f"\n| `{name}` | ", f"\n| [`{name}`](#{name.replace(' ', '-')}) | ")
        text += f"\n## {name}\n\n```text\n{said('help', *name.split()).rstrip()}\n```\n"
    page.write_text(text)
    (SOURCE / "report.schema.json").write_text(said("schema"))
    (SOURCE / "fetch.schema.json").write_text(said("schema", "fetch"))
    (SOURCE / "rights.schema.json").write_text(said("schema", "rights"))


def write_reference():
    """Adds the pages of the Python packages, with their stubs made as a build makes them."""
    stubs = ROOT / "target/book-python"
    shutil.rmtree(stubs, ignore_errors=True)
    (stubs / "robotsieve").mkdir(parents=True)
    (stubs / "robotsieve_fetch").mkdir()
    for crate, types, stub in [
        ("python", "_robotsieve.pyi", "robotsieve/_robotsieve.pyi"),
        ("python/fetch", "robotsieve_fetch.pyi", "robotsieve_fetch/__init__.pyi"),
    ]:
        command = ["cargo", "run", "--quiet", "-p", "robotsieve-python-stubs", "--", f"types/{types}", stub]
        environment = {**os.environ, "OUT_DIR": str(stubs)}
        subprocess.run(command, cwd=ROOT / crate, env=environment, check=True, stdout=subprocess.DEVNULL)
    folder = SOURCE / "python"
    folder.mkdir()
    for name, text in reference.pages(stubs).items():
        (folder / name).write_text(text)
    lines = "".join(f"  - [{module}](python/{module}.md)\n" for module in reference.MODULES)
    summary = SOURCE / "SUMMARY.md"
    before, after = summary.read_text().split("\n# How it works\n")
    summary.write_text(f"{before}- [The Python packages](python/README.md)\n{lines}\n# How it works\n{after}")


class Page(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, text):
        super().__init__()
        self.links, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def main():
    write_source()
    write_reference()
    try:
        subprocess.run(["mdbook", "build", SOURCE, "--dest-dir", BOOK], check=True)
    except FileNotFoundError:
        sys.exit("mdbook is missing: cargo install mdbook --version 0.5.4 --locked")
    pages = {}
    for file in BOOK.rglob("*.html"):
        page = file.relative_to(BOOK)

        def mended(match):
            found = outside(page, match[2])
            if found is not None:
                return f"{match[1]}{REPOSITORY}{found}"
            # mdBook calls a README index.html, except in links to it.
            return match[1] + re.sub(r"(^|/)README\.html", r"\1index.html", match[2])

        text = LINK.sub(mended, file.read_text())
        file.write_text(text)
        pages[page.as_posix()] = Page(text)
    broken = []
    for name, page in pages.items():
        # It is served for any address, so its links are absolute; and one page prints all others.
        if name in ("404.html", "print.html", "toc.html"):
            continue
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
            if not (BOOK / target).exists():
                broken.append(f"{name}: '{link}' leads nowhere")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                broken.append(f"{name}: '{link}': no such place on that page")
    if broken:
        sys.exit("\n".join(sorted(set(broken))))
    print(f"{len(pages)} pages in target/book, no broken link")


main()
