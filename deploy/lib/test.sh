# shellcheck shell=bash
# deploy/dev test: lint, checks, build, servers of its own, tests, and everything stopped again.

help_test() {
    cat <<'TEXT'
usage: deploy/dev test [--filter PATTERN] [--no-lint] [--fuzz] [--long] [--keep]

Installs what is missing, checks the format and the deployment files, builds with warnings as errors, starts a Postgres
and a broker of its own on free ports with their data in .run/test/, runs all tests and stops the servers again.

  --filter PATTERN   only tests whose name matches, as in swift test --filter
  --no-lint          leave out the format check and the checks of the deployment files
  --fuzz             then fuzz each target for a few seconds as well (see deploy/dev fuzz); always where CI is set
  --long             let tests that are shortened run their full length: aggregators killed under load for minutes
  --keep             leave the servers running afterwards and print how to reach them; the next test run ends them

The tests find: TEST_DATABASE_URL, TEST_KAFKA_BROKERS, TEST_BROKER_BIN (to start further brokers), TEST_PYTHON (with the
PyPI packages of deploy/lib/requirements-{test,browser}.txt), TEST_POSTGRES_BIN (to start a Postgres of their own) and
FOREGROUND_BIN_DIR (the built executables).
TEXT
}

command_test() {
    COMMAND='test'
    if wants_help "$@"; then
        help_test
        return
    fi
    local filter='' lint=yes fuzz=${CI:-}
    KEEP_SERVERS=''
    while (($# > 0)); do
        case $1 in
            --filter)
                filter=${2:?--filter needs a pattern}
                shift
                ;;
            --no-lint) lint='' ;;
            --fuzz) fuzz=yes ;;
            --long) export FOREGROUND_LONG=1 ;;
            --keep) KEEP_SERVERS=yes ;;
            *) refuse_arguments "$1" ;;
        esac
        shift
    done
    # A test of executables from elsewhere would not test this tree.
    unset FOREGROUND_BIN_DIR
    mkdir -p "$ROOT/.run"
    use_stack "$ROOT/.run/test"
    lock_stack
    TEST_STARTED_MS=$(now_ms)
    trap on_test_exit EXIT
    stop_leftovers
    prepare_tools
    [[ -z $lint ]] || check_sources
    build_products "Building with tests (swift build --build-tests)" --build-tests
    [[ -z $lint ]] || check_built_libraries
    start_test_servers
    run_swift_tests "$filter"
    [[ -z $fuzz ]] || fuzz_briefly
}

# What a killed run left behind, by the pid files it wrote.
stop_leftovers() {
    stop_stack
    remove_postgres_dir
    rm -rf "$STACK_DIR"/{kafka,secrets} "$STACK_DIR"/results*.xml
}

prepare_tools() {
    heading "Tools"
    ensure_debian packages-build packages-run packages-test packages-browser
    ensure_swift
    ensure_python requirements-run requirements-test requirements-browser
    say "  all there"
}

start_test_servers() {
    local ports
    heading "Servers"
    mapfile -t ports < <(python3 "$ROOT/deploy/lib/ports.py" free 2)
    PORT[postgres]=${ports[0]}
    PORT[broker]=${ports[1]}
    load_secrets
    start_postgres "${POSTGRES_TEST_OPTIONS[@]}"
    start_broker
    TEST_DATABASE_URL=$(admin_database_url)
    export TEST_DATABASE_URL
    export TEST_KAFKA_BROKERS=127.0.0.1:${PORT[broker]}
    export TEST_BROKER_BIN=$BROKER_BIN TEST_PYTHON=$VENV/bin/python TEST_POSTGRES_BIN=$POSTGRES_BIN
}

# swift_test NAME ARGUMENTS…: one run, with a report of its own.
#
# XCTest is left out: there is nothing for it to run, and it would end its part with "Executed 0 tests".
swift_test() {
    local name=$1
    shift
    cd "$ROOT"
    export FOREGROUND_BIN_DIR=$BIN_DIR
    swift test -c "${FOREGROUND_BUILD:-debug}" --skip-build --disable-xctest --xunit-output "$STACK_DIR/results-$name.xml" "$@" 2>&1 |
        tee "$STACK_DIR/logs/swift-test-$name.log"
}

# Tests of one module first and those of the whole system after them: beside a loaded ingest, the timeouts of a module's
# test would tell of the machine.
run_swift_tests() {
    local filter=() counts passed failed skipped
    FAILED_RUNS=()
    [[ -z $1 ]] || filter=(--filter "$1")
    heading "Tests of modules"
    run_tests modules "${filter[@]}" --skip '^PipelineTests[.]'
    heading "Tests of the whole"
    run_tests whole "${filter[@]}" --skip '^(?!PipelineTests[.])'
    counts=$("$VENV/bin/python" "$ROOT/deploy/lib/checks/count_tests.py" "$STACK_DIR") || counts="0 0 0"
    read -r passed failed skipped <<<"$counts"
    printf '\ntests: %d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    ((${#FAILED_RUNS[@]} == 0)) || die "swift test failed." "Its output is in ${FAILED_RUNS[*]}."
    ((failed == 0)) || die "$failed tests failed."
    ((passed > 0)) || die "No test ran." "${1:+Does --filter $1 match a test?}"
    TEST_SUMMARY="$passed tests passed, $skipped skipped"
}

run_tests() {
    run_group swift_test "$@"
    ((GROUP_STATUS == 0)) || FAILED_RUNS+=("$(relative "$STACK_DIR/logs/swift-test-$1.log")")
}

# A look at what is new: half a minute of four targets, and as long for building them.
fuzz_briefly() {
    heading "Fuzzing"
    build_fuzz_targets
    fuzz_targets 7 "${FUZZ_TARGETS[@]}"
}

on_test_exit() {
    local status=$?
    trap '' INT TERM HUP
    stop_group
    release_services
    if [[ -n $KEEP_SERVERS && -n ${TEST_KAFKA_BROKERS:-} ]]; then
        say "Left running: TEST_DATABASE_URL=$(quote "$TEST_DATABASE_URL") TEST_KAFKA_BROKERS=$TEST_KAFKA_BROKERS"
    else
        stop_stack
        remove_postgres_dir
        rm -rf "$STACK_DIR/kafka"
    fi
    if ((status == 0)); then
        [[ -z ${TEST_SUMMARY:-} ]] || say "deploy/dev test: $TEST_SUMMARY, in $(seconds_since "$TEST_STARTED_MS")"
    else
        say "deploy/dev test: FAILED after $(seconds_since "$TEST_STARTED_MS")"
    fi
    exit "$status"
}
