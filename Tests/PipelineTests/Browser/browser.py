"""Drives a headless Chromium for BrowserTests: browser.py DIRECTORY.

Takes DIRECTORY/plan-0.json, plan-1.json and so on as they appear, performs their steps in a page of an origin of its own, and
answers with result-0.json and so on. Ends when DIRECTORY/stop appears, or by itself after some minutes.

A step is {"name", "kind", "url", …}: "fetch" (method, headers, body, padTo, gzip, credentials), "beacon" (body), or "leave", a
beacon that is sent while the page is left. Its result holds what a script of the page can see, and how many preflights were made.
"""

import json
import os
import pathlib
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from selenium import webdriver

SECONDS_MAX = 240

PAGE = b"""<!doctype html><meta charset="utf-8"><title>page</title><link rel="icon" href="data:,"><script>
async function perform(step) {
  const body = step.body === undefined ? undefined : step.body.padEnd(step.padTo ?? 0);
  switch (step.kind) {
    case "beacon": return {sent: navigator.sendBeacon(step.url, body)};
    case "leave":
      addEventListener("pagehide", () => navigator.sendBeacon(step.url, body));
      return {sent: true};
  }
  const packed = step.gzip
    ? await new Response(new Blob([body]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()
    : body;
  const response = await fetch(step.url, {
    method: step.method ?? "POST", headers: step.headers ?? {}, body: packed, credentials: step.credentials ?? "same-origin",
  });
  return {status: response.status, headers: Object.fromEntries(response.headers), body: await response.text()};
}
</script>"""

PERFORM = """
const done = arguments[1];
perform(arguments[0]).then(done, problem => done({error: String(problem)}));
"""


class PageHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def start_browser(directory):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--no-proxy-server",
        "--disable-background-networking", "--disable-component-update", f"--user-data-dir={directory / 'profile'}",
        "about:blank",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    # In a group of its own, so that nothing of it is left behind.
    service = webdriver.ChromeService(executable_path="/usr/bin/chromedriver", popen_kw={"start_new_session": True})
    return service, lambda: webdriver.Chrome(options=options, service=service)


def count_preflights(driver, results):
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] != "Network.requestWillBeSent":
            continue
        request = message["params"]["request"]
        for result in results.values():
            if request["method"] == "OPTIONS" and request["url"] == result["url"]:
                result["preflights"] += 1


def perform(driver, page, steps):
    results = {}
    for step in steps:
        driver.get(page)
        results[step["name"]] = {"url": step["url"], "preflights": 0, **driver.execute_async_script(PERFORM, step)}
    driver.get(page)
    count_preflights(driver, results)
    return results


def serve(directory, driver, page):
    for number in range(1_000):
        plan = directory / f"plan-{number}.json"
        while not plan.exists():
            if (directory / "stop").exists():
                return
            time.sleep(0.05)
        results = perform(driver, page, json.loads(plan.read_text()))
        unfinished = directory / "result.unfinished"
        unfinished.write_text(json.dumps(results))
        unfinished.rename(directory / f"result-{number}.json")


def end(*_):
    sys.exit(1)


def main():
    directory = pathlib.Path(sys.argv[1])
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS_MAX)
    pages = ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    service, start = start_browser(directory)
    try:
        driver = start()
        driver.set_script_timeout(30)
        serve(directory, driver, f"http://127.0.0.1:{pages.server_port}/")
        driver.quit()
    finally:
        if service.process:
            try:
                os.killpg(service.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


main()
