# shellcheck shell=bash
# Background processes, each known by pid, start time and boot: a pid that now belongs to someone else is never signalled.

pid_file() { say "$STACK_DIR/pids/$1"; }

# process_identity PID: "pid start-time boot-id"; fails when there is no such process, or only its zombie.
process_identity() {
    local line fields
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
    # The command's name is in parentheses and may hold spaces; what follows it starts with the state, field 3.
    read -ra fields <<<"${line##*) }"
    [[ ${fields[0]} != Z ]] || return 1
    say "$1 ${fields[19]} $(</proc/sys/kernel/random/boot_id)"
}

# process_pid NAME: the pid of a process that we started and that still runs; fails otherwise.
process_pid() {
    local recorded pid
    # Not $(<file): with `set -e`, bash 5.2 exits when the file is missing, in a condition too.
    { read -r recorded <"$(pid_file "$1")"; } 2>/dev/null || return 1
    pid=${recorded%% *}
    [[ -n $pid && $(process_identity "$pid") == "$recorded" ]] || return 1
    say "$pid"
}

process_alive() { process_pid "$1" >/dev/null; }

# process_start NAME COMMAND…: in a session of its own, so that Ctrl-C here does not reach it.
#
# COMMAND may be a function; it must end in `exec setsid …`.
process_start() {
    local name=$1 log="$STACK_DIR/logs/$1.log"
    shift
    mkdir -p "$STACK_DIR/pids" "$STACK_DIR/logs"
    rotate_log "$log"
    "$@" </dev/null >>"$log" 2>&1 9>&- &
    process_identity $! >"$(pid_file "$name")" || :
    disown $!
}

# process_wait NAME SECONDS PREDICATE…: until the predicate holds. Fails when the process ends first or time is up.
process_wait() {
    local name=$1 deadline=$(($(now_ms) + $2 * 1000))
    shift 2
    until "$@"; do
        process_alive "$name" || return 1
        (($(now_ms) < deadline)) || return 1
        sleep 0.1
    done
}

process_signal() {
    local pid
    pid=$(process_pid "$1") || return 0
    kill "-$2" "$pid" 2>/dev/null || :
}

process_gone() { ! process_alive "$1"; }

# process_join NAME SECONDS: waits for a process that was signalled, and kills it when time is up.
process_join() {
    local name=$1 deadline=$(($(now_ms) + $2 * 1000))
    while process_alive "$name"; do
        if (($(now_ms) >= deadline)); then
            warn "$name did not stop within $2 s; killing it (see $(relative "$STACK_DIR/logs/$name.log"))"
            process_signal "$name" KILL
            deadline=$((deadline + 10000))
        fi
        sleep 0.05
    done
    rm -f "$(pid_file "$name")"
}

port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
