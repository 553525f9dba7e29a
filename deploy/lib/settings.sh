# shellcheck shell=bash
# Where a stack lives, its ports, its secrets, and the addresses that follow from them.

SERVICES=(ingest aggregator reader console)
COMPONENTS=(postgres broker "${SERVICES[@]}")

# Name of the port, the environment variable that overrides it, its default. All are below 32768, where the numbers begin
# that Linux hands out to outgoing connections: one of those would make a port busy now and then.
PORTS=(
    "postgres FOREGROUND_POSTGRES_PORT 15432"
    "broker FOREGROUND_KAFKA_PORT 9392"
    "ingest FOREGROUND_INGEST_PORT 8080"
    "reader FOREGROUND_READER_PORT 8081"
    "console FOREGROUND_CONSOLE_PORT 8082"
    "ingest-metrics FOREGROUND_INGEST_METRICS_PORT 9080"
    "reader-metrics FOREGROUND_READER_METRICS_PORT 9081"
    "console-metrics FOREGROUND_CONSOLE_METRICS_PORT 9082"
    "aggregator-metrics FOREGROUND_AGGREGATOR_METRICS_PORT 9083"
)
declare -A PORT=()

# use_stack DIRECTORY: the commands that follow act on the stack that lives there.
use_stack() {
    STACK_DIR=$1
    mkdir -p "$STACK_DIR/logs" "$STACK_DIR/pids"
    # Postgres may run as another user, who must be able to reach its folder. What is private says so itself.
    chmod a+x "$ROOT/.run" "$STACK_DIR"
}

# lock_stack: one command at a time changes a stack. The lock is descriptor 9 and ends with this script.
lock_stack() {
    exec 9>"$STACK_DIR/lock"
    flock -n 9 || die "Another deploy/dev is working on $(relative "$STACK_DIR")." "Wait until it is done, or stop it."
}

any_alive() {
    local name
    for name in "${COMPONENTS[@]}"; do
        ! process_alive "$name" || return 0
    done
    return 1
}

# choose_ports: what is running keeps its ports; a stack that is down takes the environment's, or the defaults.
choose_ports() {
    local entry name setting default
    for entry in "${PORTS[@]}"; do
        read -r name setting default <<<"$entry"
        PORT[$name]=${!setting:-$default}
    done
    load_ports running
}

# load_ports [running]: the ports of the last `up`; with `running` only when something of it still runs.
load_ports() {
    [[ -f $STACK_DIR/ports ]] || return 0
    [[ ${1:-} != running ]] || any_alive || return 0
    local name port setting entry
    while read -r name port; do
        for entry in "${PORTS[@]}"; do
            read -r _ setting _ <<<"$entry"
            [[ $entry != "$name "* || -z ${!setting:-} || ${!setting} == "$port" ]] ||
                warn "$setting=${!setting} has no effect: the stack runs with port $port. To change it: deploy/dev down first."
        done
        PORT[$name]=$port
    done <"$STACK_DIR/ports"
}

save_ports() {
    local entry name
    for entry in "${PORTS[@]}"; do
        name=${entry%% *}
        say "$name ${PORT[$name]}"
    done >"$STACK_DIR/ports"
}

# check_ports NAME…: every port of these components is free, or all the problems are told at once.
check_ports() {
    local entry name setting wanted=()
    for entry in "${PORTS[@]}"; do
        read -r name setting _ <<<"$entry"
        [[ " $* " != *" ${name%-metrics} "* ]] || wanted+=("$name=${PORT[$name]}=$setting")
    done
    local problems
    problems=$(python3 "$ROOT/deploy/lib/ports.py" check "${wanted[@]}") || die "Not started." "${problems//$'\n'/$'\n       '}"
}

# load_secrets: made once for a stack, kept in a private file.
load_secrets() {
    local file=$STACK_DIR/secrets
    [[ -f $file ]] || new_secrets | write_private "$file"
    # A stack that was made before erasures gets its key now.
    grep -q '^ERASURE_HASH_KEY=' "$file" || say "ERASURE_HASH_KEY=$(random_token)" >>"$file"
    # shellcheck disable=SC1090
    source "$file"
}

new_secrets() {
    local name
    for name in POSTGRES_PASSWORD {INGEST,AGGREGATOR,READER,CONSOLE}_DB_PASSWORD ADMIN_PASSWORD ERASURE_HASH_KEY; do
        say "$name=$(random_token)"
    done
}

database_url() { say "postgresql://$1:$2@127.0.0.1:${PORT[postgres]}/foreground"; }

admin_database_url() { database_url foreground "$POSTGRES_PASSWORD"; }

export_kafka() {
    export KAFKA_BROKERS="127.0.0.1:${PORT[broker]}"
    export KAFKA_EVENTS_TOPIC=${KAFKA_EVENTS_TOPIC:-foreground.events}
    export KAFKA_REJECTIONS_TOPIC=${KAFKA_REJECTIONS_TOPIC:-foreground.rejections}
}

# What fgctl reads: the owner of the database, the broker, and the passwords that `migrate` gives the services' roles.
export_fgctl() {
    export_kafka
    DATABASE_URL=$(admin_database_url)
    export DATABASE_URL INGEST_DB_PASSWORD AGGREGATOR_DB_PASSWORD READER_DB_PASSWORD CONSOLE_DB_PASSWORD ERASURE_HASH_KEY
}

# fgctl ARGS…: the built tool with this stack's settings, in a subshell so that they stay there.
fgctl() { (export_fgctl && exec "$BIN_DIR/fgctl" "$@"); }
