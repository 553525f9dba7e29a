"""What people are used to from good pages: links, tables, a quick start, and honesty when the network is away."""

import console as tools
from console import chromium
from events import now, session

FIRST_LOAD_BYTES_MAX = 300 * 1024
LOADED = """
return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].map(e => [e.name, e.transferSize, e.initiatorType]);
"""


def filled(console, name):
    app, key = console.make_app(name, platforms=["ios", "android"])
    for index in range(4):
        tools.accepted(key, session(ago_minutes=index + 2, platform=("ios", "android")[index % 2]))
    tools.fgctl("close-days")
    return app["id"], key


def first_load(console):
    """A first visit takes less than 300 KB of code and styles, all from the console itself."""
    console.sign_in()
    app, _ = filled(console, "Light")
    for page in ("/", f"/apps/{app}/audience", f"/apps/{app}/integration"):
        console.driver.execute_cdp_cmd("Network.clearBrowserCache", {})
        console.go(page)
        loaded = [each for each in console.driver.execute_script(LOADED) if "/v1/" not in each[0]]
        assert all(name.startswith(console.url + "/") for name, _, _ in loaded), loaded
        total = sum(size for _, size, _ in loaded)
        assert 10_000 < total < FIRST_LOAD_BYTES_MAX, f"{page} took {total} bytes: {loaded}"


def views_are_addresses(console):
    """What is chosen on a report is in its address, is there again after a reload, and goes away by the way back."""
    console.sign_in()
    app, _ = filled(console, "Chosen")
    console.go(f"/apps/{app}/audience")
    before = console.driver.current_url
    console.press("Week", "main button, main label")
    chromium.wait_until("the granularity is in the address", lambda: "week" in console.driver.current_url)
    console.press("Installs", "main button, main label")
    chromium.wait_until("the unit is in the address", lambda: "installs" in console.driver.current_url)
    chosen = console.driver.current_url
    console.driver.refresh()
    chromium.wait_ready(console.driver)
    assert console.driver.current_url == chosen
    assert pressed(console) >= {"Week", "Installs"}, pressed(console)
    console.driver.back()
    console.driver.back()
    chromium.wait_until("the first view is back", lambda: console.driver.current_url == before)
    chromium.wait_until("and so are its choices", lambda: not pressed(console) & {"Week", "Installs"})


def pressed(console):
    return set(console.driver.execute_script("""
      return [...document.querySelectorAll('main [aria-pressed=true], main [aria-checked=true], main [aria-selected=true], main [aria-current=true], main input:checked')]
        .map(e => (e.labels?.[0] ?? e).textContent.trim())"""))


def tables(console):
    """Every report is a table too: on the page, and as CSV with the numbers of the page."""
    console.sign_in()
    app, _ = filled(console, "Tables")
    day = now().date()
    console.go(f"/apps/{app}/audience?from={day}&to={day}")
    links = console.driver.execute_script("return [...document.querySelectorAll('main a[href*=\"format=csv\"]')].map(e => new URL(e.href).pathname + new URL(e.href).search)")
    assert len(links) >= 3, links
    for link in links:
        status, text = chromium.fetch(console.driver, "GET", link)
        assert status == 200 and "," in text.splitlines()[0], (link, status, text[:200])
    platforms = next(each for each in links if "breakdown" in each)
    shown = console.driver.execute_script("return [...document.querySelectorAll('main table')].map(e => e.innerText).join('\\n')")
    for line in chromium.fetch(console.driver, "GET", platforms)[1].splitlines()[1:]:
        value = {"ios": "iOS", "android": "Android"}[line.split(",")[0]]
        assert value in shown, shown


def network_away(console):
    """Without a network figures stay and say that they are old; with it again they go on by themselves."""
    console.sign_in()
    app, key = filled(console, "Away")
    console.expected_errors += ["ERR_INTERNET_DISCONNECTED"]
    console.go(f"/apps/{app}/realtime")
    assert console.number_of("Active now") == 4
    offline(console, True)
    console.sees("Not updating")
    assert console.number_of("Active now") == 4
    tools.accepted(key, session(platform="ios"))
    offline(console, False)
    chromium.wait_until("it goes on", lambda: console.number_of("Active now") == 5, 90)
    chromium.wait_until("nothing is old any more", lambda: "Not updating" not in console.text, 90)


def offline(console, is_off):
    console.driver.execute_cdp_cmd("Network.enable", {})
    console.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {"offline": is_off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
