"""Drives a headless Chromium through its debugging pipe, without a package for it."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ABSENT = "Chromium is not installed (Debian: apt-get install chromium); .ci/run installs it"
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
)
_CODES = {" ": "Space", "/": "Slash"}


class Chromium:
    """One browser with one tab.

    Attributes
    ----------
    errors
        What the console reported, and errors that nothing caught.
    requested
        The addresses that were loaded.
    """

    def __init__(self, profile):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        words = [PROGRAM, *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
        shell = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *words], pass_fds=(to_read, to_write), stderr=subprocess.DEVNULL
        )
        os.close(to_read)
        os.close(to_write)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._session = None
        self.errors, self.requested = [], []
        target = self._new_tab()
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _new_tab(self):
        return self.call("Target.createTarget", url="about:blank")["targetId"]

    def call(self, method, **parameters):
        """Send a command and wait for its answer; events in between are noted."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            said = self._message()
            if said.get("id") == number:
                assert "error" not in said, (method, said["error"])
                return said["result"]
            self._note(said)

    def _message(self):
        while b"\0" not in self._rest:
            read = os.read(self._read, 1 << 16)
            assert read, "Chromium has ended"
            self._rest += read
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def _note(self, said):
        method, about = said.get("method"), said.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", about["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.errors.append(about["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.errors.append(about["args"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(about["request"]["url"].partition("#")[0])

    # -- what a person does ---------------------------------------------------------------------------------------

    def open(self, url):
        """Open an address, and wait until the page has read its data."""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.until('document.body && document.body.dataset.ready === "yes"')

    def ask(self, expression):
        """The value of an expression in the page."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def until(self, expression, seconds=30):
        """Wait until an expression is true in the page."""
        end = time.monotonic() + seconds
        while not self.ask(expression):
            assert time.monotonic() < end, f"never: {expression}"
            time.sleep(0.02)

    def press(self, *keys):
        """Press keys, one after the other."""
        for key in keys:
            about = {"key": key, "code": _CODES.get(key, key)}
            about |= {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        """Type a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def click(self, selector):
        """Click the middle of an element with the mouse."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.ask(f"{found}.scrollIntoView({{block: 'center'}})")
        box = self.ask(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({found}.getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            place = {"x": box[0], "y": box[1], "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, **place)

    def text(self, selector):
        """The text of an element."""
        return self.ask(f"document.querySelector({json.dumps(selector)}).textContent")

    # -- how it looks ---------------------------------------------------------------------------------------------

    def resize(self, width, height, phone=False):
        """Set the size of the page."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def prefer(self, theme):
        """Set the theme of the system: light or dark."""
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def picture(self, whole=False):
        """What is visible, as a PNG."""
        said = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(said["data"])

    def printed(self):
        """The page as a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        """End the browser."""
        self._session = None
        self.call("Browser.close")
        os.close(self._write)
        os.close(self._read)
        self._process.wait(20)
