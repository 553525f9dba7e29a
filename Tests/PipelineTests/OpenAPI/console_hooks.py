"""Leads generated requests of the control plane to what is there, signed in; see check.py."""

import itertools
import json
import os
import re
import urllib.request
import uuid

import schemathesis

URL = os.environ["CONSOLE"]
# Operations that end sessions: each time they are asked by somebody new.
ENDING = {"signOut", "signOutEverywhere", "changePassword"}
PASSWORD = "long enough for us"


ADDRESSES = itertools.count(1)


def address():
    """Sign-ins are limited by address: each comes from another one, as the trusted proxy tells it."""
    number = next(ADDRESSES)
    return f"203.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def send(method, path, body=None, cookie=None, token=None):
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address()}
    if cookie:
        headers |= {"Cookie": cookie, "X-CSRF-Token": token, "X-Forwarded-For": address()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{URL}/console/v1/{path}", data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return (json.loads(text) if text else None), answer.headers


def sign_in():
    body, headers = send("POST", "session", {"email": os.environ["ADMIN_EMAIL"], "password": os.environ["ADMIN_PASSWORD"]})
    return headers["Set-Cookie"].split(";")[0], body["csrf_token"]


COOKIE, TOKEN = sign_in()


def make_app(name):
    return send("POST", "apps", {"name": name, "platforms": ["ios"], "timezone": "UTC"}, COOKIE, TOKEN)[0]


def invite():
    email = f"{uuid.uuid4()}@example.com"
    return email, send("POST", "members", {"email": email}, COOKIE, TOKEN)[0]["path"].split("#")[1]


def set_up():
    email, token = invite()
    return send("POST", "setup", {"token": token, "email": email, "password": PASSWORD})


def somebody_new():
    body, headers = set_up()
    return headers["Set-Cookie"].split(";")[0], body["csrf_token"]


APP = make_app("Stays")


def is_id(text):
    try:
        uuid.UUID(text)
    except (TypeError, ValueError, AttributeError):
        return False
    return bool(re.fullmatch(r"[0-9a-fA-F-]{36}", str(text)))


@schemathesis.hook
def map_path_parameters(context, parameters):
    """Nobody guesses a UUID: most of those that are valid become that of an app."""
    if parameters and is_id(parameters.get("app_id")) and uuid.UUID(parameters["app_id"]).int % 8:
        parameters["app_id"] = APP["id"]
    return parameters


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    cookie, token = somebody_new() if operation in ENDING else (COOKIE, TOKEN)
    case.cookies = {}
    case.headers = {**(case.headers or {}), "Cookie": cookie, "X-CSRF-Token": token, "X-Forwarded-For": address()}
    prepare(operation, case)


def prepare(operation, case):
    """A valid request that would find nothing is given something to find."""
    body, path = case.body, case.path_parameters or {}
    mine = path.get("app_id") == APP["id"]
    if operation == "deleteApp" and mine and isinstance(body, dict) and set(body) == {"confirm"} and isinstance(body["confirm"], str):
        path["app_id"], body["confirm"] = make_app("Goes")["id"], "Goes"
    if operation == "mergeApp" and mine and isinstance(body, dict) and is_id(body.get("source_app_id")):
        path["app_id"] = make_app("Target")["id"]
        if isinstance(body.get("confirm"), str):
            body["source_app_id"], body["confirm"] = make_app("Source")["id"], "Source"
    if operation == "previewMerge" and mine and is_id((case.query or {}).get("source")):
        case.query["source"] = make_app("Source")["id"]
    if operation == "revokeWriteKey" and mine and is_id(path.get("key_id")):
        path["key_id"] = send("POST", f"apps/{APP['id']}/write-keys", {}, COOKIE, TOKEN)[0]["id"]
    if operation == "revokeSecretKey" and is_id(path.get("key_id")):
        path["key_id"] = send("POST", "api-keys", {"scopes": ["read"]}, COOKIE, TOKEN)[0]["id"]
    if operation == "removeMember" and is_id(path.get("account_id")):
        path["account_id"] = set_up()[0]["account"]["id"]
    if isinstance(body, dict) and all(isinstance(value, str) for value in body.values()):
        if operation == "signIn" and set(body) == {"email", "password"}:
            body |= {"email": os.environ["ADMIN_EMAIL"], "password": os.environ["ADMIN_PASSWORD"]}
        if operation == "changePassword" and set(body) == {"current_password", "password"} and 12 <= len(body["password"]) <= 256:
            body["current_password"] = PASSWORD
        if operation == "setUp" and set(body) == {"token", "email", "password"} and 12 <= len(body["password"]) <= 256:
            body["email"], body["token"] = invite()
    if isinstance(body, dict):
        if "timezone" in body and isinstance(body["timezone"], str) and body["timezone"]:
            body["timezone"] = "Europe/Berlin"
        if isinstance(body.get("app_id"), str) and is_id(body["app_id"]):
            body["app_id"] = APP["id"]
        if operation in {"inviteMember"} and isinstance(body.get("email"), str) and body["email"]:
            body["email"] = f"{uuid.uuid4()}@example.com"
    if operation == "getTimezone" and isinstance((case.query or {}).get("preview"), str) and case.query["preview"]:
        case.query["preview"] = "Asia/Tokyo"


@schemathesis.hook
def after_call(context, case, response):
    operation = case.operation.definition.raw.get("operationId")
    with open("answers.txt", "a", encoding="utf-8") as file:
        file.write(f"{operation} {response.status_code}\n")
