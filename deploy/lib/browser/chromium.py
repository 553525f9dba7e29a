"""A headless Chromium of one's own, gone when it is left, and what our pages need of it."""

import contextlib
import os
import signal
import tempfile
import time

from selenium import webdriver

READY_SECONDS = 30
# A page says itself when it shows all it has; one that does not is looked at.
IS_READY = """
const state = document.documentElement.dataset.state;
return document.readyState === 'complete' && document.querySelector('main') !== null
  && (state ? state === 'ready' : !document.querySelector('.skeleton, [aria-busy="true"]'));
"""
FETCH = """
const [method, path, body, token, done] = arguments;
const headers = {'Content-Type': 'application/json'};
if (token) headers['X-CSRF-Token'] = token;
fetch(path, {method, headers, body: body === null ? undefined : JSON.stringify(body)})
  .then(async answer => done({status: answer.status, text: await answer.text()}), problem => done({status: 0, text: String(problem)}));
"""


@contextlib.contextmanager
def chromium(language="en-US", width=1280, height=900):
    """A driver of a fresh browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--no-proxy-server",
            "--disable-background-networking", "--disable-component-update", "--force-prefers-reduced-motion", "--hide-scrollbars",
            f"--window-size={width},{height}", f"--lang={language}", f"--user-data-dir={profile}", "about:blank",
        ):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # In a group of its own, so that nothing of it is left behind.
        service = webdriver.ChromeService(executable_path="/usr/bin/chromedriver", popen_kw={"start_new_session": True})
        driver = None
        try:
            driver = webdriver.Chrome(options=options, service=service)
            driver.set_script_timeout(READY_SECONDS)
            driver.set_page_load_timeout(READY_SECONDS)
            yield driver
            driver.quit()
        finally:
            if service.process:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(service.process.pid, signal.SIGKILL)


def wait_until(what, holds, seconds=READY_SECONDS):
    """The first value of `holds()` that is true; TimeoutError when there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.1)


def wait_ready(driver):
    wait_until(f"{driver.current_url} is ready", lambda: driver.execute_script(IS_READY))


def fetch(driver, method, path, body=None, token=None):
    """(status, text) of a request that the page makes."""
    answer = driver.execute_async_script(FETCH, method, path, body, token)
    return answer["status"], answer["text"]


def errors(driver):
    """What the console logged as errors since it was last asked."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
