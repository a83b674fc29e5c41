"""A page in headless Chromium: what its console says, and what it asks other hosts for."""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    # The browser itself looks for updates; nothing is to leave this machine.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
# Requests of the browser itself have no origin.
BROWSER = (None, "not an origin")


@dataclass(frozen=True)
class Visit:
    """The document after loading, the lines of the console, the addresses that were asked for."""

    document: str
    console: tuple[str, ...]
    requests: tuple[str, ...]


def visit(path: Path, folder: Path) -> Visit:
    """Open a file; `folder` is for the browser's own files."""
    assert CHROMIUM is not None
    log = folder / "net.json"
    own = [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={log}", "--dump-dom"]
    command = [CHROMIUM, *FLAGS, *own, path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    console = re.findall(r":CONSOLE.*?\] (.*)", done.stderr)
    events = [event.get("params", {}) for event in json.loads(log.read_text("utf-8"))["events"]]
    asked = [p["url"] for p in events if "url" in p and p.get("initiator") not in BROWSER]
    return Visit(done.stdout, tuple(console), tuple(dict.fromkeys(asked)))
