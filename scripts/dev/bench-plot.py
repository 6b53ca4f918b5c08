#!/usr/bin/env python3
"""Draws the plots of docs/performance-figures.md from the results of scripts/bench.sh.

    scripts/dev/bench-plot.py target/bench/results.json... docs/images

Of several files of results, as of runs in which a hypervisor moved the cores, each point is the median of all. One SVG
for each plot, narrow and with large letters, so that they can be read on a telephone; light and dark backgrounds both
work. Needs nothing but Python."""
import json
import math
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from bench import SIZES, distances_of, have_moved

WIDTH, HEIGHT = 480, 400
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 52, 46
# Distinguishable without colours too, by the markers; from Okabe and Ito's palette.
STYLES = {
    "Java": ("#0072b2", "circle", ""),
    "C": ("#d55e00", "square", ""),
    "Aeron IPC": ("#009e73", "triangle", ""),
    "UCX": ("#cc79a7", "diamond", ""),
    "Unix socket": ("#8c6d00", "cross", ""),
    "memcpy": ("#777777", "none", "5 4"),
    "Java, slots": ("#56b4e9", "circle", "2 3"),
    "Java, control": ("#0072b2", "circle", "5 4"),
    "C, control": ("#d55e00", "square", "5 4"),
}
PERCENTILES = [(50, "p50"), (90, "p90"), (99, "p99"), (99.9, "p99_9"), (99.99, "p99_99")]


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Plot:
    """x and y on log or linear scales; series of points."""

    def __init__(self, title, x_label, y_label, x_ticks, log_x=True, log_y=True, y_text=None):
        self.title, self.x_label, self.y_label, self.x_ticks = title, x_label, y_label, x_ticks
        self.log_x, self.log_y = log_x, log_y
        self.y_text = y_text or si
        self.series = []

    def add(self, name, points):
        points = sorted(p for p in points if p[1] and p[1] > 0)
        if points:
            self.series.append((name, points))

    def y_range(self):
        values = [y for _, points in self.series for _, y in points]
        low, high = min(values), max(values)
        if self.log_y:
            return 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high) + 1e-9)
        return 0, high * 1.1

    def y_ticks(self, low, high):
        if self.log_y:
            decades = round(math.log10(high / low))
            factors = (1, 2, 5) if decades <= 2 else (1,)
            ticks = [10 ** (math.log10(low) + d) * f for d in range(decades + 1) for f in factors]
            return [t for t in ticks if low <= t <= high * 1.0001]
        step = 10 ** math.floor(math.log10(high))
        for factor in (0.1, 0.2, 0.25, 0.5, 1):
            if high / (step * factor) <= 6:
                step *= factor
                break
        return [step * i for i in range(int(high / step) + 1)]

    def svg(self):
        low, high = self.y_range()
        xs = [t for t, _ in self.x_ticks] + [x for _, points in self.series for x, _ in points]
        scale = math.log if self.log_x else float
        x0, x1 = scale(min(xs)), scale(max(xs))

        def px(x):
            return LEFT + 10 + (scale(x) - x0) / ((x1 - x0) or 1) * (WIDTH - LEFT - RIGHT - 20)

        def py(y):
            share = (math.log(y / low) / math.log(high / low)) if self.log_y else (y - low) / (high - low)
            return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

        legend_rows = (len(self.series) + 1) // 2
        height = HEIGHT + 22 * legend_rows + 6
        out = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="sans-serif" font-size="15">',
            f"<title>{escape(self.title)}</title>",
            "<style>.t{fill:#222}.g{stroke:#bbb;stroke-width:1}.b{fill:#fff}"
            "@media (prefers-color-scheme:dark){.t{fill:#ddd}.g{stroke:#555}.b{fill:#161b22}}</style>",
            f'<rect class="b" width="{WIDTH}" height="{height}"/>',
            f'<text class="t" x="12" y="22" font-size="17" font-weight="bold">{escape(self.title)}</text>',
            f'<text class="t" x="12" y="42" font-size="13">{escape(self.y_label)}</text>',
        ]
        for tick in self.y_ticks(low, high):
            y = py(tick)
            out.append(f'<line class="g" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
            out.append(f'<text class="t" x="{LEFT - 6}" y="{y + 5:.1f}" text-anchor="end">{self.y_text(tick)}</text>')
        for value, label in self.x_ticks:
            out.append(
                f'<text class="t" x="{px(value):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{label}</text>'
            )
        out.append(
            f'<text class="t" x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle" font-size="13">'
            f'{escape(self.x_label)}</text>'
        )
        for number, (name, points) in enumerate(self.series):
            colour, marker, dash = STYLES[name]
            line = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points)
            style = f' stroke-dasharray="{dash}"' if dash else ""
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"{style}/>')
            out += [shape(marker, px(x), py(y), colour) for x, y in points]
            lx, ly = 20 + (number % 2) * (WIDTH // 2 - 10), HEIGHT + 16 + 22 * (number // 2)
            out.append(
                f'<line x1="{lx}" y1="{ly - 5}" x2="{lx + 30}" y2="{ly - 5}" stroke="{colour}"'
                f' stroke-width="2.5"{style}/>'
            )
            out.append(shape(marker, lx + 15, ly - 5, colour))
            out.append(f'<text class="t" x="{lx + 38}" y="{ly}">{escape(name)}</text>')
        out.append("</svg>")
        return "\n".join(out) + "\n"


def shape(marker, x, y, colour):
    fill = f'fill="{colour}"'
    if marker == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {fill}/>'
    if marker == "square":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" {fill}/>'
    if marker == "triangle":
        return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" {fill}/>'
    if marker == "diamond":
        return f'<path d="M{x:.1f} {y - 6:.1f}l5 6l-5 6l-5-6z" {fill}/>'
    if marker == "cross":
        return f'<path d="M{x - 4:.1f} {y - 4:.1f}l8 8m0-8l-8 8" stroke="{colour}" stroke-width="2.5"/>'
    return ""


def si(value):
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def duration(ns):
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit:
            return f"{ns / unit:g} {name}"
    return f"{ns:g} ns"


def size(value):
    return (
        f"{value >> 20}M"
        if value >= 1 << 20
        else f"{value >> 10}K"
        if value >= 1024 and value % 1024 == 0
        else str(value)
    )


class Results:
    def __init__(self, rows):
        self.rows = rows

    def points(self, impl, work, form, x="size", y="value", deep=True):
        """Medians by x, of one producer; of several depths the deepest."""
        groups = {}
        for row in self.rows:
            if row.get("producers", 1) != 1:
                continue
            if row["impl"] == impl and row["work"] == work and row["form"] == form and row.get(y):
                groups.setdefault(row[x], {}).setdefault(row["depth"] if deep else 0, []).append(row[y])
        return [(key, statistics.median(depths[max(depths)])) for key, depths in groups.items()]


PEERS = (
    ("aeron", "aeron", "Aeron IPC"),
    ("unix", "unix", "Unix socket"),
    ("ucx", "fast", "UCX"),
    ("ucx", "ucx", "UCX"),
)


def add_throughput(plot, results, form, field):
    for impl, name in (("java", "Java"), ("c", "C")):
        plot.add(name, results.points(impl, "fast", form, y=field))
        plot.add(name + ", control", results.points(impl, "control", form, y=field))
    plot.add("Java, slots", results.points("java", "flat", form, y=field))
    merged = {}
    for impl, work, name in PEERS:
        for x, y in results.points(impl, work, form, y=field):
            merged.setdefault(name, {})[x] = y
    for name, points in merged.items():
        plot.add(name, list(points.items()))


def draw(results):
    distances = distances_of(results.rows)
    apart = f"; cores {statistics.median(distances):.0f} ns apart" if distances else ""
    plots = {}
    for form, title in (("threads", "two threads"), ("processes", "two processes")):
        sizes = sorted({r["size"] for r in results.rows if r["form"] == form}.intersection(SIZES["fast"]))
        ticks = [(s, size(s)) for s in sizes]
        y_label = f"messages/s; higher is better{apart}"
        rate = Plot(f"Messages per second, {title}", "bytes in a message", y_label, ticks)
        add_throughput(rate, results, form, "value")
        plots[f"throughput-{form}"] = rate
        y_label = f"bytes/s; higher is better{apart}"
        volume = Plot(f"Bytes per second, {title}", "bytes in a message", y_label, ticks)
        add_throughput(volume, results, form, "bytes_per_s")
        copied = results.points("memcpy", "memcpy", "processes", y="bytes_per_s")
        if form == "processes" and copied and len(sizes) > 1:
            volume.add("memcpy", [(sizes[0], copied[0][1]), (sizes[-1], copied[0][1])])
        plots[f"bandwidth-{form}"] = volume
    latency = Plot(
        "Round trip of 64 bytes, two processes",
        "percentile, corrected for coordinated omission",
        f"time; lower is better{apart}",
        [(i + 1, f"{p:g}") for i, (p, _) in enumerate(PERCENTILES)],
        log_x=False,
        y_text=duration,
    )
    for impl, work, name in (
        ("java", "flat-rtt", "Java, slots"),
        ("java", "fast-rtt", "Java"),
        ("c", "fast-rtt", "C"),
        ("java", "control-rtt", "Java, control"),
        ("c", "control-rtt", "C, control"),
        ("aeron", "aeron-rtt", "Aeron IPC"),
        ("unix", "unix-rtt", "Unix socket"),
    ):
        points = []
        for i, (_, field) in enumerate(PERCENTILES):
            values = [
                r[field]
                for r in results.rows
                if r["impl"] == impl
                and r["work"] == work
                and r["form"] == "processes"
                and r["size"] == 64
                and r.get(field)
            ]
            if values:
                points.append((i + 1, statistics.median(values)))
        latency.add(name, points)
    plots["latency"] = latency
    counts = sorted({r["connections"] for r in results.rows if r["work"] == "idle"})
    idle = Plot(
        "A server's progress with idle connections",
        "connections",
        "ns per call; lower is better",
        [(c, str(c)) for c in counts],
        log_y=False,
    )
    for impl, name in (("java", "Java"), ("c", "C")):
        idle.add(name, results.points(impl, "idle", "one", x="connections"))
    plots["connections"] = idle
    return plots


def at_the_usual_distance(rows):
    """Those where most were made: figures do not compare when a hypervisor has moved the cores in between."""
    distances = distances_of(rows)
    if not distances:
        return rows
    usual = max(distances, key=lambda d: sum(not have_moved([d, other]) for other in distances))
    return [row for row in rows if not have_moved([usual, row.get("cores_ns")])]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rows = []
    for path in sys.argv[1:-1]:
        with open(path) as file:
            rows += json.load(file)["results"]
    here = at_the_usual_distance(rows)
    if len(here) < len(rows):
        print(f"{len(rows) - len(here)} of {len(rows)} figures are of other distances between the cores, and left out")
    results = Results(here)
    os.makedirs(sys.argv[-1], exist_ok=True)
    for name, plot in draw(results).items():
        path = os.path.join(sys.argv[-1], name + ".svg")
        if not plot.series or len(plot.x_ticks) < 2:
            print(f"not drawn, no figures: {name}")
            continue
        with open(path, "w") as file:
            file.write(plot.svg())
        print(path)


if __name__ == "__main__":
    main()
