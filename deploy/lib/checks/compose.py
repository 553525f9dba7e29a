"""What the compose specification cannot say about our docker-compose.yml: references, limits, secrets, exposure."""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
FILE = ROOT / "docker-compose.yml"
EXAMPLE = ROOT / "deploy/compose.env.example"
SECRET = re.compile(r"PASSWORD|SECRET|TOKEN|HASH_KEY")
OPTIONAL_SECRETS = {"TELEGRAM_BOT_TOKEN"}
ONE_SHOT = {"migrate"}
# These two answer for their own root file system and user: their images switch to a user of theirs at start.
THIRD_PARTY = {"kafka", "postgres"}
ENTRANCE = "edge"


def references(document, name, service):
    services, volumes = document["services"], document.get("volumes", {})
    for other in service.get("depends_on", {}):
        if other not in services:
            yield f"depends on {other}, which does not exist"
        elif service["depends_on"][other]["condition"] == "service_healthy" and "healthcheck" not in services[other]:
            yield f"waits for the health of {other}, which has no healthcheck"
    for file in service.get("env_file", []):
        if not (ROOT / file).is_file():
            yield f"reads {file}, which does not exist"
    for volume in service.get("volumes", []):
        source = volume.split(":")[0]
        if source.startswith("."):
            if not (ROOT / source).exists():
                yield f"mounts {source}, which does not exist"
        elif source not in volumes:
            yield f"mounts the volume {source}, which is not declared"


def hardening(name, service):
    if "container_name" in service:
        yield "has a container_name, so it cannot have replicas"
    if service.get("ports") and name != ENTRANCE:
        yield f"publishes ports; only {ENTRANCE} may"
    if "no-new-privileges:true" not in service.get("security_opt", []):
        yield "lacks security_opt no-new-privileges"
    if name in THIRD_PARTY:
        return
    if not service.get("read_only"):
        yield "has a writable root file system"
    if service.get("cap_drop") != ["ALL"]:
        yield "keeps capabilities"
    if service.get("user", "root").split(":")[0] in {"root", "0"}:
        yield "runs as root"


def operation(name, service):
    if "restart" not in service:
        yield "has no restart policy"
    if "healthcheck" not in service and name not in ONE_SHOT:
        yield "has no healthcheck"
    if not service.get("deploy", {}).get("resources", {}).get("limits", {}).get("memory"):
        yield "has no memory limit"
    if "logging" not in service:
        yield "has no bound on its log"
    image = service.get("image", "")
    if ":" not in image.replace("${", "") or image.endswith(":latest"):
        yield "names no version of its image"


def secrets(text):
    """Every secret comes from outside, and its absence is an error that says what to do."""
    for match in re.finditer(r"(?<!\$)\$\{([A-Z_]+)([^}]*)\}", text):
        variable, rest = match.groups()
        if SECRET.search(variable) and variable not in OPTIONAL_SECRETS and not rest.startswith(":?"):
            yield f"${{{variable}}} must be written ${{{variable}:?message}}"
        elif not rest.startswith((":?", ":-", "-")):
            yield f"${{{variable}}} has neither a default nor a message"
        if not re.search(rf"^#?\s*{variable}=", EXAMPLE.read_text(), re.MULTILINE):
            yield f"{variable} is missing from {EXAMPLE.relative_to(ROOT)}"


def main():
    text = FILE.read_text()
    document = yaml.safe_load(text)
    problems = list(secrets(text))
    for name, service in document["services"].items():
        for found in (*references(document, name, service), *hardening(name, service), *operation(name, service)):
            problems.append(f"{name} {found}")
    used = {volume.split(":")[0] for service in document["services"].values() for volume in service.get("volumes", [])}
    problems += [f"volume {name} is not used" for name in document.get("volumes", {}) if name not in used]
    for problem in problems:
        print(f"docker-compose.yml: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
