# shellcheck shell=bash
# Messages, steps and small helpers that every command uses.

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' GREEN=$'\e[32m' PLAIN=$'\e[0m'
else
    BOLD='' DIM='' RED='' GREEN='' PLAIN=''
fi

say() { printf '%s\n' "$*"; }

heading() { printf '\n%s%s%s\n' "$BOLD" "$*" "$PLAIN"; }

warn() { printf '%swarning:%s %s\n' "$RED" "$PLAIN" "$*" >&2; }

# die MESSAGE [REMEDY…]: one line that says what is wrong, then a line for each thing to do about it.
die() {
    printf '%serror:%s %s\n' "$RED" "$PLAIN" "$1" >&2
    shift
    (($# == 0)) || printf '       %s\n' "$@" >&2
    exit 1
}

# Whole milliseconds since the epoch. EPOCHREALTIME has six decimals behind a separator.
now_ms() {
    local digits=${EPOCHREALTIME//[!0-9]/}
    say "${digits:0:-3}"
}

# seconds_since START_MS: "4.2 s", or "3 min 07 s" from a hundred seconds on.
seconds_since() {
    local ms=$(($(now_ms) - $1))
    if ((ms < 100000)); then
        printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
    else
        printf '%d min %02d s' $((ms / 60000)) $((ms / 1000 % 60))
    fi
}

# quote TEXT: TEXT as one word of any POSIX shell.
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# random_token: 48 hexadecimal digits, which need no escaping in a URL, in SQL or in a shell.
random_token() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# write_private FILE: standard input becomes FILE, readable by its owner only, in one step.
write_private() {
    local temporary="$1.new"
    rm -f "$temporary"
    (umask 077 && cat >"$temporary")
    mv -f "$temporary" "$1"
}

# relative FILE: FILE as a person in the repository would name it.
relative() { say "${1#"$ROOT/"}"; }

# show_tail LOG [LINES]: the end of a log, on standard error, without the broker's harmless loader warning.
show_tail() {
    [[ -s $1 ]] || return 0
    printf '%s--- the end of %s ---%s\n' "$DIM" "$(relative "$1")" "$PLAIN" >&2
    { grep -v 'weak version' "$1" || :; } | tail -n "${2:-30}" | cut -c1-400 >&2
    printf '%s---%s\n' "$DIM" "$PLAIN" >&2
}

# rotate_log LOG: a log past 20 MB moves aside once, so that the folder stays bounded.
rotate_log() {
    local bytes
    bytes=$(stat -c %s "$1" 2>/dev/null || say 0)
    ((bytes < 20000000)) || mv -f "$1" "$1.1"
}

step_begin() {
    STEP_TITLE=$1
    STEP_STARTED_MS=$(now_ms)
    printf '  %s … ' "$STEP_TITLE"
}

step_end() { printf '%s%s%s\n' "$GREEN" "$(seconds_since "$STEP_STARTED_MS")" "$PLAIN"; }

step_failed() { printf '%sfailed after %s%s\n' "$RED" "$(seconds_since "$STEP_STARTED_MS")" "$PLAIN"; }

GROUP_PID=''
GROUP_STATUS=0

# run_group COMMAND…: runs it in a process group of its own and leaves its exit status in GROUP_STATUS.
#
# The caller waits in short naps, so that Ctrl-C and SIGTERM act at once instead of when the command is over, and
# `stop_group` then ends it. Never called in a condition: that would switch `set -e` off inside.
run_group() {
    set -m
    "$@" </dev/null 9>&- &
    GROUP_PID=$!
    set +m
    local beat=$SECONDS
    while kill -0 "$GROUP_PID" 2>/dev/null; do
        sleep 0.1
        if [[ -n ${HEARTBEAT_LOG:-} ]] && ((SECONDS - beat >= 30)); then
            beat=$SECONDS
            printf '\n      %s%s: %s%s ' "$DIM" "$(seconds_since "$STEP_STARTED_MS")" \
                "$(tail -n 1 "$HEARTBEAT_LOG" | tr -d '\r' | cut -c1-80)" "$PLAIN"
        fi
    done
    GROUP_STATUS=0
    wait "$GROUP_PID" || GROUP_STATUS=$?
    GROUP_PID=''
}

# descendants PID: it and all below it, parents first.
descendants() {
    local pid parent stat line
    declare -A children=()
    for stat in /proc/[0-9]*/stat; do
        { read -r line <"$stat"; } 2>/dev/null || continue
        read -r _ parent _ <<<"${line##*) }"
        children[$parent]+=" ${line%% *}"
    done
    local queue=("$1")
    while ((${#queue[@]} > 0)); do
        pid=${queue[0]}
        say "$pid"
        # shellcheck disable=SC2206 # a list of numbers
        queue=("${queue[@]:1}" ${children[$pid]:-})
    done
}

# stop_group: ends what run_group runs, with all its descendants: swift test puts its tests into a group of their own.
stop_group() {
    [[ -n $GROUP_PID ]] || return 0
    local pids
    mapfile -t pids < <(descendants "$GROUP_PID")
    kill -TERM "${pids[@]}" 2>/dev/null || :
    wait "$GROUP_PID" 2>/dev/null || :
    GROUP_PID=''
}

to_log() {
    local log=$1
    shift
    "$@" >>"$log" 2>&1
}

# run_step TITLE LOG COMMAND…: the command's output goes to LOG, whose end is shown when it fails. Leaves GROUP_STATUS.
run_step() {
    local title=$1 log=$2
    shift 2
    mkdir -p "${log%/*}"
    : >"$log"
    step_begin "$title"
    HEARTBEAT_LOG=$log run_group to_log "$log" "$@"
    if ((GROUP_STATUS == 0)); then
        step_end
    else
        step_failed
        show_tail "$log"
    fi
}
