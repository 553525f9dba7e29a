"""What a person does with the console: go somewhere, read, press, type. Everything is found by the words on it."""

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

from selenium.common.exceptions import ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "deploy" / "lib" / "browser"))
import chromium  # noqa: E402

BUTTONS = "button, a, summary, [role=button], [role=tab], [role=menuitem], [role=menuitemradio], [role=option], [role=radio], label"
# In the dialog that is open, if one is; by the exact words first, by their beginning then.
FIND = """
const [selector, words, beside] = arguments;
const outer = [...document.querySelectorAll('dialog[open]')].pop() ?? document;
const root = beside ? [...outer.querySelectorAll('tr, li')].find(e => e.textContent.includes(beside)) : outer;
if (!root) return null;
const plain = text => (text ?? '').replace(/\\s+/g, ' ').trim();
const names = element => [element.getAttribute('aria-label'), element.textContent, element.title].map(plain);
const seen = [...root.querySelectorAll(selector)].filter(e => e.checkVisibility() && !e.disabled && e.getAttribute('aria-disabled') !== 'true');
return seen.find(e => names(e).includes(words)) ?? seen.find(e => names(e).some(name => name.startsWith(words))) ?? null;
"""
FIELD = """
const [words] = arguments;
const root = [...document.querySelectorAll('dialog[open]')].pop() ?? document;
const plain = text => (text ?? '').replace(/\\s+/g, ' ').trim();
const controls = [...root.querySelectorAll('input, select, textarea')].filter(e => e.checkVisibility() && !e.disabled);
const names = e => [e.getAttribute('aria-label'), e.placeholder, ...[...(e.labels ?? [])].map(label => label.textContent)].map(plain);
return controls.find(e => names(e).includes(words)) ?? controls.find(e => names(e).some(name => name.startsWith(words))) ?? null;
"""
FIGURE = """
const names = [...document.querySelectorAll('main .tile-label, main dt')].filter(e => e.checkVisibility());
return names.find(e => e.textContent.trim() === arguments[0])?.nextElementSibling?.textContent ?? null;
"""
TEXT = "return document.body.innerText"


class Console:
    def __init__(self, driver):
        self.driver, self.url = driver, os.environ["CONSOLE_URL"]
        self.expected_errors = []
        driver.execute_cdp_cmd("Browser.grantPermissions", {
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": self.url})

    # Moving and reading

    def go(self, path):
        self.driver.get(self.url + path)
        chromium.wait_ready(self.driver)

    @property
    def path(self):
        return self.driver.execute_script("return location.pathname")

    @property
    def text(self):
        return self.driver.execute_script(TEXT)

    def sees(self, *words):
        """Waits until all of these words are on screen."""
        for each in words:
            chromium.wait_until(f"'{each}' is on screen", lambda: each.lower() in self.text.lower(), 60)

    def sees_after_reload(self, *words):
        """For what appears only when a page is opened anew."""
        def there():
            self.driver.refresh()
            chromium.wait_ready(self.driver)
            return all(each.lower() in self.text.lower() for each in words)
        chromium.wait_until(f"{words} are on screen", there, 90)

    def is_at(self, path):
        chromium.wait_until(f"the address is {path}", lambda: self.path == path)
        chromium.wait_ready(self.driver)

    def number_of(self, figure):
        """The number shown as a figure of this name: a tile's button or an entry of a list of terms."""
        def shown():
            text = self.driver.execute_script(FIGURE, figure) or ""
            digits = re.sub(r"[,\s\u202f\u00a0]", "", text)
            return [int(digits)] if digits.isdigit() else None
        return chromium.wait_until(f"a number called '{figure}'", shown)[0]

    # Doing

    def press(self, words, selector=BUTTONS, beside=None):
        """Presses what is called so; with `beside`, in the table row or list entry that holds these words."""
        def pressed():
            try:
                element = self.driver.execute_script(FIND, selector, words, beside)
                if element is None:
                    return False
                self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
                element.click()
                return True
            except (StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException):
                return False
        chromium.wait_until(f"something called '{words}' can be pressed", pressed)

    def field(self, words):
        return chromium.wait_until(f"a field called '{words}'", lambda: self.driver.execute_script(FIELD, words))

    def type(self, words, value):
        element = self.field(words)
        if element.tag_name == "select":
            self.choose(element, value)
            return
        element.send_keys(Keys.CONTROL, "a")
        element.send_keys(value)
        if element.get_attribute("role") == "combobox":
            element.send_keys(Keys.ENTER)

    def choose(self, element, value):
        """An option by its value or by what it says."""
        chromium.wait_until(f"the option '{value}'", lambda: self.driver.execute_script("""
          const [select, wanted] = arguments;
          const option = [...select.options].find(e => e.value === wanted || e.textContent.trim() === wanted);
          if (!option) return false;
          select.value = option.value;
          select.dispatchEvent(new Event('input', {bubbles: true}));
          select.dispatchEvent(new Event('change', {bubbles: true}));
          return true;""", element, value))

    def tick(self, words):
        """A checkbox or radio button, which may be drawn by its label."""
        self.driver.execute_script("if (!arguments[0].checked) arguments[0].click()", chromium.wait_until(
            f"a box called '{words}'", lambda: self.driver.execute_script(FIELD.replace("e.checkVisibility() && ", ""), words)))

    def clipboard(self):
        return self.driver.execute_async_script("const done = arguments[0]; navigator.clipboard.readText().then(done, e => done('!' + e))")

    def copied(self, words):
        """Presses a button that copies, and gives what is then in the clipboard."""
        self.driver.execute_async_script("const done = arguments[0]; navigator.clipboard.writeText('').then(done, done)")
        self.press(words)
        return chromium.wait_until("something was copied", lambda: self.clipboard().strip())

    def sign_in(self, email=None, password=None):
        self.go("/sign-in")
        self.type("E-mail", email or os.environ["ADMIN_EMAIL"])
        self.type("Password", password or os.environ["ADMIN_PASSWORD"])
        self.press("Sign in", "button[type=submit]")
        chromium.wait_until("signing in is over", lambda: self.path != "/sign-in")
        chromium.wait_ready(self.driver)
        self.driver.get_log("browser")  # asking for the session of nobody is logged as an error

    def get(self, path):
        status, text = chromium.fetch(self.driver, "GET", path)
        assert status == 200, f"{path} answered {status}: {text[:300]}"
        return json.loads(text)

    def status_of(self, method, path, body=None):
        return chromium.fetch(self.driver, method, path, body)[0]

    def post(self, path, body, method="POST"):
        """A change by the control plane, for what a flow needs and does not look at."""
        token = self.get("/console/v1/session")["csrf_token"]
        status, text = chromium.fetch(self.driver, method, path, body, token)
        assert 200 <= status < 300, f"{path} answered {status}: {text[:300]}"
        return json.loads(text) if text else None

    def make_app(self, name, platforms=("web",), timezone="UTC"):
        """An app and its key for any platform, which ingest knows already."""
        app = self.post("/console/v1/apps", {"name": name, "platforms": list(platforms), "timezone": timezone})
        key = next(each["key"] for each in app["keys"] if each["platform"] is None)
        chromium.wait_until("ingest knows the key", lambda: ingest(key, {})[0] != 401)
        return app, key


# Beside the browser

def call(request):
    """(status, JSON or text) of a request."""
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            status, raw = answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        status, raw = refusal.code, refusal.read()
    try:
        return status, json.loads(raw)
    except ValueError:
        return status, raw.decode(errors="replace")


def ingest(key, batch):
    return call(urllib.request.Request(
        os.environ["INGEST_URL"] + "/v1/events", json.dumps(batch).encode(), {"Content-Type": "application/json", "X-App-Key": key}))


def accepted(key, batch):
    status, answer = ingest(key, batch)
    assert status == 200 and answer["rejected"] == [], f"ingest answered {status}: {answer}"


def read(path, key):
    return call(urllib.request.Request(os.environ["READ_URL"] + path, headers={"Authorization": f"Bearer {key}"}))


def shell(command, **settings):
    """What a command prints that was copied from a page; it must succeed."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command], env={**os.environ, **settings}, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 0, f"the command ended with {done.returncode}: {done.stderr[:500]}"
    return done.stdout


def fgctl(*words):
    done = subprocess.run([os.environ["FGCTL"], *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    assert done.returncode == 0, f"fgctl {words}: {done.stderr.decode(errors='replace')[-500:]}"
    return json.loads(done.stdout)
