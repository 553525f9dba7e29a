"""deploy/dev screenshots: every page of the console, light and dark, on a desktop and a phone.

Needs in the environment: CONSOLE_URL, ADMIN_EMAIL, ADMIN_PASSWORD. Writes PNGs and index.html into --out; ends with 1 when a page
logged an error or did not get ready.
"""

import argparse
import base64
import html
import json
import os
import pathlib
import re
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "browser"))
import chromium

SIZES = {"desktop": (1280, 900, 1, False), "phone": (390, 844, 2, True)}
THEMES = ("light", "dark")
HEIGHT_MAX = 6_000
HEIGHT = "return Math.ceil(Math.max(document.documentElement.scrollHeight, document.body.scrollHeight))"
WIDTH = "return document.documentElement.scrollWidth"
README_PICTURES = {"portfolio": "portfolio", "audience": "audience", "retention": "retention"}


def options():
    parser = argparse.ArgumentParser(prog="deploy/dev screenshots")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--app", default="Demo", help="name of the app whose pages are shown")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only pages whose name matches")
    parser.add_argument("--language", default="en-US")
    parser.add_argument("--readme", type=pathlib.Path, metavar="DIR", help="write the README's pictures there instead")
    return parser.parse_args()


def public_pages():
    return {"sign-in": "/sign-in", "setup": "/setup"}


def pages(driver, title):
    """Name and path of every page for somebody who is signed in."""
    apps = get(driver, "/v1/apps")
    apps = apps.get("apps") or apps.get("items")
    app = next((each["id"] for each in apps if each["name"] == title), apps[0]["id"] if apps else None)
    if app is None:
        sys.exit("error: there is no app to show; fill one: deploy/dev demo")
    at = f"/apps/{app}"
    found = {
        "portfolio": "/", "audience": f"{at}/audience", "audience-split": f"{at}/audience?metric=sessions&split=platform",
        "retention": f"{at}/retention", "realtime": f"{at}/realtime", "profiles": f"{at}/profiles",
    }
    person = somebody(driver, app)
    if person:
        found["person"] = f"{at}/profiles/{person}"
    return found | {
        "integration": f"{at}/integration", "settings": f"{at}/settings", "app-new": "/apps/new", "api-keys": "/api-keys",
        "members": "/members", "audit": "/audit", "account": "/account", "not-found": "/nothing-here",
    }


def somebody(driver, app):
    """The key of a person who was there lately, an account if there is one."""
    keys = [event["person_key"] for event in get(driver, f"/v1/apps/{app}/realtime")["events"]]
    keys.sort(key=lambda key: not key.startswith("u:"))
    return urllib.parse.quote(keys[0], safe="") if keys else None


def get(driver, path):
    status, text = chromium.fetch(driver, "GET", path)
    if status != 200:
        sys.exit(f"error: {path} answered {status}: {text[:200]}")
    return json.loads(text)


def sign_in(driver, url):
    driver.get(url + "/sign-in")
    status, text = chromium.fetch(
        driver, "POST", "/console/v1/session", {"email": os.environ["ADMIN_EMAIL"], "password": os.environ["ADMIN_PASSWORD"]})
    if status not in (200, 201):
        sys.exit(f"error: signing in answered {status}: {text[:200]}")


def dress(driver, size, theme, height=None):
    width, usual, scale, mobile = SIZES[size]
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height or usual, "deviceScaleFactor": scale, "mobile": mobile})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})


def picture(driver, path, width, height, scale=1.0):
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}})
    path.write_bytes(base64.b64decode(answer["data"]))


class Gallery:
    def __init__(self, driver, url, out):
        self.driver, self.url, self.out = driver, url, out
        self.shots, self.problems = [], []
        out.mkdir(parents=True, exist_ok=True)

    def shoot(self, name, path, is_signed_in):
        for size in SIZES:
            for theme in THEMES:
                self.one(name, path, size, theme, is_signed_in)

    def one(self, name, path, size, theme, is_signed_in):
        driver, file = self.driver, f"{name}-{size}-{theme}.png"
        dress(driver, size, theme)
        try:
            driver.get(self.url + path)
            chromium.wait_ready(driver)
            time.sleep(0.3)  # the last frame of a chart
        except TimeoutError as problem:
            self.problems.append((file, str(problem)))
        width = SIZES[size][0]
        wide = driver.execute_script(WIDTH)
        if wide > width:
            self.problems.append((file, f"the page is {wide} px wide"))
        height = max(SIZES[size][1], min(driver.execute_script(HEIGHT), HEIGHT_MAX))
        dress(driver, size, theme, height)  # what sticks to the window is then as high as the page
        time.sleep(0.2)
        picture(driver, self.out / file, width, height)
        for message in chromium.errors(driver):
            if is_signed_in or "/console/v1/session" not in message:
                self.problems.append((file, message))
        self.shots.append((name, size, theme, file))
        print(f"  {file}", flush=True)

    def index(self):
        rows = []
        for name in dict.fromkeys(shot[0] for shot in self.shots):
            images = "".join(
                f'<a href="{file}"><img src="{file}" alt="{html.escape(name)}, {size}, {theme}" loading="lazy" class="{size}"></a>'
                for each, size, theme, file in self.shots if each == name)
            rows.append(f"<h2>{html.escape(name)}</h2><div>{images}</div>")
        problems = "".join(f"<li>{html.escape(file)}: {html.escape(text)}</li>" for file, text in self.problems)
        (self.out / "index.html").write_text(
            "<!doctype html><html lang=en><meta charset=utf-8><title>Screenshots</title><style>body{font:14px system-ui;margin:24px}"
            "div{display:flex;gap:12px;align-items:flex-start;flex-wrap:wrap}img{border:1px solid #ccc}.desktop{width:480px}.phone{width:160px}"
            f"</style><h1>Screenshots</h1><ul>{problems}</ul>{''.join(rows)}")


def readme(driver, url, found, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in README_PICTURES.items():
        dress(driver, "desktop", "light")
        driver.get(url + found[page])
        chromium.wait_ready(driver)
        time.sleep(0.5)
        picture(driver, folder / f"{name}.png", 1280, 800)
        print(f"  {folder / name}.png, {(folder / f'{name}.png').stat().st_size // 1024} KB")


def main():
    given, url = options(), os.environ["CONSOLE_URL"]
    with chromium.chromium(given.language) as driver:
        gallery = None
        if not given.readme:
            gallery = Gallery(driver, url, given.out)
            for name, path in public_pages().items():
                if re.search(given.only, name):
                    gallery.shoot(name, path, False)
        sign_in(driver, url)
        found = pages(driver, given.app)
        if given.readme:
            readme(driver, url, found, given.readme)
            return
        chromium.errors(driver)
        for name, path in found.items():
            if re.search(given.only, name):
                gallery.shoot(name, path, True)
        gallery.index()
    for file, text in gallery.problems:
        print(f"problem: {file}: {text}", file=sys.stderr)
    print(f"{len(gallery.shots)} pictures: {given.out / 'index.html'}")
    sys.exit(1 if gallery.problems else 0)


main()
