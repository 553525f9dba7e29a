"""Connecting an app and keeping it."""

import json
import re

import console as tools
from console import chromium
from events import now, session


def first_event(console):
    """A new app waits for its first event; the shown snippet sends one, and every page shows it."""
    console.sign_in()
    console.go("/apps/new")
    console.type("Name", "First steps")
    console.tick("Web")
    console.type("Time zone", "UTC")
    console.press("Create app")
    chromium.wait_until("the app is made", lambda: any(each["name"] == "First steps" for each in console.get("/console/v1/apps")["items"]))
    app = next(each["id"] for each in console.get("/console/v1/apps")["items"] if each["name"] == "First steps")

    console.go(f"/apps/{app}/integration")
    console.sees("Waiting for your first event")
    command = snippet(console)
    key = re.search(r"pk_[0-9A-Za-z_-]+", command)[0]
    chromium.wait_until("ingest knows the key", lambda: tools.ingest(key, {})[0] != 401)
    assert json.loads(tools.shell(command))["accepted"] == 2
    # The page finds it by itself, without being opened anew.
    console.sees("session_start", "session_end")
    chromium.wait_until("nobody waits any more", lambda: "Waiting for your first event" not in console.text)

    sent = re.search(r'"environment":\s*"(\w+)"', command)[1]
    console.go(f"/apps/{app}/realtime?environment={sent}")
    chromium.wait_until("somebody is active now", lambda: console.number_of("Active now") == 1)
    assert console.get(f"/v1/apps/{app}/realtime?environment={sent}")["active_now"] == 1

    tools.fgctl("close-days")
    console.go(f"/apps/{app}/audience?environment={sent}&from={now().date()}&to={now().date()}")
    assert console.number_of("Sessions") == 1
    assert console.number_of("Active people") == 1


def snippet(console):
    """The curl command as the page gives it to the clipboard."""
    console.press("curl")
    command = console.copied("Copy")
    assert command.startswith("curl"), command[:80]
    return command


def copied_request(console):
    """The request that a report gives to be copied asks for exactly what is on screen."""
    console.sign_in()
    app, key = console.make_app("Copied", platforms=["ios", "android"], timezone="Europe/Berlin")
    for index in range(5):
        tools.accepted(key, session(ago_minutes=2 + index, platform="ios" if index < 3 else "android"))
    tools.fgctl("close-days")
    secret = console.post("/console/v1/api-keys", {"scopes": ["read"], "app_id": app["id"]})["key"]
    today = console.get(f"/v1/apps/{app['id']}/audience/summary?from={now().date()}&to={now().date()}")
    assert today["sessions"] in range(1, 6)  # the others lie before midnight in Berlin
    day = now().date()
    for path in (f"/apps/{app['id']}/audience?from={day}&to={day}", f"/apps/{app['id']}/audience?from={day}&to={day}&platform=ios"):
        console.go(path)
        shown = console.number_of("Sessions")
        command = console.copied("Copy as Read API request")
        assert secret not in command and "$AM_SK" in command, command
        answer = json.loads(tools.shell(command, AM_SK=secret))
        assert answer["sessions"] == shown, f"{shown} on screen, the request says {answer}"


def revoked_key(console):
    """A key that is revoked in the settings is refused, and the other goes on."""
    console.sign_in()
    app, key = console.make_app("Leaky", platforms=["web"])
    web = next(each["key"] for each in app["keys"] if each["platform"] == "web")
    tools.accepted(web, session())
    console.go(f"/apps/{app['id']}/settings")
    console.press("Revoke", "button", beside=web[:12])
    console.press("Revoke key")
    chromium.wait_until("ingest refuses the key", lambda: tools.ingest(web, session())[0] == 401)
    tools.accepted(key, session())
    listed = {each["key"]: each["revoked_at"] for each in console.get(f"/console/v1/apps/{app['id']}/write-keys")["items"]}
    assert listed[web] and not listed[key], listed


def changed_zone(console):
    """The zone is changed after a look at what it costs, and reports name the new one."""
    console.sign_in()
    app, key = console.make_app("Moving", timezone="UTC")
    tools.accepted(key, session())
    tools.fgctl("close-days")
    console.go(f"/apps/{app['id']}/settings")
    console.type("New zone", "Asia/Tokyo")
    console.sees("built again")
    console.press("Change zone", "main button")
    console.press("Change zone", "dialog button")
    chromium.wait_until("the zone is another", lambda: console.get(f"/console/v1/apps/{app['id']}")["timezone"] == "Asia/Tokyo", 90)
    console.sees("The zone is Asia/Tokyo now")
    console.go(f"/apps/{app['id']}/audience")
    console.sees("Asia/Tokyo")


def merged_apps(console):
    """Two apps become one after a preview and the typed name; the old key goes on, and the other app is gone."""
    console.sign_in()
    target, target_key = console.make_app("Keeper", platforms=["ios"])
    source, source_key = console.make_app("Goner <b>", platforms=["android"])
    tools.accepted(target_key, session(user="acct_shared", platform="ios"))
    tools.accepted(source_key, session(user="acct_shared", platform="android"))
    tools.accepted(source_key, session(platform="android"))
    tools.fgctl("close-days")
    console.go(f"/apps/{target['id']}/settings")
    console.press("Merge…")
    console.type("The app that ends", "Goner <b>")
    console.sees("Users in both apps")
    console.type("Type", "Goner <b>")
    console.press("Merge apps", "dialog button")
    console.sees("is part of this app now")
    assert all(each["id"] != source["id"] for each in console.get("/console/v1/apps")["items"])
    tools.accepted(source_key, session(platform="android"))
    tools.fgctl("close-days")
    day = now().date()
    console.go(f"/apps/{target['id']}/audience?from={day}&to={day}")
    assert console.number_of("Sessions") == 4
    assert console.number_of("Active people") == 3
