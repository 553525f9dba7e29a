# shellcheck shell=bash
# Checks of the source text and of the deployment files, part of deploy/dev test.

CHECKS_FAILED=()

# run_check TITLE COMMAND…: the command's output is shown when it fails; the other checks still run.
run_check() {
    local title=$1
    shift
    run_step "$title" "$STACK_DIR/logs/check.log" "$@"
    ((GROUP_STATUS == 0)) || CHECKS_FAILED+=("$title")
}

check_sources() {
    heading "Checks"
    run_check "Swift format" check_swift_format
    run_check "Shell scripts" check_shell
    run_check "Python helpers" check_python
    run_check "docker-compose.yml" check_compose
    run_check "Dockerfile" check_dockerfile
    run_check "nginx configuration" check_nginx
    run_check "Example settings" check_env_files
    require_checks
}

require_checks() {
    ((${#CHECKS_FAILED[@]} == 0)) || die "These checks failed: ${CHECKS_FAILED[*]}" \
        "Run again without them: deploy/dev test --no-lint"
}

check_swift_format() {
    cd "$ROOT"
    swift format lint --strict --recursive --parallel Package.swift Services Shared Tests
}

check_shell() {
    cd "$ROOT"
    bash -n .ci/run
    local file
    for file in deploy/dev deploy/lib/*.sh; do bash -n "$file"; done
    shellcheck --external-sources --check-sourced --source-path=SCRIPTDIR deploy/dev .ci/run
}

check_python() {
    "$VENV/bin/python" - "$ROOT"/deploy/lib/*.py "$ROOT"/deploy/lib/*/*.py "$ROOT"/Tests/*/*/*.py <<'PYTHON'
import sys
for path in sys.argv[1:]:
    with open(path) as source:
        compile(source.read(), path, "exec")
PYTHON
}

check_compose() {
    cd "$ROOT"
    # The schema that check-jsonschema carries is the one of the compose specification; no network is used.
    "$VENV/bin/python" -m check_jsonschema --builtin-schema vendor.compose-spec docker-compose.yml
    "$VENV/bin/python" deploy/lib/checks/compose.py
}

check_dockerfile() { "$VENV/bin/hadolint" --failure-threshold info "$ROOT/deploy/Dockerfile"; }

# Starts Debian's nginx with our configuration in front of servers of its own, and looks at what goes through.
check_nginx() { "$VENV/bin/python" "$ROOT/deploy/lib/checks/edge.py"; }

check_env_files() { "$VENV/bin/python" "$ROOT/deploy/lib/checks/env_files.py" "$ROOT"/deploy/*.env; }

# check_built_libraries: the Dockerfile's runtime packages are those that the executables really load.
check_built_libraries() {
    local toolchain product executables=()
    toolchain=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")
    for product in "${PRODUCTS[@]}"; do executables+=("$BIN_DIR/$product"); done
    run_check "Runtime packages of the image" \
        "$VENV/bin/python" "$ROOT/deploy/lib/checks/libraries.py" "$ROOT/deploy/lib/packages-runtime.txt" "$toolchain" "${executables[@]}"
    require_checks
}
