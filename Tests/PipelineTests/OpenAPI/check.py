"""Runs schemathesis on the document that a service serves, against that service.

usage: check.py URL DIRECTORY MAX_EXAMPLES SEED

DOCUMENT is its path and HOOKS the module that leads requests to what is there. For a reader APP_ID names an app with data between FIRST_DAY and LAST_DAY, PERSON_KEYS people in it; READ_KEYS are secret keys that may
read and delete. Exits with schemathesis' own code. In a copy of the document no answer may have members that the document does not name.
"""

import json
import os
import pathlib
import sys
import urllib.request

CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
]


def strict(schema):
    """Forbids what is not named in an object, here and in everything inside."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: strict(value) for name, value in schema.items()}
    if result.get("type") == "object" and "properties" in result:
        result["additionalProperties"] = False
    return result


def main():
    url, directory, examples, seed = sys.argv[1:]
    with urllib.request.urlopen(url + os.environ.get("DOCUMENT", "/openapi.json"), timeout=30) as answer:
        document = json.load(answer)
    schemas = document["components"]["schemas"]
    for name in schemas:
        # What clients send may have more: it is ignored.
        if not name.startswith("New"):
            schemas[name] = strict(schemas[name])
    if "HOOKS" in os.environ:
        # The hooks sign in for every request; that none is answered without is another test's business.
        document.pop("security", None)
        for operations in document["paths"].values():
            for operation in operations.values():
                operation.pop("security", None)
        document["components"].pop("securitySchemes", None)
    path = pathlib.Path(directory, "openapi.json")
    path.write_text(json.dumps(document))
    here = pathlib.Path(__file__).parent
    os.chdir(directory)
    environment = os.environ | {"SCHEMATHESIS_HOOKS": os.environ.get("HOOKS", "hooks"), "PYTHONPATH": str(here), "PYTHONDONTWRITEBYTECODE": "1"}
    arguments = [
        sys.executable, "-m", "schemathesis.cli", "run", str(path), "--url", url, "--checks", ",".join(CHECKS),
        "--phases", "examples,coverage,fuzzing", "--max-examples", examples, "--seed", seed, "--workers", "1",
        "--generation-database", "none", "--warnings", "off", "--suppress-health-check", "all", "--no-color",
        "--request-timeout", "60", "--continue-on-failure",
    ]
    os.execve(sys.executable, arguments, environment)


main()
