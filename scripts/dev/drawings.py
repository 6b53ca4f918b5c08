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
WIDTH = 520
STYLE = (".g{fill:#fff}.t{fill:#222}.m{fill:#555}.n{fill:#f3f4f6;stroke:#888}.y{fill:#dbeafe;stroke:#2563eb}"
         ".d{fill:#ffedd5;stroke:#c2410c}.l{stroke:#444;fill:none}.h{fill:#444}"
         "@media (prefers-color-scheme:dark){.g{fill:#161b22}.t{fill:#e6e6e6}.m{fill:#aaa}"
         ".n{fill:#21262d;stroke:#8b949e}.y{fill:#172b4d;stroke:#60a5fa}.d{fill:#43260f;stroke:#fb923c}"
         ".l{stroke:#bbb}.h{fill:#bbb}}")


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


class Drawing:
    """Boxes (n: neutral, y: the program's, d: the device's), arrows between places, and texts."""

    def __init__(self, name, title, height, kind="drawing"):
        self.path = FOLDER / f"{kind}-{name}.svg"
        self.height = height
        self.parts = [f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>",
                      '<defs><marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
                      'orient="auto-start-reverse"><path class="h" d="M0 0L10 5L0 10z"/></marker></defs>',
                      f'<rect class="g" width="{WIDTH}" height="{height}" rx="8"/>']

    def text(self, x, y, text, anchor="middle", kind="t", size=14, bold=False):
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
                self.text(x, y + 16 * i, line, anchor=anchor, kind="m", size=13)
        return self

    def line(self, *points):
        path = "M" + "L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path class="l" d="{path}" stroke-width="1.6" stroke-dasharray="2 3"/>')
        return self

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height}" '
                f'viewBox="0 0 {WIDTH} {self.height}" font-family="sans-serif" font-size="14">\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def drawings():
    yield (Drawing("machine", "A host and its BlueField: control path and fast path", 330)
           .box(10, 10, 200, 310, "host", top=True).box(310, 10, 200, 310, "BlueField card", top=True)
           .text(260, 30, "PCIe", kind="m")
           .box(20, 45, 180, 44, "your Java program\nclient", "y")
           .box(320, 45, 180, 44, "your Java program\nserver", "y")
           .text(410, 109, "on its Arm cores, the DPU", kind="m", size=13)
           .box(20, 125, 180, 44, "connection", "n").box(320, 125, 180, 44, "connection", "n")
           .arrow((200, 147), (320, 147), both=True)
           .text(260, 138, "control path", size=13).text(260, 165, "up to 4 KB", size=12, kind="m")
           .box(20, 190, 180, 118, "producer", "n", top=True).box(320, 190, 180, 118, "consumer", "n", top=True)
           .box(30, 222, 160, 72, "registered memory\nyour bytes, in place", "y")
           .box(330, 222, 160, 72, "registered memory\na posted buffer", "d")
           .arrow((190, 258), (330, 258))
           .text(260, 249, "fast path", size=13).text(260, 276, "large payloads,", size=12, kind="m")
           .text(260, 291, "no copy by you", size=12, kind="m"))
    life = (Drawing("connection", "The life of a connection", 452)
            .box(60, 10, 150, 34, "client on the host", "y").box(310, 10, 150, 34, "server on the DPU", "y")
            .line((135, 44), (135, 440)).line((385, 44), (385, 440)))
    for y, direction, label in ((96, 1, "connect, by the server's name"), (136, 0, "both: onConnected"),
                                (176, 2, "messages, either way"), (222, -1, "a consumer runs: onConsumer"),
                                (262, 1, "payloads of the fast path"), (318, 1,
                                      "close(): what was sent still arrives")):
        if direction == 0:
            life.text(260, y, label, bold=True)
        else:
            ends = ((135, y), (385, y))
            life.arrow(*(ends if direction > 0 else ends[::-1]), label=label, both=direction == 2)
    yield (life.text(395, 68, "start()", anchor="start", kind="m", size=13)
           .text(395, 340, "onDisconnected", anchor="start", size=13)
           .text(395, 357, "CLOSED", anchor="start", kind="m", size=13)
           .text(260, 384, "or: the process dies", kind="m", size=13).arrow((135, 396), (385, 396), dashed=True)
           .text(260, 418, "the other side notices by itself", kind="m", size=13)
           .text(395, 418, "onDisconnected", anchor="start", size=13)
           .text(395, 435, "LOST", anchor="start", kind="m", size=13))
    yield (Drawing("progress", "Everything happens inside progress()", 300)
           .box(10, 20, 190, 66, "your loop\nwhile (running)\nengine.progress()", "y")
           .box(290, 20, 220, 66, "ProgressEngine\nlooks for one thing\nthat is ready", "n")
           .arrow((200, 42), (290, 42), label="calls")
           .arrow((290, 68), (200, 68), label="true:", at=(245, 84)).text(245, 104, "did something", kind="m", size=13)
           .box(290, 140, 220, 150, "what can be ready", "d", top=True)
           .text(400, 184, "a message has arrived").text(400, 206, "a send has completed")
           .text(400, 228, "a payload is in a buffer").text(400, 250, "a peer came, or went")
           .text(400, 272, "a consumer came, or went")
           .arrow((400, 140), (400, 86))
           .box(10, 180, 190, 66, "your handler\non the same thread,\nbefore progress() returns", "y")
           .arrow((290, 214), (200, 214), label="runs"))
    yield (Drawing("threads", "Whose thread it is", 318)
           .box(10, 10, 240, 298, "an engine of your own", top=True).box(270, 10, 240, 298, "an EventLoop", top=True)
           .box(30, 45, 200, 44, "your thread\nowns the engine", "y")
           .box(290, 45, 200, 44, "the loop's thread\nowns the engine", "d")
           .box(30, 120, 200, 48, "server, connection,\nproducer, consumer", "n").arrow((130, 89), (130, 120))
           .box(290, 120, 200, 48, "server, connection,\nproducer, consumer", "n").arrow((390, 89), (390, 120))
           .box(30, 215, 200, 44, "any other thread", "y").box(290, 215, 200, 44, "any other thread", "y")
           .arrow((60, 215), (60, 168), dashed=True, label="WrongThread-\nException", at=(70, 187), anchor="start")
           .arrow((322, 215), (322, 168), label="execute, call, close,\nsockets, RPC", at=(332, 187), anchor="start")
           .text(130, 282, "quickest: it spins", kind="m", size=13)
           .text(390, 282, "sleeps while it is idle", kind="m", size=13))
    yield (Drawing("buffer", "Who owns a buffer", 360)
           .box(140, 15, 150, 50, "in the inventory\nor pool", "n")
           .box(140, 140, 150, 56, "yours\nread and write it", "y")
           .box(140, 290, 150, 56, "in flight\nthe device's", "d")
           .arrow((165, 65), (165, 140), label="acquire", at=(157, 107), anchor="end")
           .arrow((265, 140), (265, 65), label="close, or back\nto the pool", at=(275, 99), anchor="start")
           .arrow((165, 196), (165, 290), label="trySend,\nenqueue, tryPost:\naccepted", at=(157, 232), anchor="end")
           .arrow((265, 290), (265, 196), label="sent, or received:\nyour handler runs", at=(275, 238), anchor="start")
           .arrow((290, 158), (345, 158), (345, 180), (290, 180), label="not accepted:\nstill yours", at=(353, 165),
                 anchor="start")
           .arrow((290, 318), (465, 318), (465, 40), (290, 40), dashed=True)
           .text(378, 338, "sent, with releaseSent()", kind="m", size=13))
    yield (Drawing("memory", "Registered memory, buffers and access rights", 306)
           .box(10, 10, 500, 108, "MemoryMap: memory that a device may use", "n", top=True)
           .box(25, 45, 110, 58, "buffer\n4 KiB", "y").box(145, 45, 110, 58, "buffer\n4 KiB", "y")
           .box(265, 45, 230, 58, "not yet a buffer", "n")
           .text(138, 144, "a buffer is a window on the map", anchor="start", kind="m", size=13)
           .box(10, 165, 240, 128, "your program", "y", top=True)
           .text(130, 212, "always reads and writes").text(130, 234, "segment(): the memory itself", kind="m", size=13)
           .box(270, 165, 240, 128, "devices: as the map allows", "d", top=True)
           .text(390, 208, "reads: always").text(390, 230, "writes here: LOCAL_READ_WRITE", size=13)
           .text(390, 252, "the other machine reads and", size=13).text(390, 270, "writes: PCI_READ_WRITE", size=13)
           .arrow((120, 165), (120, 118)).arrow((390, 165), (390, 118)))
    yield (Drawing("back-pressure", "The two places where a send finds no room", 292)
           .box(10, 20, 150, 120, "producer", "n", top=True).box(350, 20, 160, 120, "consumer", "n", top=True)
           .box(25, 52, 120, 30, "task: in flight", "d").box(25, 92, 120, 30, "task: free", "y")
           .box(365, 52, 130, 30, "buffer: posted", "d").box(365, 92, 130, 30, "being read", "y")
           .arrow((145, 67), (365, 67), label="a send takes one of each")
           .box(10, 175, 240, 104, "NO_TASK", "n", top=True)
           .text(130, 218, "all tasks of this side are in flight", size=13)
           .text(130, 240, "your progress() frees them", size=13)
           .text(130, 262, "raise: tasks(n)", size=13, kind="m")
           .box(270, 175, 240, 104, "NO_RECEIVE", "n", top=True)
           .text(390, 218, "the peer has no buffer posted", size=13)
           .text(390, 240, "its handler returns: posted again", size=13)
           .text(390, 262, "raise: buffers(n, size)", size=13, kind="m")
           .arrow((85, 140), (85, 175), dashed=True).arrow((430, 140), (430, 175), dashed=True))
    yield (Drawing("closing", "What closing an object closes first", 330)
           .box(185, 10, 150, 40, "ProgressEngine", "n").box(70, 80, 150, 40, "server or client", "n")
           .box(340, 80, 150, 40, "Device", "n").box(70, 150, 150, 40, "connection", "n")
           .box(340, 150, 150, 40, "MemoryMap", "n")
           .box(20, 220, 110, 40, "producer", "n").box(160, 220, 110, 40, "consumer", "n")
           .box(340, 220, 150, 40, "Buffer", "y")
           .arrow((230, 50), (165, 80)).arrow((340, 100), (220, 100)).arrow((145, 120), (145, 150))
           .arrow((415, 120), (415, 150))
           .arrow((110, 190), (80, 220)).arrow((180, 190), (205, 220)).arrow((415, 190), (415, 220))
           .arrow((340, 178), (255, 220))
           .text(260, 294, "an arrow: closing this closes that first,", kind="m", size=13)
           .text(260, 312, "and waits for what is in flight", kind="m", size=13))


def bars(name, title, unit, *rows):
    """One bar for each (label, least, most, whether it is advised), to the middle of the range, which is told."""
    drawing = Drawing(name, title, 66 + 40 * len(rows), "advice")
    drawing.text(12, 24, title, anchor="start", size=15, bold=True)
    drawing.text(12, 44, unit, anchor="start", kind="m", size=13)
    scale = 330 / max(most for _, _, most, _ in rows)
    for i, (label, least, most, advised) in enumerate(rows):
        y, width = 58 + 40 * i, round(scale * (least + most) / 2, 1)
        kind = "y" if advised else "n"
        drawing.parts.append(f'<rect class="{kind}" x="12" y="{y + 16}" width="{width}" height="16"/>')
        drawing.text(12, y + 11, label, anchor="start", size=13)
        figure = f"{least:g}" if least == most else f"{least:g}–{most:g}"
        drawing.text(20 + width, y + 29, figure, anchor="start", size=13, bold=advised)
    return drawing


def advice():
    yield bars("form", "What one message of 64 bytes takes, two processes", "ns from one to the next; lower is better",
               ("records, many in one message", 3, 7, True), ("slots", 18, 33, True), ("buffers", 24, 41, False),
               ("connections", 75, 190, False), ("sockets", 310, 330, False))
    yield bars("bursts", "Bursts of 32, or all 256 buffers first", "million messages per second, two Java processes",
               ("32 buffers, then take what has completed", 20.4, 20.8, True),
               ("all 256 buffers first", 17.9, 17.9, False))
    yield bars("progress", "Slots between two calls of progress", "million messages per second, to a consumer in C",
               ("64 slots, in one row", 45.8, 45.8, True), ("32 slots", 41.5, 41.5, False))
    yield bars("rows", "Rows of slots, or slot by slot", "million messages per second, 32 slots between two calls",
               ("claimMany, inTurn()", 34, 36, True), ("claim", 30, 32, False),
               ("pollRows", 34, 36, True), ("poll", 29, 29, False))
    yield bars("immediate", "A consumer without immediate data", "million messages per second, pollRows",
               ("64 B, immediateLength(0)", 46.7, 46.7, True), ("64 B", 44.6, 44.6, False),
               ("1 KiB, immediateLength(0)", 29.4, 29.4, True), ("1 KiB", 28.3, 28.3, False))
    yield bars("records", "Records between two calls of RecordWriter.progress()", "million records per second, Java",
               ("32 records; far cores", 95, 95, False),
               ("128, of which 113 fill a message; far cores", 174, 174, True),
               ("128; near cores", 335, 335, False), ("256: two messages; near cores", 365, 371, True))
    yield bars("wake", "A call, by what the server's loop is doing", "µs; lower is better",
               ("the next call of a busy caller, median", 6.12, 6.46, True),
               ("a call after 20 ms of silence", 200, 200, False))
    yield bars("cores", "Half a round trip in slots, by where the cores are", "ns, Java; lower is better",
               ("near cores", 83, 83, True), ("far cores", 189, 209, False))
    yield bars("barrier", "-XX:+UseSystemMemoryBarrier, control path, 64 B", "million messages per second, far cores",
               ("with", 5.5, 5.5, True), ("without", 4.6, 4.6, False))
    yield bars("heap", "A heap that is there from the start", "thousand messages of 4080 B per second, ComchSocket",
               ("-Xms as -Xmx, -XX:+AlwaysPreTouch", 980, 1240, True), ("while the heap grows", 250, 610, False))
    yield bars("start", "From start to end of a small program", "seconds of processor time; lower is better",
               ("with -XX:AOTCache", 0.26, 0.26, True), ("without", 0.45, 0.45, False))


def main(arguments):
    check = arguments == ["--check"]
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
