"""People and what is known of them."""

import console as tools
from console import chromium
from events import session


def erased_person(console):
    """Somebody is found by their id, deleted after the typed confirmation, and found nowhere afterwards."""
    console.sign_in()
    app, key = console.make_app("Forgetful")
    tools.accepted(key, session(user="acct_to_forget"))
    tools.accepted(key, session(user="acct_to_keep"))
    tools.fgctl("close-days")
    console.go(f"/apps/{app['id']}/profiles")
    console.type("User ID or install ID", "acct_to_forget")
    console.press("Find")
    console.press("acct_to_forget", "main a")
    console.sees("Delete data…")
    console.press("Delete data…")
    console.type("Type", "acct_to_forget")
    console.press("Delete data", "dialog button")
    console.sees("The data is deleted")
    found = console.get(f"/v1/apps/{app['id']}/profiles?user_id=acct_to_forget")
    assert not (found.get("profiles") or found.get("items")), found
    tools.fgctl("erasure", "verify", "--app", app["id"], "--user", "acct_to_forget")
    console.go(f"/apps/{app['id']}/profiles")
    console.sees("acct_to_keep")
    assert "acct_to_forget" not in console.text
    audit = str(console.get("/console/v1/audit"))
    assert "acct_to_forget" not in audit, "the audit log names who was to be forgotten"
    chromium.wait_until("the request is in the audit log", lambda: "deletion" in str(console.get("/console/v1/audit")))
