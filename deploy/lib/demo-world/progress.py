"""Progress: one line that moves on a terminal, plain lines now and then elsewhere."""

import sys
import time

WIDTH = 28


class Line:
    """Texts that replace one another. Where nobody watches, one of them is printed each so many seconds, and the last."""

    def __init__(self, seconds=5.0):
        self.moves = sys.stdout.isatty()
        self.seconds, self.shown, self.last = seconds, time.monotonic(), ""

    def show(self, text):
        self.last = text
        if self.moves:
            print(f"\r{text}\x1b[K", end="", flush=True)
        elif time.monotonic() - self.shown >= self.seconds:
            self.shown = time.monotonic()
            print(text, flush=True)
            self.last = ""

    def end(self, text=None):
        text = text or self.last
        if self.moves:
            print(f"\r{text}\x1b[K", flush=True)
        elif text:
            print(text, flush=True)


def bar(share):
    full = round(WIDTH * share)
    return f"[{'█' * full}{'·' * (WIDTH - full)}] {100 * share:3.0f} %"
