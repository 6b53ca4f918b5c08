#!/usr/bin/env python3
"""Draws the pictures of the manual: docs/images/drawing-*.svg, and advice-*.svg of what docs/performance.md advises,
with the figures of docs/performance-figures.md.

    scripts/dev/drawings.py            write them
    scripts/dev/drawings.py --check    fail if one is not what this would write

One SVG for each, narrow and with large letters, so that it can be read on a telephone; light and dark backgrounds both
work. Needs nothing but Python."""
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs/images"
WIDTH, BARS = 440, 400
SIZE, SMALL = 14, 13
STYLE = (".g{fill:#fff}.t{fill:#222}.m{fill:#555}.n{fill:#f3f4f6;stroke:#888}.y{fill:#dbeafe;stroke:#2563eb}"
         ".d{fill:#ffedd5;stroke:#c2410c}.l{stroke:#444;fill:none}.h{fill:#444}"
         "@media (prefers-color-scheme:dark){.g{fill:#161b22}.t{fill:#e6e6e6}.m{fill:#aaa}"
         ".n{fill:#21262d;stroke:#8b949e}.y{fill:#172b4d;stroke:#60a5fa}.d{fill:#43260f;stroke:#fb923c}"
         ".l{stroke:#bbb}.h{fill:#bbb}}")


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Drawing:
    """Boxes (n: neutral, y: the program's, d: the device's), arrows between places, and texts."""

    def __init__(self, name, title, height, kind="drawing", width=WIDTH):
        self.path = FOLDER / f"{kind}-{name}.svg"
        self.width, self.height = width, height
        self.parts = [f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
                      '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
                      'orient="auto-start-reverse"><path class="h" d="M0 0L10 5L0 10z"/></marker></defs>',
                      f'<rect class="g" width="{width}" height="{height}" rx="8"/>']

    def text(self, x, y, text, anchor="middle", kind="t", size=SIZE, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}"{weight}>'
                          f"{escape(text)}</text>")
        return self

    def box(self, x, y, width, height, lines="", kind="n", top=False):
        """The first line is bold; with top the lines stand there, else in the middle."""
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        lines = lines.split("\n") if lines else []
        first = y + 20 if top else y + height / 2 - 9 * (len(lines) - 1) + 5
        for i, line in enumerate(lines):
            self.text(x + width / 2, round(first + 18 * i, 1), line, bold=i == 0 and len(lines) > 1 or top and i == 0)
        return self

    def arrow(self, *points, label="", at=None, both=False, dashed=False, anchor="middle"):
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="l" d="{path}" stroke-width="1.6" marker-end="url(#a)"'
                          + (' marker-start="url(#a)"' if both else "")
                          + (' stroke-dasharray="5 4"' if dashed else "") + "/>")
        if label:
            (x1, y1), (x2, y2) = points[0], points[-1]
            x, y = at or ((x1 + x2) / 2, (y1 + y2) / 2 - 6)
            for i, line in enumerate(label.split("\n")):
                self.text(x, y + 16 * i, line, anchor=anchor, kind="m", size=SMALL)
        return self

    def line(self, *points):
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="l" d="{path}" stroke-width="1.6" stroke-dasharray="2 3"/>')
        return self

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" font-family="sans-serif" font-size="{SIZE}">\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def drawings():
    yield (Drawing("machine", "A host and its BlueField: control path and fast path", 330)
           .box(6, 10, 162, 310, "host", top=True).box(272, 10, 162, 310, "BlueField card", top=True)
           .text(220, 30, "PCIe", kind="m")
           .box(12, 45, 150, 44, "your program\nclient", "y")
           .box(278, 45, 150, 44, "your program\nserver", "y")
           .text(353, 109, "Arm cores: the DPU", kind="m", size=SMALL)
           .box(12, 125, 150, 44, "connection", "n").box(278, 125, 150, 44, "connection", "n")
           .arrow((162, 147), (278, 147), both=True)
           .text(220, 138, "control path", size=SMALL).text(220, 165, "up to 4 KB", size=SMALL, kind="m")
           .box(12, 190, 150, 118, "producer", "n", top=True).box(278, 190, 150, 118, "consumer", "n", top=True)
           .box(16, 222, 142, 72, "your bytes\nin registered\nmemory", "y")
           .box(282, 222, 142, 72, "posted buffer\nin registered\nmemory", "d")
           .arrow((158, 258), (282, 258))
           .text(220, 249, "fast path", size=SMALL).text(220, 276, "large payloads,", size=SMALL, kind="m")
           .text(220, 292, "no copy by you", size=SMALL, kind="m"))
    life = (Drawing("connection", "The life of a connection", 452)
            .box(4, 10, 140, 34, "client on the host", "y").box(250, 10, 148, 34, "server on the DPU", "y")
            .line((74, 44), (74, 440)).line((324, 44), (324, 440)))
    for y, direction, label in ((96, 1, "connect, by the server's name"), (136, 0, "both: onConnected"),
                                (176, 2, "messages, either way"), (222, -1, "a consumer runs: onConsumer"),
                                (262, 1, "payloads of the fast path"), (318, 1,
                                      "close(): what was sent arrives")):
        if direction == 0:
            life.text(199, y, label, bold=True)
        else:
            ends = ((74, y), (324, y))
            life.arrow(*(ends if direction > 0 else ends[::-1]), label=label, both=direction == 2)
    yield (life.text(331, 68, "start()", anchor="start", kind="m", size=SMALL)
           .text(331, 340, "onDisconnected", anchor="start", size=SMALL)
           .text(331, 357, "CLOSED", anchor="start", kind="m", size=SMALL)
           .text(199, 384, "or: the process dies", kind="m", size=SMALL).arrow((74, 396), (324, 396), dashed=True)
           .text(199, 418, "the other side notices by itself", kind="m", size=SMALL)
           .text(331, 418, "onDisconnected", anchor="start", size=SMALL)
           .text(331, 435, "LOST", anchor="start", kind="m", size=SMALL))
    yield (Drawing("progress", "Everything happens inside progress()", 300)
           .box(6, 20, 150, 66, "your loop\nwhile (running)\nengine.progress()", "y")
           .box(250, 20, 184, 66, "ProgressEngine\nlooks for one thing\nthat is ready", "n")
           .arrow((156, 42), (250, 42), label="calls")
           .arrow((250, 68), (156, 68), label="true:", at=(203, 84))
           .text(203, 104, "did something", kind="m", size=SMALL)
           .box(250, 140, 184, 150, "what can be ready", "d", top=True)
           .text(342, 184, "a message has arrived").text(342, 206, "a send has completed")
           .text(342, 228, "a payload has arrived").text(342, 250, "a peer came, or went")
           .text(342, 272, "a consumer, too")
           .arrow((342, 140), (342, 86))
           .box(6, 172, 150, 84, "your handler\non the same thread,\nbefore progress()\nreturns", "y")
           .arrow((250, 214), (156, 214), label="runs"))
    yield (Drawing("threads", "Whose thread it is", 318)
           .box(6, 10, 208, 298, "an engine of your own", top=True).box(226, 10, 208, 298, "an EventLoop", top=True)
           .box(18, 45, 184, 44, "your thread\nowns the engine", "y")
           .box(238, 45, 184, 44, "the loop's thread\nowns the engine", "d")
           .box(18, 120, 184, 48, "server, connection,\nproducer, consumer", "n").arrow((110, 89), (110, 120))
           .box(238, 120, 184, 48, "server, connection,\nproducer, consumer", "n").arrow((330, 89), (330, 120))
           .box(18, 215, 184, 44, "any other thread", "y").box(238, 215, 184, 44, "any other thread", "y")
           .arrow((48, 215), (48, 168), dashed=True, label="WrongThread-\nException", at=(58, 187), anchor="start")
           .arrow((256, 215), (256, 168), label="execute, call, close,\nsockets, RPC", at=(265, 187), anchor="start")
           .text(110, 282, "quickest: it spins", kind="m", size=SMALL)
           .text(330, 282, "sleeps while it is idle", kind="m", size=SMALL))
    yield (Drawing("buffer", "Who owns a buffer", 360)
           .box(130, 15, 136, 50, "in the inventory\nor pool", "n")
           .box(130, 140, 136, 56, "yours\nread and write it", "y")
           .box(130, 290, 136, 56, "in flight\nthe device's", "d")
           .arrow((150, 65), (150, 140), label="acquire", at=(142, 107), anchor="end")
           .arrow((246, 140), (246, 65), label="close, or back\nto the pool", at=(255, 99), anchor="start")
           .arrow((150, 196), (150, 290), label="trySend,\nenqueue, tryPost:\naccepted", at=(142, 232), anchor="end")
           .arrow((246, 290), (246, 196), label="sent, or received:\nyour handler runs", at=(255, 238), anchor="start")
           .arrow((266, 158), (314, 158), (314, 180), (266, 180), label="not accepted:\nstill yours", at=(321, 165),
                 anchor="start")
           .arrow((266, 318), (428, 318), (428, 40), (266, 40), dashed=True)
           .text(434, 338, "sent, with releaseSent()", anchor="end", kind="m", size=SMALL))
    yield (Drawing("memory", "Registered memory, buffers and access rights", 306)
           .box(6, 10, 428, 108, "MemoryMap: memory that a device may use", "n", top=True)
           .box(18, 45, 96, 58, "buffer\n4 KiB", "y").box(124, 45, 96, 58, "buffer\n4 KiB", "y")
           .box(230, 45, 192, 58, "not yet a buffer", "n")
           .text(122, 144, "a buffer is a window on the map", anchor="start", kind="m", size=SMALL)
           .box(6, 165, 208, 128, "your program", "y", top=True)
           .text(110, 212, "always reads and writes").text(110, 234, "segment(): the memory", kind="m", size=SMALL)
           .box(226, 165, 208, 128, "devices, as the map says", "d", top=True)
           .text(330, 206, "reads: always").text(330, 228, "writes here:", size=SMALL)
           .text(330, 244, "LOCAL_READ_WRITE", size=SMALL).text(330, 266, "the other machine, both:", size=SMALL)
           .text(330, 282, "PCI_READ_WRITE", size=SMALL)
           .arrow((104, 165), (104, 118)).arrow((348, 165), (348, 118)))
    yield (Drawing("back-pressure", "The two places where a send finds no room", 292)
           .box(6, 20, 140, 120, "producer", "n", top=True).box(294, 20, 140, 120, "consumer", "n", top=True)
           .box(13, 52, 126, 30, "task: in flight", "d").box(13, 92, 126, 30, "task: free", "y")
           .box(301, 52, 126, 30, "buffer: posted", "d").box(301, 92, 126, 30, "being read", "y")
           .arrow((139, 67), (301, 67), label="a send takes\none of each", at=(220, 42))
           .box(6, 175, 208, 104, "NO_TASK", "n", top=True)
           .text(110, 218, "all tasks here are in flight", size=SMALL)
           .text(110, 240, "your progress() frees them", size=SMALL)
           .text(110, 262, "raise: tasks(n)", size=SMALL, kind="m")
           .box(226, 175, 208, 104, "NO_RECEIVE", "n", top=True)
           .text(330, 218, "the peer posted no buffer", size=SMALL)
           .text(330, 240, "its handler posts it again", size=SMALL)
           .text(330, 262, "raise: buffers(n, size)", size=SMALL, kind="m")
           .arrow((76, 140), (76, 175), dashed=True).arrow((364, 140), (364, 175), dashed=True))
    yield (Drawing("closing", "What closing an object closes first", 330)
           .box(145, 10, 150, 40, "ProgressEngine", "n").box(30, 80, 140, 40, "server or client", "n")
           .box(290, 80, 130, 40, "Device", "n").box(30, 150, 140, 40, "connection", "n")
           .box(290, 150, 130, 40, "MemoryMap", "n")
           .box(6, 220, 104, 40, "producer", "n").box(130, 220, 104, 40, "consumer", "n")
           .box(290, 220, 130, 40, "Buffer", "y")
           .arrow((190, 50), (125, 80)).arrow((290, 100), (170, 100)).arrow((100, 120), (100, 150))
           .arrow((355, 120), (355, 150))
           .arrow((75, 190), (58, 220)).arrow((130, 190), (165, 220)).arrow((355, 190), (355, 220))
           .arrow((290, 178), (215, 220))
           .text(220, 294, "an arrow: closing this closes that first,", kind="m", size=SMALL)
           .text(220, 312, "and waits for what is in flight", kind="m", size=SMALL))


def bars(name, title, unit, *rows):
    """One bar for each (label, least, most, whether it is advised), to the middle of the range, which is told."""
    drawing = Drawing(name, title, 66 + 40 * len(rows), "advice", BARS)
    drawing.text(12, 24, title, anchor="start", size=15, bold=True)
    drawing.text(12, 44, unit, anchor="start", kind="m", size=SMALL)
    scale = 290 / max(most for _, _, most, _ in rows)
    for i, (label, least, most, advised) in enumerate(rows):
        y, width = 58 + 40 * i, round(scale * (least + most) / 2, 1)
        kind = "y" if advised else "n"
        drawing.parts.append(f'<rect class="{kind}" x="12" y="{y + 16}" width="{width}" height="16"/>')
        drawing.text(12, y + 11, label, anchor="start", size=SMALL)
        figure = f"{least:g}" if least == most else f"{least:g}–{most:g}"
        drawing.text(20 + width, y + 29, figure, anchor="start", size=SMALL, bold=advised)
    return drawing


def advice():
    yield bars("form", "What a message of 64 bytes takes", "ns from one to the next, two processes; lower is better",
               ("records, many in one message", 3, 7, True), ("slots", 18, 33, True), ("buffers", 24, 41, False),
               ("connections", 75, 190, False), ("sockets", 310, 330, False))
    yield bars("bursts", "Bursts of 32, or all 256 buffers first", "million messages per second, two Java processes",
               ("32 buffers, then take what has completed", 20.4, 20.8, True),
               ("all 256 buffers first", 17.9, 17.9, False))
    yield bars("progress", "Slots between two calls of progress", "million messages per second, to a consumer in C",
               ("64 slots, in one row", 45.8, 45.8, True), ("32 slots", 41.5, 41.5, False))
    yield bars("rows", "Rows of slots, or slot by slot", "million messages per second, 32 slots between two calls",
               ("claimMany, roundRobin()", 34, 36, True), ("claim", 30, 32, False),
               ("pollRows", 34, 36, True), ("poll", 29, 29, False))
    yield bars("immediate", "A consumer without immediate data", "million messages per second, pollRows",
               ("64 B, immediateLength(0)", 46.7, 46.7, True), ("64 B", 44.6, 44.6, False),
               ("1 KiB, immediateLength(0)", 29.4, 29.4, True), ("1 KiB", 28.3, 28.3, False))
    yield bars("records", "Records between two calls of progress()", "million records per second, Java",
               ("32 records; far cores", 95, 95, False),
               ("128, of which 113 fill a message; far cores", 174, 174, True),
               ("128; near cores", 335, 335, False), ("256: two messages; near cores", 365, 371, True))
    yield bars("wake", "A call, by what the server's loop is doing", "µs; lower is better",
               ("the next call of a busy caller, median", 0.9, 0.9, True),
               ("a call after 20 ms of silence, median", 157, 157, False))
    yield bars("cores", "Half a round trip, by where the cores are", "ns, slots, Java; lower is better",
               ("near cores", 83, 83, True), ("far cores", 189, 209, False))
    yield bars("barrier", "-XX:+UseSystemMemoryBarrier", "million messages per second, control path, 64 B",
               ("with it; far cores", 5.5, 5.5, True), ("without it; far cores", 4.6, 4.6, False))
    yield bars("heap", "A heap that is there from the start", "thousand messages of 4080 B per second, MessageSocket",
               ("-Xms as -Xmx, -XX:+AlwaysPreTouch", 980, 1240, True), ("while the heap grows", 250, 610, False))
    yield bars("start", "From start to end of a small program", "seconds of processor time; lower is better",
               ("with -XX:AOTCache", 0.26, 0.26, True), ("without", 0.45, 0.45, False))


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        print("usage: scripts/dev/drawings.py [--check]", file=sys.stderr)
        return 2
    faults = 0
    for drawing in [*drawings(), *advice()]:
        if not check:
            drawing.path.write_text(drawing.svg())
        elif not drawing.path.exists() or drawing.path.read_text() != drawing.svg():
            print(f"{drawing.path.name} is not what scripts/dev/drawings.py draws", file=sys.stderr)
            faults = 1
    return faults


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
