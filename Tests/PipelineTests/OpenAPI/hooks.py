"""Leads generated requests to where the data is; see check.py."""

import datetime
import itertools
import os
import re
import uuid

import schemathesis

APP_ID = os.environ["APP_ID"]
FIRST_DAY = datetime.date.fromisoformat(os.environ["FIRST_DAY"])
DAYS = (datetime.date.fromisoformat(os.environ["LAST_DAY"]) - FIRST_DAY).days + 1
PEOPLE = os.environ["PERSON_KEYS"].split(",")
# A key may only ask ten times a second; so there are several.
KEYS = itertools.cycle(os.environ["READ_KEYS"].split(","))


def day(text):
    """The date a text is, or None; only in the form that the document allows."""
    if not isinstance(text, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return None
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


@schemathesis.hook
def map_path_parameters(context, parameters):
    """Nobody guesses a UUID: most of those that are valid become that of the app."""
    try:
        number = uuid.UUID(parameters["app_id"]).int
    except (KeyError, TypeError, ValueError, AttributeError):
        return parameters
    if number % 8:
        parameters["app_id"] = APP_ID
        if re.fullmatch(r"u:.+|i:[0-9a-fA-F-]{36}", str(parameters.get("person_key"))):
            parameters["person_key"] = PEOPLE[number % len(PEOPLE)]
    return parameters


@schemathesis.hook
def map_query(context, query):
    """Two dates of any year are rarely in order and near each other: most of those that are valid become days with data."""
    first, last = day((query or {}).get("from")), day((query or {}).get("to"))
    if first and last and first.toordinal() % 8:
        start = first.toordinal() % DAYS
        query["from"] = (FIRST_DAY + datetime.timedelta(days=start)).isoformat()
        query["to"] = (FIRST_DAY + datetime.timedelta(days=start + last.toordinal() % (DAYS - start))).isoformat()
    user = (query or {}).get("user_id")
    if isinstance(user, str) and user and not user[0].isdigit():
        query["user_id"] = PEOPLE[0][2:]
    return query


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = {**(case.headers or {}), "Authorization": "Bearer " + next(KEYS)}


@schemathesis.hook
def after_call(context, case, response):
    """Notes what was asked and answered, so that the test sees whether every operation was reached."""
    operation = case.operation.definition.raw.get("operationId")
    with open("answers.txt", "a", encoding="utf-8") as file:
        file.write(f"{operation} {response.status_code}\n")
