"""Getting in and out."""

import os
import uuid

import console as tools
from console import chromium
from events import session


def first_account(console):
    """The printed link makes the first account, once; it is signed in and sees what to do first."""
    link = os.environ["SETUP_LINK"]
    console.driver.get(link)
    chromium.wait_ready(console.driver)
    console.type("E-mail", os.environ["ADMIN_EMAIL"])
    console.type("Password", os.environ["ADMIN_PASSWORD"])
    console.type("Repeat the password", os.environ["ADMIN_PASSWORD"])
    console.press("Create account")
    console.is_at("/")
    assert console.get("/console/v1/session")["account"]["email"] == os.environ["ADMIN_EMAIL"]
    assert link.split("#")[1] not in console.driver.current_url

    console.post("/console/v1/session", None, method="DELETE")
    # The same document with another fragment is no new page.
    console.driver.get("about:blank")
    console.driver.get(link)
    chromium.wait_ready(console.driver)
    console.expected_errors += ["/console/v1/setup", "/console/v1/session"]
    console.type("E-mail", "somebody.else@example.com")
    console.type("Password", os.environ["ADMIN_PASSWORD"])
    console.type("Repeat the password", os.environ["ADMIN_PASSWORD"])
    console.press("Create account")
    console.sees("has been used or is too old")
    console.sign_in()
    console.is_at("/")


def signed_out(console):
    """After signing out, neither pages nor addresses show anything, and the browser's way back leads nowhere."""
    console.sign_in()
    app, key = console.make_app("Left behind")
    tools.accepted(key, session(user="acct_left_behind"))
    console.go(f"/apps/{app['id']}/realtime")
    console.sees("Realtime", "Left behind")
    console.go("/account")
    console.expected_errors += ["401"]
    console.press("Sign out", "main button")
    console.is_at("/sign-in")
    console.driver.back()
    chromium.wait_until("the page of signing in is there again", lambda: console.path == "/sign-in")
    assert "Left behind" not in console.text
    reads_nothing(console, app["id"])


def foreign_session(console):
    """A session whose account is deleted by another member reads nothing from then on."""
    console.sign_in()
    app, _ = console.make_app("Not theirs any more")
    address = f"leaving.{uuid.uuid4().hex[:8]}@example.com"
    invited = console.post("/console/v1/members", {"email": address})
    token = invited["path"].split("#")[1]
    with chromium.chromium() as driver:
        other = tools.Console(driver)
        other.driver.get(other.url + invited["path"])
        chromium.wait_ready(driver)
        other.type("E-mail", address)
        other.type("Password", "the other password 8")
        other.type("Repeat the password", "the other password 8")
        other.press("Create account")
        other.is_at("/")
        other.sees("Not theirs any more")
        assert token not in driver.current_url
        members = console.get("/console/v1/members")["items"]
        leaving = next(each["id"] for each in members if each["email"] == address)
        console.post(f"/console/v1/members/{leaving}", None, method="DELETE")
        reads_nothing(other, app["id"])
        driver.refresh()
        other.is_at("/sign-in")


def reads_nothing(console, app):
    for path in (
        "/console/v1/session", "/console/v1/apps", f"/console/v1/apps/{app}", f"/console/v1/apps/{app}/write-keys", "/console/v1/api-keys",
        "/console/v1/members", "/console/v1/audit", "/v1/apps", "/v1/portfolio", f"/v1/apps/{app}/realtime",
        f"/v1/apps/{app}/profiles?user_id=acct_left_behind", f"/v1/apps/{app}/integration/health",
    ):
        assert console.status_of("GET", path) == 401, path
    for method, path, body in (
        ("POST", "/console/v1/apps", {"name": "x", "platforms": ["web"], "timezone": "UTC"}), ("PUT", "/console/v1/password", {}),
        ("POST", f"/v1/apps/{app}/deletion-requests", {"subject_type": "user", "subject_value": "x"}), ("DELETE", "/console/v1/sessions", None),
    ):
        assert console.status_of(method, path, body) in (401, 403), path
