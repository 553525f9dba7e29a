"""Texts that strangers choose, on every page that shows them."""

import urllib.parse

import console as tools
from console import chromium
from events import now, session

# As attributes, elements, templates, addresses and scripts; each would set window.stolen if it were taken for anything but a text.
TEXTS = (
    "<img src=x onerror=window.stolen=1>", "\"><script>window.stolen=1</script>", "' onfocus='window.stolen=1' autofocus='",
    "javascript:window.stolen=1", "${window.stolen=1}{{window.stolen=1}}", "</title><svg onload=window.stolen=1>", "=cmd|'/c calc'!A0",
    "\u202egnp.exe", "<a href=javascript:window.stolen=1>x</a>",
)
# What none of our pages has, and what a text that became an element would be.
STRANGERS = """
return [...document.querySelectorAll('img[src="x"], svg[onload], a[href^="javascript:" i], [onerror], [onfocus], [onload], main script, iframe')]
  .map(element => element.outerHTML.slice(0, 200));
"""


def hostile_texts(console):
    """Whatever apps and people call themselves stays a text on every page, in both languages' words around it."""
    console.sign_in()
    app, key = console.make_app(TEXTS[0] + TEXTS[1], platforms=["web", "ios"])
    second, _ = console.make_app(TEXTS[5])
    user = TEXTS[2]
    for text in TEXTS:
        limited = text[:64]
        tools.accepted(key, session(user=text, os_name=limited, os_version=limited, app_version=limited, app_build=limited,
                                    device_model=text, locale=text[:35]))
    for text in TEXTS:
        # Turned away with a version that is shown beside the reason.
        bad = session(app_version=text[:64])
        bad["events"][0]["name"] = text
        status, answer = tools.ingest(key, bad)
        assert status == 200 and len(answer["rejected"]) == 1, answer
    tools.fgctl("close-days")
    console.post("/console/v1/members", {"email": "o'hara+<x>@example.com".replace("<x>", "x")})
    day = now().date()
    at = f"/apps/{app['id']}"
    person = console.get(f"/v1/apps/{app['id']}/profiles?" + query("user_id", user))
    person_key = (person.get("profiles") or person["items"])[0]["person_key"]
    pages = ["/", f"{at}/audience?from={day}&to={day}", f"{at}/retention", f"{at}/realtime", f"{at}/profiles", f"{at}/profiles?" + query("q", user),
             f"{at}/profiles/{quote(person_key)}", f"{at}/integration", f"{at}/settings", "/api-keys", "/members", "/audit", "/account", "/apps/new"]
    for by in ("os_name", "os_version", "app_version", "app_build", "device_model", "locale"):
        for text in TEXTS[:3]:
            pages.append(f"{at}/audience?from={day}&to={day}&by={by}&" + query(by, text[:35 if by == "locale" else 64]))
    # Addresses are chosen by strangers too.
    for text in TEXTS:
        pages += [f"{at}/audience?" + query("from", text) + "&" + query("split", text), f"{at}/profiles/{quote(text)}", f"/{quote(text)}",
                  f"/apps/{quote(text)}/audience", f"{at}/audience?" + query("environment", text) + "&" + query("platform", text)]
    console.expected_errors += ["400", "404"]
    for page in pages:
        console.go(page)
        check(console, page)
    for page in (f"{at}/settings", f"{at}/integration"):
        open_everything(console, page)
    for target in ("javascript:window.stolen=1", "//example.com/", "https://example.com/", "/\\example.com"):
        console.go("/sign-in?" + query("next", target))
        check(console, target)
        assert console.driver.current_url.startswith(console.url + "/"), console.driver.current_url


def check(console, page):
    assert not console.driver.execute_script("return window.stolen ?? null"), f"{page}: a text was run"
    assert not console.driver.execute_script(STRANGERS), f"{page}: {console.driver.execute_script(STRANGERS)}"
    refused = [each for each in console.driver.get_log("browser") if "Content Security Policy" in each["message"]]
    assert not refused, f"{page}: {refused}"


def open_everything(console, page):
    """Tabs and menus, whatever they are called."""
    console.go(page)
    count = console.driver.execute_script("return document.querySelectorAll('main [role=tab], main summary').length")
    for index in range(count):
        console.driver.execute_script("document.querySelectorAll('main [role=tab], main summary')[arguments[0]]?.click()", index)
        chromium.wait_ready(console.driver)
        check(console, f"{page}, part {index}")


def query(name, value):
    return f"{name}={quote(value)}"


def quote(text):
    return urllib.parse.quote(text, safe="")
