# shellcheck shell=bash
# A Postgres cluster of our own, on 127.0.0.1 only. Clusters that Debian's packages made are never touched.

POSTGRES_BIN=${FOREGROUND_POSTGRES_BIN:-/usr/lib/postgresql/15/bin}
# Settings of the server; `test` gives up durability for speed.
POSTGRES_OPTIONS=(-c shared_buffers=128MB -c max_wal_size=2GB -c max_connections=100)
POSTGRES_TEST_OPTIONS=(
    -c shared_buffers=256MB -c max_wal_size=2GB -c max_connections=300
    -c fsync=off -c synchronous_commit=off -c full_page_writes=off
)

# as_postgres COMMAND…: Postgres refuses to run as root, so there it runs as the package's own user.
as_postgres() {
    if ((EUID == 0)); then
        (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
    else
        "$@"
    fi
}

# choose_postgres_dir: sets POSTGRES_DIR; below the stack's folder, unless Postgres' user cannot get there.
#
# A clone under a private home (mode 700) is such a place. We do not open somebody's home: the data then lives in a
# private folder under /var/tmp, whose name is remembered, and which `down --wipe` removes.
choose_postgres_dir() {
    local remembered=$STACK_DIR/postgres-dir
    POSTGRES_DIR=$STACK_DIR/postgres
    if [[ -f $remembered ]]; then
        POSTGRES_DIR=$(<"$remembered")
        # Cleared by a reboot or by hand: start again.
        [[ ! -d $POSTGRES_DIR ]] || return 0
        rm -f "$remembered"
        POSTGRES_DIR=$STACK_DIR/postgres
    fi
    if ((EUID == 0)) && ! as_postgres test -x "$STACK_DIR"; then
        POSTGRES_DIR=$(mktemp -d /var/tmp/foreground-postgres.XXXXXX)
        say "$POSTGRES_DIR" >"$remembered"
    fi
}

# remove_postgres_dir: the data of a stopped cluster.
remove_postgres_dir() {
    local remembered=$STACK_DIR/postgres-dir outside
    rm -rf "$STACK_DIR/postgres"
    [[ -f $remembered ]] || return 0
    outside=$(<"$remembered")
    [[ $outside != /var/tmp/foreground-postgres.* ]] || rm -rf "$outside"
    rm -f "$remembered"
}

require_postgres_binaries() {
    [[ -x $POSTGRES_BIN/postgres && -x $POSTGRES_BIN/initdb ]] ||
        die "There is no Postgres server in $POSTGRES_BIN." "Install postgresql-15, or set FOREGROUND_POSTGRES_BIN to the bin folder of another one."
}

# init_postgres: beside its final place, then renamed, so that an interrupted start never leaves half a cluster.
init_postgres() {
    rm -rf "$POSTGRES_DIR/data.new"
    mkdir -p "$POSTGRES_DIR"
    (umask 077 && say "$POSTGRES_PASSWORD" >"$POSTGRES_DIR/password")
    ((EUID != 0)) || chown -R postgres:postgres "$POSTGRES_DIR"
    chmod 700 "$POSTGRES_DIR"
    as_postgres "$POSTGRES_BIN/initdb" --pgdata="$POSTGRES_DIR/data.new" --username=foreground --pwfile="$POSTGRES_DIR/password" \
        --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-instructions --no-sync
    rm -f "$POSTGRES_DIR/password"
    mv "$POSTGRES_DIR/data.new" "$POSTGRES_DIR/data"
}

exec_postgres() {
    local command=(
        "$POSTGRES_BIN/postgres" -D "$POSTGRES_DIR/data" -p "${PORT[postgres]}"
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c log_timezone=UTC -c timezone=UTC "$@"
    )
    cd "$POSTGRES_DIR"
    ((EUID != 0)) || command=(setpriv --reuid=postgres --regid=postgres --init-groups -- "${command[@]}")
    exec setsid -- "${command[@]}"
}

postgres_ready() { "$POSTGRES_BIN/pg_isready" --quiet --host=127.0.0.1 --port="${PORT[postgres]}"; }

run_sql() {
    PGPASSWORD=$POSTGRES_PASSWORD "$POSTGRES_BIN/psql" --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 \
        --host=127.0.0.1 --port="${PORT[postgres]}" --username=foreground --dbname="$1" --command="$2"
}

# postmaster_gone: the postmaster of the last run is no more, not even as a zombie that waits to be collected.
postmaster_gone() {
    local pid
    { read -r pid <"$POSTGRES_DIR/data/postmaster.pid"; } 2>/dev/null || return 0
    [[ ! -d /proc/$pid || $(cat "/proc/$pid/comm" 2>/dev/null) != postgres ]]
}

# After a crash Postgres refuses to start as long as its predecessor's pid exists: give it a moment.
wait_for_predecessor() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        ! postmaster_gone || return 0
        sleep 0.1
    done
}

# start_postgres OPTIONS…: makes the cluster when there is none, and leaves a database named foreground in it.
start_postgres() {
    local log=$STACK_DIR/logs/postgres.log
    require_postgres_binaries
    choose_postgres_dir
    if [[ ! -f $POSTGRES_DIR/data/PG_VERSION ]]; then
        forget_old_database
        run_step "Making a Postgres cluster" "$STACK_DIR/logs/initdb.log" init_postgres
        ((GROUP_STATUS == 0)) || die "initdb failed in $POSTGRES_DIR."
    fi
    step_begin "Starting Postgres on port ${PORT[postgres]}"
    wait_for_predecessor
    process_start postgres exec_postgres "$@"
    process_wait postgres 60 postgres_ready || {
        step_failed
        show_tail "$log"
        die "Postgres did not start." "Its log is $(relative "$log"). To begin with an empty one: deploy/dev down --wipe"
    }
    [[ $(run_sql postgres "SELECT count(*) FROM pg_database WHERE datname = 'foreground'") == 1 ]] ||
        run_sql postgres 'CREATE DATABASE foreground'
    step_end
}

# A new cluster knows no app: what was remembered of the old one, and the topics filled for it, would only mislead.
forget_old_database() {
    rm -f "$STACK_DIR/demo-app.json" "$STACK_DIR/api-key.json"
    process_alive broker || rm -rf "$STACK_DIR/kafka"
}
