"""Whether everybody can use the pages: names, contrast, keyboard, language."""

import os
import pathlib
import re

import axe_core_python
from selenium.webdriver.common.keys import Keys

import console as tools
from console import chromium
from events import now, session

AXE = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
# Nothing of these changes anything by being pressed.
OPENERS = """
const openers = [...document.querySelectorAll('button, summary')].filter(e => e.checkVisibility() && !e.disabled
  && (e.matches('[aria-haspopup], [aria-expanded=false], summary') || /(…|\\?)$/.test(e.textContent.trim())));
"""
RUN = """
const done = arguments[0];
// One transition may begin others, from parents to children; some never end.
async function settled() {
  for (let round = 0; round < 50; round += 1) {
    const moving = document.getAnimations().filter(each => each.effect.getComputedTiming().endTime < Infinity);
    if (!moving.length) return;
    await Promise.allSettled(moving.map(each => each.finished));
  }
}
settled().then(() => axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})).then(
  found => done(found.violations.map(each => [each.id, each.help, each.nodes.slice(0, 5).map(node => node.html.slice(0, 200) + ' — ' + (node.any[0]?.message ?? ''))])),
  problem => done([['axe', String(problem), []]]));
"""


def pages(console, name="For everybody", user="acct_", **context):
    """Every page, of an app that has something to show."""
    app, key = console.make_app(name, platforms=["ios", "android", "web"])
    for index in range(6):
        tools.accepted(key, session(ago_minutes=index + 2, user=f"{user}{index}" if index % 2 else None, platform=("ios", "android", "web")[index % 3],
                                    **{"os_name": "Some system", "device_model": "Some device", **context}))
    tools.ingest(key, {**session(), "events": [{"name": "nothing"}]})
    tools.fgctl("close-days")
    at, day = f"/apps/{app['id']}", now().date()
    return (
        "/", f"{at}/audience?from={day}&to={day}", f"{at}/retention", f"{at}/realtime", f"{at}/profiles", f"{at}/profiles/u%3A{user}1",
        f"{at}/integration", f"{at}/settings", "/apps/new", "/api-keys", "/members", "/audit", "/account", "/nothing-here",
    )


def accessible(console):
    """axe finds nothing that lacks a name, a role or contrast, on any page, wide and narrow."""
    console.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": os.environ["THEME"]}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
    console.go("/sign-in")
    problems = violations(console, "/sign-in")
    console.sign_in()
    for page in pages(console):
        for width in (1280, 390):
            console.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
            console.go(page)
            problems += violations(console, f"{page} at {width} px")
            # Each in one theme, for time's sake.
            if (width < 500) == (os.environ["THEME"] == "light"):
                problems += opened(console, f"{page} at {width} px")
    assert not problems, "\n".join(problems)


def opened(console, page):
    """The same for what opens on a page: menus, choices, tables of charts, dialogs."""
    found = []
    for index in range(console.driver.execute_script(OPENERS + "return openers.length")):
        name = console.driver.execute_script(OPENERS + "const one = openers[arguments[0]]; one?.click(); return one && (one.ariaLabel ?? one.textContent)", index)
        if name is None:
            break
        chromium.wait_ready(console.driver)
        found += violations(console, f"{page}, opened by '{name}'")
        press(console, Keys.ESCAPE)
        console.driver.execute_script("document.querySelector('dialog[open]')?.close()")
    return found


def violations(console, page):
    console.driver.execute_script(AXE)
    return [f"{page}: {name}: {text}\n    " + "\n    ".join(nodes) for name, text, nodes in console.driver.execute_async_script(RUN)]


def long_texts(console):
    """The longest names without a blank in them widen no page, on phones, tablets and desktops."""
    console.sign_in()
    long = "W" * 64
    too_wide = []
    for page in pages(console, "M" * 200, "u" * 120, os_name=long, os_version=long, app_version=long, app_build=long, device_model="D" * 128, locale="L" * 35):
        for width in (360, 768, 1280):
            console.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 700})
            console.go(page)
            wide = console.driver.execute_script("return document.documentElement.scrollWidth")
            if wide > width:
                too_wide.append(f"{page} is {wide} px wide in {width} px")
    assert not too_wide, "\n".join(too_wide)


def keyboard(console):
    """Keys lead to every page of an app; the sheet of them opens and closes, and focus is where one sees it."""
    console.sign_in()
    app, _ = console.make_app("By keys")
    console.go(f"/apps/{app['id']}/audience")
    for letter, place in (("r", "realtime"), ("t", "retention"), ("p", "profiles"), ("i", "integration"), ("s", "settings"), ("a", "audience")):
        press(console, "g", letter)
        console.is_at(f"/apps/{app['id']}/{place}")
    press(console, "?")
    console.sees("Keyboard shortcuts")
    press(console, Keys.ESCAPE)
    chromium.wait_until("the sheet is closed", lambda: not console.driver.execute_script("return document.querySelector('dialog[open]')"))
    press(console, "g", "h")
    console.is_at("/")
    console.driver.refresh()
    chromium.wait_ready(console.driver)
    console.driver.switch_to.active_element.send_keys(Keys.TAB)
    focused = console.driver.execute_script("return document.activeElement.textContent.trim()")
    assert focused == "Skip to content", focused


def press(console, *keys):
    for key in keys:
        console.driver.switch_to.active_element.send_keys(key)


def russian(console):
    """In Russian no page shows a key of a word, or the words of another language."""
    console.sign_in()
    found = pages(console)
    console.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {
        "userAgent": console.driver.execute_script("return navigator.userAgent"), "acceptLanguage": "ru-RU,ru"})
    for page in found:
        console.go(page)
        assert console.driver.execute_script("return document.documentElement.lang") == "ru", page
        text = console.text
        assert not re.search(r"\b(?:audience|retention|realtime|profiles|person|integration|settings|apiKeys|members|audit|account|common|shell|states)\.[a-z]\w+", text), text
        for word in ("Retention", "Settings", "Search", "Sessions", "Loading", "Copy", "All apps"):
            assert word not in text, f"{page} says {word}"
