# shellcheck shell=bash
# deploy/dev demo: a world of people for the running stack; demo-world/ makes it.

help_demo() {
    cat <<'TEXT'
usage: deploy/dev demo [--app NAME] [--days N] [--people N] [--seed N] [--until TIME] [--live [--for SECONDS] [--rate N]]

Fills the app Demo and two smaller ones, Trailhead and Ledgerline, with a seeded world of people: several platforms, versions
that roll out, a rhythm of hours and weekdays, people who come back and sign in on other devices. It goes through fgctl import,
then days are closed. Run again it adds what happened since, and repeats nothing.

  --app NAME      fill this app alone; it is made when there is none of this name
  --days N        days of the world until today (90)
  --people N      people who come in these days, about; the other two apps have fewer (6000)
  --seed N        another world of the same kind (1)
  --until TIME    the world ends at this moment, such as 2026-11-30T12:00Z (now)
  --live          then keep sending a trickle of live traffic through ingest, some of it with mistakes, until Ctrl-C
  --for SECONDS   with --live: end by itself
  --rate N        with --live: events a second, 20 at most (2)

Places come from a small database of some networks, .run/demo-places.mmdb, which ingest also uses where GEOIP_DATABASE_PATH
names no other.
TEXT
}

command_demo() {
    COMMAND='demo'
    if wants_help "$@"; then
        help_demo
        return
    fi
    use_running_stack
    trap - EXIT
    export FGCTL=$BIN_DIR/fgctl INGEST_URL=http://127.0.0.1:${PORT[ingest]} CONSOLE_URL=http://127.0.0.1:${PORT[console]}
    PYTHONDONTWRITEBYTECODE=1 exec python3 "$ROOT/deploy/lib/demo-world" --state "$STACK_DIR" "$@"
}

# use_running_stack: its ports, secrets and executables; ends the script when it does not run.
use_running_stack() {
    local name
    use_stack "$ROOT/.run"
    [[ -f $STACK_DIR/ports && -f $STACK_DIR/secrets && -s $STACK_DIR/bin-dir ]] || die "There is no stack yet." "Start it: deploy/dev up"
    for name in "${COMPONENTS[@]}"; do
        process_alive "$name" || die "$name is not running." "Start it: deploy/dev up"
    done
    load_ports
    load_secrets
    BIN_DIR=$(<"$STACK_DIR/bin-dir")
    export_fgctl
}

# make_demo_places FILE: the database of the demo world's places.
make_demo_places() {
    PYTHONDONTWRITEBYTECODE=1 python3 -c 'import pathlib, sys
sys.path.insert(0, sys.argv[1])
import mmdb, places
mmdb.write(pathlib.Path(sys.argv[2]), places.EVERYWHERE)' "$ROOT/deploy/lib/demo-world" "$1"
}
