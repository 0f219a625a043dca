#!/usr/bin/env python3
"""A report in a real browser: Debian's chromium, driven through chromium-driver on loopback.

usage: report_browser.py PROGRAM [--keep FOLDER]

Trains a tiny run on pictures whose class and file names are hostile, writes its report and checks that
the page shows pictures under the pointer, toggles layers, exports names that `name --from` takes, runs
nothing that it should not, says nothing on the console and asks nobody for anything. --keep leaves
screenshots (wide, phone, dark, without scripts, printed) in FOLDER. Standard library only.
Exit code 77: no browser here.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zlib

SKIPPED = 77
EVIL_CLASS = "<img src=x onerror=alert(1)>"  # a folder, so without a slash
EVIL_NAME = "<script>alert(1)</script>"
EVIL_FILE = "a\x1b[31m\"><img src=x onerror=alert(2)>\n.png"


def png(colour, size=16):
    """A picture of one colour with a stripe that depends on it."""
    rows = b"".join(
        b"\0" + b"".join(bytes(c // 2 if (x + y * colour[0]) % 7 == 0 else c for c in colour) for x in range(size))
        for y in range(size))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def make_pictures(root):
    """Four classes of pictures, one of each kind of colour; the second class and one file are hostile."""
    colours = {"red": (220, 40, 40), EVIL_CLASS: (40, 200, 60), "blue": (40, 60, 220), "grey": (128, 128, 128)}
    for name, colour in colours.items():
        folder = root / name
        folder.mkdir(parents=True)
        for i in range(30):
            file = EVIL_FILE if (name, i) == ("grey", 0) else f"{i:02}.png"
            (folder / file).write_bytes(png(tuple(min(255, c + i) for c in colour)))


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def train(program, folder):
    make_pictures(folder / "pictures")
    run([program, "train", folder / "pictures", "--known", "2", "--labeled-ratio", "0.5", "-o", folder / "run",
         "--image-size", "16", "--width", "8", "--crop", "0", "--classes", "4", "--freeze-until", "none",
         "--prototypes", "12", "--warm-epochs", "1", "--grouping-epochs", "2", "--epochs", "4", "--batch", "32",
         "--quiet"])
    return folder / "run"


def make_report(program, folder):
    said = json.loads(run([program, "report", folder, "--map-points", "60", "--json", "--quiet"]))
    return pathlib.Path(said["page"])


class Browser:
    """One session of chromium, through WebDriver's own words."""

    def __init__(self, downloads, driver, scripts=True, dark=False):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen([driver, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.wait_for_driver()
        preferences = {"download.default_directory": str(downloads)}
        if not scripts:
            preferences["profile.managed_default_content_settings.javascript"] = 2
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     f"--user-data-dir={downloads}/profile-{port}"]
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments, "prefs": preferences},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.root += "/session/" + answer["sessionId"]
        if dark:
            self.devtools("Emulation.setEmulatedMedia",
                          {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def wait_for_driver(self):
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        sys.exit("chromium-driver does not answer")

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.root + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {json.load(error)['value']['message']}")

    def devtools(self, command, parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, page, width=1280, height=900):
        self.devtools("Emulation.setDeviceMetricsOverride",
                      {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.call("POST", "/url", {"url": page.as_uri()})

    def script(self, text):
        return self.call("POST", "/execute/sync", {"script": text, "args": []})

    def find(self, selector):
        return next(iter(self.call("POST", "/element", {"using": "css selector", "value": selector}).values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def move_to(self, x, y):
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {
            "pointerType": "mouse"}, "actions": [{"type": "pointerMove", "duration": 0, "x": x, "y": y}]}]})

    def log(self, kind):
        return self.call("POST", "/se/log", {"type": kind})

    def requests(self, page):
        """Addresses that the page asked for; the browser's own pages ask for theirs."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        asked = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
        return [request["request"]["url"] for request in asked if request["documentURL"].startswith(page.as_uri())]

    def picture(self, file):
        size = self.devtools("Page.getLayoutMetrics", {})["cssContentSize"]
        shot = self.devtools("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": {
            "x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}})
        file.write_bytes(base64.b64decode(shot["data"]))

    def print(self, file):
        file.write_bytes(base64.b64decode(self.devtools("Page.printToPDF", {"printBackground": True})["data"]))


def check(fact, claim):
    if not fact:
        sys.exit(f"FAILED: {claim}")
    print(f"ok: {claim}")


def hover_map(browser):
    place = browser.script("""
        const svg = document.querySelector('.plane svg');
        svg.scrollIntoView({behavior: 'instant', block: 'center'});
        const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
        const point = JSON.parse(document.getElementById('map-data').textContent).points[7];
        return [Math.round(box.left + point[0] * scale), Math.round(box.top + point[1] * scale)];""")
    browser.move_to(*place)
    shown = browser.script("""
        const tip = document.getElementById('map-tip'), picture = tip.querySelector('img');
        return {hidden: tip.hidden, text: tip.textContent, width: picture.naturalWidth, left: picture.style.left};""")
    check(not shown["hidden"] and shown["text"], f"hovering the map shows {shown['text']!r}")
    check(shown["width"] > 0 and shown["left"].endswith("px"), "the picture under the pointer is there")
    browser.move_to(1, 1)
    check(browser.script("return document.getElementById('map-tip').hidden"), "and goes when the pointer leaves")


def toggle_layer(browser):
    layer = browser.script("return document.querySelector('.map .legend button').dataset.toggles")
    look = f"return getComputedStyle(document.querySelector('[data-layer=\"{layer}\"]')).display"
    browser.script("document.querySelector('.map .legend button').click()")
    check(browser.script(look) == "none", "a click on the legend hides a layer")
    browser.script("document.querySelector('.map .legend button').click()")
    check(browser.script(look) != "none", "another shows it again")


def export_names(browser, downloads, program, run_folder):
    names = ['boot, "high" ☃', EVIL_NAME]
    fields = browser.script("return [...document.querySelectorAll('input[data-group]')].map(f => f.id)")
    check(len(fields) >= 2, "discovered groups have fields for their names")
    for field, name in zip(fields, names):
        browser.type("#" + field, name)
    browser.click("#export-names")
    file = downloads / "names.csv"
    for _ in range(100):
        if file.exists():
            break
        time.sleep(0.1)
    check(file.exists(), "the button exports names.csv")
    said = json.loads(run([program, "name", run_folder, "--from", file, "--json", "--quiet"]))
    given = [group["name"] for group in said["groups"]]
    check(all(name in given for name in names), "`name --from` takes it as it is")


def check_silence(browser, page):
    asked = browser.requests(page)
    check(page.as_uri() in asked, "requests are seen")
    asked = [url for url in asked if not url.startswith(("data:", "blob:", page.as_uri()))]
    check(not asked, f"nobody was asked for anything {asked or ''}")
    log = browser.log("browser")
    check(not log, f"the console is empty {log or ''}")


def check_text(browser, text):
    check(text in browser.script("return document.body.innerText"), f"{text!r} is shown as text")
    check(browser.script("return document.querySelectorAll('script').length") == 2, "no script but the page's own")


def check_width(browser, page, width):
    browser.open(page, width)
    overflow = browser.script("return document.documentElement.scrollWidth - innerWidth")
    check(overflow <= 0, f"nothing sticks out of a window of {width} pixels")


def test(program, folder):
    run_folder = train(program, folder)
    page = make_report(program, run_folder)
    with Browser(folder, shutil.which("chromedriver")) as browser:
        browser.open(page)
        check_text(browser, EVIL_CLASS)
        hover_map(browser)
        toggle_layer(browser)
        export_names(browser, folder, program, run_folder)
        check_silence(browser, page)
        make_report(program, run_folder)
        browser.open(page)
        check_text(browser, EVIL_NAME)
        check_width(browser, page, 1280)
        check_width(browser, page, 390)
        check_silence(browser, page)
    return page


def keep_pictures(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    driver = shutil.which("chromedriver")
    with tempfile.TemporaryDirectory() as scratch:
        for name, scripts, dark, width in [("wide", True, False, 1280), ("phone", True, False, 390),
                                           ("dark", True, True, 1280), ("plain", False, False, 1280)]:
            with Browser(scratch, driver, scripts, dark) as browser:
                browser.open(page, width)
                browser.picture(folder / f"{name}.png")
                if name == "wide":
                    browser.print(folder / "printed.pdf")


def main():
    program = os.path.abspath(sys.argv[1])
    if not shutil.which("chromedriver"):
        print("SKIPPED: no chromedriver; Debian has it in chromium-driver")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        page = test(program, folder)
        if "--keep" in sys.argv:
            keep_pictures(page, pathlib.Path(sys.argv[sys.argv.index("--keep") + 1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
