# shellcheck shell=bash
# up, down, status, logs, fgctl.

# wants_help "$@": --help among the arguments.
wants_help() {
    local argument
    for argument; do
        [[ $argument != --help && $argument != -h ]] || return 0
    done
    return 1
}

refuse_arguments() { (($# == 0)) || die "Unknown argument: $1" "See: deploy/dev ${COMMAND:-} --help"; }

help_up() {
    cat <<'TEXT'
usage: deploy/dev up

Installs what is missing, builds, starts Postgres, the development broker and the four services, migrates the
database, makes an app named Demo and an API key, sends a sample session and prints it read back. Run again, it
starts what is not running and leaves the rest alone. Everything lives in .run/, the settings in .run/dev.env.

Environment:
  FOREGROUND_BUILD=release          build with optimisation (default: debug)
  FOREGROUND_BIN_DIR=DIR            do not build, take the executables of this folder
  FOREGROUND_SWIFT_FLAGS=FLAGS      flags for swift build (default: -Xswiftc -warnings-as-errors)
  FOREGROUND_INGEST_PORT=8080       likewise _READER_PORT=8081, _CONSOLE_PORT=8082, _POSTGRES_PORT=15432,
                                    _KAFKA_PORT=9392, _INGEST_METRICS_PORT=9080, _READER_METRICS_PORT=9081,
                                    _CONSOLE_METRICS_PORT=9082, _AGGREGATOR_METRICS_PORT=9083
  FOREGROUND_SKIP_PACKAGES=1        install no Debian packages
Other settings of the services (LOG_LEVEL, GEOIP_DATABASE_PATH, …) are passed on; deploy/*.env lists them.
TEXT
}

command_up() {
    COMMAND='up'
    if wants_help "$@"; then
        help_up
        return
    fi
    refuse_arguments "$@"
    local started stopped
    started=$(now_ms)
    use_stack "$ROOT/.run"
    lock_stack
    choose_ports
    load_secrets
    mapfile -t stopped < <(stopped_components)
    if ((${#stopped[@]} == 0)); then
        already_up
        return
    fi
    heading "Foreground: starting ${stopped[*]}"
    ensure_debian packages-build packages-run
    ensure_python requirements-run
    check_ports "${stopped[@]}"
    save_ports
    build_products "Building (swift build, ${FOREGROUND_BUILD:-debug})"
    say "$BIN_DIR" >"$STACK_DIR/bin-dir"
    rm -f "$STACK_DIR/sample-seen"
    start_stopped "${stopped[@]}"
    write_dev_env
    send_sample
    print_addresses
    heading "Up after $(seconds_since "$started"). Stop with: deploy/dev down"
}

stopped_components() {
    local name
    for name in "${COMPONENTS[@]}"; do process_alive "$name" || say "$name"; done
}

# start_stopped NAME…: in the order in which they need each other.
start_stopped() {
    local name services=()
    [[ " $* " != *" postgres "* ]] || start_postgres "${POSTGRES_OPTIONS[@]}"
    [[ " $* " != *" broker "* ]] || start_broker
    prepare_database_and_topics
    prepare_demo_app
    for name in "${SERVICES[@]}"; do
        [[ " $* " != *" $name "* ]] || services+=("$name")
    done
    start_services "${services[@]}"
}

already_up() {
    local name
    BIN_DIR=$(<"$STACK_DIR/bin-dir")
    for name in "${SERVICES[@]}"; do
        service_ready "$name" || process_wait "$name" 15 service_ready "$name" || {
            show_tail "$STACK_DIR/logs/$name.log"
            die "$name is running (pid $(process_pid "$name" || say gone)) but not ready." \
                "Start afresh: deploy/dev down && deploy/dev up"
        }
    done
    prepare_demo_app
    write_dev_env
    # An `up` that was cut short before its end has not shown it.
    [[ -f $STACK_DIR/sample-seen ]] || send_sample
    print_addresses
    heading "It was already up; nothing was started. To run changed code: deploy/dev down && deploy/dev up"
}

command_down() {
    COMMAND='down'
    if wants_help "$@"; then
        say "usage: deploy/dev down [--wipe]"
        say ""
        say "Stops the services, the broker (which saves its data) and Postgres, if deploy/dev up started them."
        say "--wipe then deletes their data, keys and logs in .run/. The Python environment stays."
        return
    fi
    local wipe='' started name was_running=()
    [[ ${1:-} != --wipe ]] || { wipe=yes && shift; }
    refuse_arguments "$@"
    use_stack "$ROOT/.run"
    lock_stack
    started=$(now_ms)
    for name in "${COMPONENTS[@]}"; do
        ! process_alive "$name" || was_running+=("$name")
    done
    stop_stack
    if ((${#was_running[@]} > 0)); then
        say "Stopped ${was_running[*]} ($(seconds_since "$started"))."
    else
        say "Nothing was running."
    fi
    if [[ -n $wipe ]]; then
        wipe_stack
        say "Deleted the data in .run/."
    fi
}

# Only what `up` wrote: other commands keep things in .run/ too.
wipe_stack() {
    remove_postgres_dir
    rm -rf "$STACK_DIR"/{kafka,ingest,logs,pids}
    rm -f "$STACK_DIR"/{secrets,ports,bin-dir,demo-app.json,api-key.json,answer.json,sample-seen,dev.env}
    rm -f "$STACK_DIR"/demo-{worlds.json,places.mmdb}
}

command_status() {
    COMMAND='status'
    if wants_help "$@"; then
        say "usage: deploy/dev status [--json]"
        say ""
        say "A line for each part: pid, port, whether it is ready, memory in MB (shared pages divided among their users"
        say "where the system tells) and CPU seconds since its start. Exit status 0 when all of it runs and is ready, else 3."
        return
    fi
    [[ ${1:-} == --json || $# == 0 ]] || refuse_arguments "$@"
    use_stack "$ROOT/.run"
    choose_ports
    local name entries=()
    for name in "${COMPONENTS[@]}"; do
        entries+=("$name=$(process_pid "$name" || :)=${PORT[$name]:-}=${PORT[$name-metrics]:-}")
    done
    command -v python3 >/dev/null || die "status needs python3." "deploy/dev up installs it."
    python3 "$ROOT/deploy/lib/status.py" ${1:+"$1"} "${entries[@]}"
}

command_logs() {
    COMMAND='logs'
    if wants_help "$@"; then
        say "usage: deploy/dev logs [SERVICE] [-f] [-n LINES]"
        say ""
        say "The end of one log, or of all of them: ${COMPONENTS[*]}. -f keeps following."
        return
    fi
    local follow='' lines='' name='' files=()
    while (($# > 0)); do
        case $1 in
            -f | --follow) follow=yes ;;
            -n)
                [[ ${2:-} =~ ^[0-9]+$ ]] || die "-n needs a number of lines."
                lines=$2
                shift
                ;;
            -*) refuse_arguments "$1" ;;
            *) name=$1 ;;
        esac
        shift
    done
    use_stack "$ROOT/.run"
    mapfile -t files < <(log_files "$name")
    ((${#files[@]} > 0)) || die "There is no log${name:+ of $name} yet." "Logs exist for: ${COMPONENTS[*]}, after deploy/dev up."
    [[ -n $name || -n $lines ]] || lines=15
    trap - EXIT
    exec tail ${follow:+-F} -n "${lines:-100}" -- "${files[@]}"
}

# log_files [NAME]: the logs that exist, one a line; a name is taken only when it is that of a component.
log_files() {
    local each
    for each in "${COMPONENTS[@]}"; do
        [[ -z $1 || $1 == "$each" ]] || continue
        [[ ! -f $STACK_DIR/logs/$each.log ]] || say "$STACK_DIR/logs/$each.log"
    done
}

command_fgctl() {
    use_stack "$ROOT/.run"
    [[ -f $STACK_DIR/ports && -f $STACK_DIR/secrets ]] || die "There is no stack yet." "Start it: deploy/dev up"
    load_ports
    load_secrets
    use_binaries
    [[ -n ${FOREGROUND_BIN_DIR:-} || ! -s $STACK_DIR/bin-dir ]] || BIN_DIR=$(<"$STACK_DIR/bin-dir")
    [[ -x $BIN_DIR/fgctl ]] || die "fgctl is not built." "Build it: deploy/dev up"
    export_fgctl
    trap - EXIT
    exec "$BIN_DIR/fgctl" "$@"
}
