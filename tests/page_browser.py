# A headless Chromium over its debugging pipe, with the standard library alone: pages, keys, pointers, screenshots, and what it complains of.
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"]
FLAGS = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--lang=en-US"]
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34, "Tab": 9, "Enter": 13, " ": 32}


def find():
    """The browser of this machine, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Trouble(Exception):
    pass


class Browser:
    """One tab. `complaints` holds every console error, exception, broken policy and request that was made."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="pe-page-")
        theirs, ours = zip(os.pipe(), reversed(os.pipe()))
        theirs = [fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in theirs]

        def place():
            for fd, to in zip(theirs, (3, 4)):
                os.dup2(fd, to)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.folder}", "about:blank"], preexec_fn=place, pass_fds=(3, 4, *theirs),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.to, self.back = ours
        self.held, self.number, self.session = b"", 0, None
        self.complaints, self.events = [], []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(domain + ".enable")
        self.call("Audits.enable")

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, seconds):
        """The next message, or None when there is none in this time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.held:
            if not select.select([self.back], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            more = os.read(self.back, 1 << 20)
            if not more:
                raise Trouble("the browser is gone")
            self.held += more
        text, _, self.held = self.held.partition(b"\0")
        return json.loads(text)

    def take(self, message):
        """Keeps what an event complains of."""
        what, about = message.get("method"), message.get("params", {})
        if what == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.complaints.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif what == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.complaints.append("console: " + " ".join(str(each.get("value")) for each in about["args"]))
        elif what == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append("log: " + about["entry"]["text"])
        elif what == "Audits.issueAdded":
            self.complaints.append("issue: " + about["issue"]["code"])
        elif what == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "data:")):
            self.complaints.append("request: " + about["request"]["url"])
        elif what:
            self.events.append(what)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            got = self.receive(30)
            if got is None:
                raise Trouble(f"no answer to {method}")
            if got.get("id") == self.number:
                if "error" in got:
                    raise Trouble(f"{method}: {got['error']['message']}")
                return got["result"]
            self.take(got)

    def run(self, expression):
        """The value of JavaScript; an exception in it is one here."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in result:
            raise Trouble(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def size(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, **features):
        """prefers_color_scheme="dark" and the like."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def open(self, path):
        self.complaints, self.events = [], []
        self.call("Page.navigate", url=path.resolve().as_uri())
        end = time.monotonic() + 20
        while "Page.loadEventFired" not in self.events:
            if time.monotonic() > end:
                raise Trouble(f"{path} does not load")
            if got := self.receive(1):
                self.take(got)
        self.settle()

    def settle(self):
        """Two frames on: sizes are measured and painted."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def press(self, *keys):
        for key in keys:
            for kind in ("keyDown", "keyUp"):
                text = {"text": key} if key == " " and kind == "keyDown" else {}
                if key == "Enter" and kind == "keyDown":
                    text = {"text": "\r"}
                self.call("Input.dispatchKeyEvent", type=kind, key=key, code="Space" if key == " " else key, windowsVirtualKeyCode=KEYS.get(key, 0), **text)

    def mouse(self, x, y, click=False):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, x, y):
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def names(self):
        """(role, name, value) of everything that a screen reader meets."""
        tree = self.call("Accessibility.getFullAXTree")["nodes"]
        word = lambda node, what: str(node.get(what, {}).get("value", ""))
        return [(word(node, "role"), word(node, "name"), word(node, "value")) for node in tree if not node.get("ignored")]

    def screenshot(self):
        """A PNG of what is on the screen."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
