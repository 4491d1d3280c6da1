#!/usr/bin/python3
"""browser.py PAGE [OUT] - opens a page in headless Chromium and prints what a reader would meet, as one JSON object.

Keys: console (messages and errors), requests (addresses asked for, but for the page and data: ones), svg, img, alt (images with
a text), scripts, wide and screen (width of the page and of a phone's screen, in pixels), paper (by how many pixels the page is
wider than its sheet), colours (how many colours the screenshot has at least). With OUT it leaves OUT-desktop.png, OUT-dark.png,
OUT-phone.png and OUT.pdf.
Speaks the DevTools protocol over a pipe; needs nothing but Python and Chromium.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

OPTIONS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
           "--disable-component-update --disable-sync --hide-scrollbars --remote-debugging-pipe").split()

PAPER = 688  # A4 within the margins of report.css, in pixels of 1/96 inch


class Browser:
    def __init__(self, profile):
        down, self.to = os.pipe()
        self.come, up = os.pipe()

        def place():  # the browser reads 3 and writes 4
            a, b = os.dup(down), os.dup(up)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(["chromium", *OPTIONS, f"--user-data-dir={profile}"], preexec_fn=place, close_fds=False,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(down)
        os.close(up)
        self.n, self.session, self.events, self.rest = 0, None, [], b""

    def receive(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.come], [], [], max(0, until - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.come, 1 << 20)
            if not part:
                raise EOFError("the browser is gone")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **params):
        self.n += 1
        message = {"id": self.n, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.time() + 300
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.n:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        until = time.time() + 300
        while not any(e.get("method") == method for e in self.events):
            self.events.append(self.receive(until))

    def evaluate(self, text):
        return self.call("Runtime.evaluate", expression=text, returnByValue=True)["result"].get("value")

    def size(self, width, height, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def shot(self, whole=True):
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])


def colours(png):
    """Distinct bytes of a PNG's filtered pixels: a blank page has a handful."""
    data, at = b"", 8
    while at < len(png):
        n = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            data += png[at + 8:at + 8 + n]
        at += 12 + n
    return len(set(zlib.decompress(data)))


def look(browser, url, out):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable")
    browser.size(1280, 900)
    browser.call("Page.navigate", url=url)
    browser.wait("Page.loadEventFired")
    count = {k: browser.evaluate(f"document.querySelectorAll({q!r}).length")
             for k, q in (("svg", "svg"), ("img", "img"), ("alt", "img[alt]:not([alt=''])"), ("scripts", "script"))}
    height = browser.evaluate("document.documentElement.scrollHeight")
    browser.size(1280, min(height, 16000))
    desktop = browser.shot()
    browser.size(390, 844, phone=True)
    count["wide"] = browser.evaluate("document.documentElement.scrollWidth")
    count["screen"] = browser.evaluate("document.documentElement.clientWidth")
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.size(PAPER, 900)
    count["paper"] = browser.evaluate("document.documentElement.scrollWidth") - PAPER
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.size(390, 844, phone=True)
    if out:
        shots = {"phone": browser.shot()}
        browser.size(1280, min(height, 16000))
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        shots.update(desktop=desktop, dark=browser.shot())
        for name, png in shots.items():
            with open(f"{out}-{name}.png", "wb") as f:
                f.write(png)
        with open(out + ".pdf", "wb") as f:
            f.write(base64.b64decode(browser.call("Page.printToPDF", preferCSSPageSize=True)["data"]))
    console, requests = [], []
    for e in browser.events:
        p = e.get("params", {})
        if e.get("method") == "Log.entryAdded":
            console.append(p["entry"]["text"])
        elif e.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            console.append(json.dumps(p))
        elif e.get("method") == "Network.requestWillBeSent":
            asked = p["request"]["url"]
            if asked != url and not asked.startswith("data:"):
                requests.append(asked)
    return dict(count, console=console, requests=requests, colours=colours(desktop))


profile = tempfile.mkdtemp()
browser = Browser(profile)
try:
    print(json.dumps(look(browser, "file://" + os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")))
finally:
    browser.session = None
    try:
        browser.call("Browser.close")
    except (OSError, EOFError, TimeoutError):
        pass
    browser.process.wait(300)
    shutil.rmtree(profile, ignore_errors=True)
