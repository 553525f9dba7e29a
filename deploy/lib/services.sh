# shellcheck shell=bash
# The four services as background processes.

service_metrics_url() { say "http://127.0.0.1:${PORT[$1-metrics]}"; }

# exec_service NAME: what it reads from its environment, then the executable itself.
exec_service() {
    local name=$1 prefix=${1^^} password="${1^^}_DB_PASSWORD"
    export_kafka
    DATABASE_URL=$(database_url "foreground_$name" "${!password}")
    export DATABASE_URL
    export "${prefix}_METRICS_ADDRESS=127.0.0.1" "${prefix}_METRICS_PORT=${PORT[$name-metrics]}"
    case $name in
        aggregator)
            export AGGREGATOR_CLOSE_INTERVAL_MS=${AGGREGATOR_CLOSE_INTERVAL_MS:-900000}
            export KAFKA_GROUP=${KAFKA_GROUP:-foreground-aggregator}
            # The development broker never misses a member that was killed; one that comes back by name gets its partitions at once.
            export KAFKA_GROUP_INSTANCE=${KAFKA_GROUP_INSTANCE:-dev}
            ;;
        *)
            export "${prefix}_ADDRESS=127.0.0.1" "${prefix}_PORT=${PORT[$name]}"
            ;;
    esac
    if [[ $name == ingest ]]; then
        mkdir -p "$STACK_DIR/ingest"
        export INGEST_REGISTRY_PATH=$STACK_DIR/ingest/registry.json
        if [[ -z ${GEOIP_DATABASE_PATH:-} ]]; then
            make_demo_places "$STACK_DIR/demo-places.mmdb"
            export GEOIP_DATABASE_PATH=$STACK_DIR/demo-places.mmdb
        fi
    fi
    if [[ $name == console ]]; then
        export CONSOLE_PAGES=${CONSOLE_PAGES:-$ROOT/Services/Console/Pages}
        export CONSOLE_URL=http://127.0.0.1:${PORT[console]} INGEST_PUBLIC_URL=http://127.0.0.1:${PORT[ingest]}
        export READ_PUBLIC_URL=http://127.0.0.1:${PORT[reader]} ADMIN_EMAIL=${ADMIN_EMAIL:-admin@example.com}
    fi
    # A service is given no secrets but its own.
    export -n POSTGRES_PASSWORD ADMIN_PASSWORD ERASURE_HASH_KEY {INGEST,AGGREGATOR,READER,CONSOLE}_DB_PASSWORD
    [[ $name != aggregator ]] || export ERASURE_HASH_KEY
    [[ $name != console ]] || export ADMIN_PASSWORD
    cd "$ROOT"
    exec setsid -- "$BIN_DIR/foreground-$name"
}

service_ready() { curl --silent --fail --max-time 2 --output /dev/null "$(service_metrics_url "$1")/readyz"; }

# start_services NAME…: all at once, then waits for each.
start_services() {
    local name log
    (($# > 0)) || return 0
    step_begin "Starting $*"
    for name; do process_start "$name" exec_service "$name"; done
    for name; do
        process_wait "$name" 60 service_ready "$name" || {
            log=$STACK_DIR/logs/$name.log
            step_failed
            show_tail "$log"
            process_alive "$name" || die "$name ended right after its start." "Its log is $(relative "$log")."
            die "$name is running but not ready after 60 s." "Its log is $(relative "$log"); it answers at $(service_metrics_url "$name")/readyz"
        }
    done
    step_end
}

# stop_stack: services, broker, Postgres; each step waits for the one before. Only processes that we started.
stop_stack() {
    local name
    for name in "${SERVICES[@]}"; do process_signal "$name" TERM; done
    for name in "${SERVICES[@]}"; do process_join "$name" 30; done
    process_signal broker TERM
    # It writes all its data now.
    process_join broker 120
    # SIGINT is Postgres' fast shutdown: ends the sessions and leaves a clean cluster.
    process_signal postgres INT
    process_join postgres 60
}
