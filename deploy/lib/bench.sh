# shellcheck shell=bash
# deploy/dev bench: what things cost on this machine, each beside a yardstick in the same run. Never part of the tests.

help_bench() {
    cat <<'TEXT'
usage: deploy/dev bench ingest [--seconds N] [--connections N] [--json]
       deploy/dev bench read [--days N] [--sessions N] [--scale X] [--seed N] [--runs N] [--cold-runs N] [--json]
       deploy/dev bench aggregate [--events N] [--broker-events N] [--sessions N] [--contexts N] [--json]

Builds in release mode, starts a Postgres and a broker of its own on free ports, measures, and stops them again.

  ingest     batches of 1, 20 and 500 events, beside the same HTTP wrapper answering a constant
  read       reports over 30 days × 400,000 and 366 days × 100,000 sessions, beside ClickHouse (chdb) and DuckDB with the same data
  aggregate  storing a backlog, beside bare binary COPY of the same rows into a table with the same indexes; closing a day

  --json             one JSON document instead of a table
  ingest:
  --seconds N        length of each measurement (8)
  --connections N    connections of the load (256)
  read:
  --days N           one world of so many days instead of the two
  --sessions N       sessions a day with --days (400000)
  --scale X          part of the people and sessions to make (1)
  --seed N           what the worlds are made from (1)
  --runs N           times each question is put to the reader (15)
  --cold-runs N      readers started for the first answer (3)
  aggregate:
  --events N         events stored without a broker (1000000)
  --broker-events N  events the real aggregator reads from the broker (300000); the development broker holds them all in memory
  --sessions N       sessions of the day that is closed (1000000)
  --contexts N       contexts nobody has seen, one an event (0: left out)

Compare ratios and CPU figures; rates depend on what else the machine does, the load generator included.
TEXT
}

command_bench() {
    COMMAND='bench'
    if wants_help "$@" || (($# == 0)); then
        help_bench
        return
    fi
    local name=$1
    [[ $name =~ ^(ingest|read|aggregate)$ ]] || die "There is no bench '$name'." "deploy/dev bench --help lists them."
    shift
    unset FOREGROUND_BIN_DIR
    export FOREGROUND_BUILD=release
    mkdir -p "$ROOT/.run"
    use_stack "$ROOT/.run/bench"
    lock_stack
    trap on_bench_exit EXIT
    stop_leftovers
    heading "Tools" >&2
    ensure_debian packages-build packages-run packages-bench >&2
    ensure_python requirements-run >&2
    [[ $name != read ]] || ensure_python requirements-bench >&2
    build_products "Building (release)" >&2
    start_bench_servers >&2
    INGEST_DATABASE_URL=$(database_url foreground_ingest "$INGEST_DB_PASSWORD")
    export_fgctl
    READER_DATABASE_URL=$(database_url foreground_reader "$READER_DB_PASSWORD")
    AGGREGATOR_DATABASE_URL=$(database_url foreground_aggregator "$AGGREGATOR_DB_PASSWORD")
    export INGEST_DATABASE_URL READER_DATABASE_URL AGGREGATOR_DATABASE_URL BIN_DIR
    heading "Measuring" >&2
    run_group "$VENV/bin/python" "$ROOT/deploy/lib/bench/$name.py" "$@"
    ((GROUP_STATUS == 0)) || die "The measurement failed." "Logs: $(relative "$STACK_DIR/logs")"
}

start_bench_servers() {
    local ports
    heading "Servers"
    mapfile -t ports < <(python3 "$ROOT/deploy/lib/ports.py" free 2)
    PORT[postgres]=${ports[0]}
    PORT[broker]=${ports[1]}
    load_secrets
    start_postgres "${POSTGRES_TEST_OPTIONS[@]}"
    start_broker
    prepare_database_and_topics
}

on_bench_exit() {
    local status=$?
    trap '' INT TERM HUP
    stop_group
    release_services
    stop_stack
    remove_postgres_dir
    rm -rf "$STACK_DIR/kafka"
    exit "$status"
}
