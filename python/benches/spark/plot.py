"""The charts of docs/guide-scale.md, from what `run.py --json` wrote.

    python python/benches/spark/plot.py ONE_CORE.json TWO_CORES.json ALL.json docs/plots

ALL.json is of all measurements; the others may have fewer, of the same number of rows.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

WIDTH, BAR, GAP, LEFT, RIGHT = 720, 20, 8, 250, 70
COLOURS = ("#7a9cc6", "#1f4e8c")


def main() -> None:
    *runs, folder = sys.argv[1:]
    *found, every = (json.loads(Path(run).read_text()) for run in runs)
    names = ["identity", "packs, one crawler", "packs, 50 crawlers", "shuffled, identity", "joined"]
    bars = [
        (f"{name}, {run['cores']} core{'s' * (run['cores'] > 1)}", run["rates"][name] / 1e6, number)
        for name in names
        for number, run in enumerate(found)
        if name in run["rates"]
    ]
    chart(Path(folder) / "spark-cores.svg", f"million URLs a second, of {found[0]['rows'] / 1e6:.0f} million", bars)
    skewed = ["joined", "joined, one host 30 %", "the same, not divided"]
    seconds = [(name, every["rows"] / every["rates"][name], 1) for name in skewed]
    chart(Path(folder) / "spark-skew.svg", f"seconds for {every['rows'] / 1e6:.0f} million URLs", seconds)


def chart(path: Path, title: str, bars: list[tuple[str, float, int]]) -> None:
    """Horizontal bars with their numbers."""
    most = max(value for _, value, _ in bars)
    height = 40 + len(bars) * (BAR + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20" font-weight="bold">{title}</text>',
    ]
    for number, (name, value, colour) in enumerate(bars):
        top = 32 + number * (BAR + GAP)
        width = (WIDTH - LEFT - RIGHT) * value / most
        middle = top + BAR * 0.72
        lines.append(f'<text x="{LEFT - 8}" y="{middle:.0f}" text-anchor="end">{name}</text>')
        lines.append(
            f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}" fill="{COLOURS[colour]}"/>'
        )
        shown = f"{value:.2f}" if most < 10 else f"{value:.0f}"
        lines.append(f'<text x="{LEFT + width + 6:.1f}" y="{middle:.0f}">{shown}</text>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n")


if __name__ == "__main__":
    main()
