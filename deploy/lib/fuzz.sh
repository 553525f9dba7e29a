# shellcheck shell=bash
# deploy/dev fuzz: libFuzzer over what reads bytes of strangers; deploy/dev test does it too, for a few seconds.

FUZZ_TARGETS=(batch message day-block text)
FUZZ_DIR="$ROOT/.run/fuzz"

help_fuzz() {
    cat <<'TEXT'
usage: deploy/dev fuzz [--seconds N] [TARGET…]

Builds the fuzz targets with the address sanitizer and libFuzzer (both part of the Swift toolchain) and runs each for
N seconds (default: 60), starting from the inputs of Tests/Fuzz/corpus/ and those that earlier runs found.

  batch      inflate, parse, check, build messages, and read them back as the aggregator does
  message    the decoders of the events and rejections topics
  day-block  the decoder of closed days, also behind its digest
  text       queries, paths, times, personal data, addresses, languages

Everything written is below .run/fuzz/: TARGET/corpus holds inputs that reached something new, TARGET/finds those that
broke something, TARGET/log the output. To try a find again: deploy/dev fuzz TARGET FILE…
A find that is fixed goes to Tests/Fuzz/corpus/TARGET/ under a name that says what it is, and into a unit test.
TEXT
}

command_fuzz() {
    COMMAND='fuzz'
    if wants_help "$@"; then
        help_fuzz
        return
    fi
    local seconds=60 targets=() files=()
    while (($# > 0)); do
        case $1 in
            --seconds)
                seconds=${2:?--seconds needs a number}
                shift
                ;;
            -*) refuse_arguments "$1" ;;
            *) if [[ " ${FUZZ_TARGETS[*]} " == *" $1 "* ]]; then targets+=("$1"); else files+=("$1"); fi ;;
        esac
        shift
    done
    [[ $seconds =~ ^[1-9][0-9]*$ ]] || die "--seconds $seconds is not a whole number above 0."
    check_fuzz_files "${files[@]}"
    heading "Fuzzing"
    ensure_debian packages-build
    ensure_swift
    build_fuzz_targets
    if ((${#files[@]} > 0)); then
        ((${#targets[@]} == 1)) || die "Files need one target." "See: deploy/dev fuzz --help"
        retry_finds "${targets[0]}" "${files[@]}"
    else
        ((${#targets[@]} > 0)) || targets=("${FUZZ_TARGETS[@]}")
        fuzz_targets "$seconds" "${targets[@]}"
    fi
}

check_fuzz_files() {
    local file
    for file; do
        [[ -f $file ]] || die "There is neither a target nor a file '$file'." "Targets: ${FUZZ_TARGETS[*]}"
    done
}

# Beside the ordinary build, as every module is compiled with other flags. Of several `-sanitize` the Swift compiler obeys the
# last, so both sanitizers stand in one; `--sanitize` is there because the package manager then leaves `main` to libFuzzer.
fuzz_build() {
    cd "$ROOT"
    FOREGROUND_FUZZ=1 exec swift build -c release --scratch-path "$FUZZ_DIR/build" --product foreground-fuzz \
        --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address -Xcc -fsanitize=address -Xcxx -fsanitize=address \
        -Xswiftc -enable-testing -Xswiftc -assert-config -Xswiftc Debug
}

build_fuzz_targets() {
    local log=$FUZZ_DIR/build.log
    run_step "Building the fuzz targets" "$log" fuzz_build
    ((GROUP_STATUS == 0)) || die "The build failed." "The whole output is in $(relative "$log")."
}

# The backtracer of Swift would take the signals that libFuzzer waits for.
fuzz_program() {
    local target=$1
    shift
    cd "$ROOT"
    export FOREGROUND_FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no
    exec "$FUZZ_DIR/build/release/foreground-fuzz" "$@"
}

# fuzz_targets SECONDS TARGET…: all of them, then fails if one of them found something.
fuzz_targets() {
    local seconds=$1 target failed=()
    shift
    for target; do
        fuzz_target "$target" "$seconds"
        ((GROUP_STATUS == 0)) || failed+=("$target")
    done
    ((${#failed[@]} == 0)) || die "Fuzzing broke: ${failed[*]}" "Try the input again: deploy/dev fuzz TARGET FILE"
}

fuzz_target() {
    local target=$1 seconds=$2 folder=$FUZZ_DIR/$1 dictionary=()
    [[ ! -f $ROOT/Tests/Fuzz/dictionaries/$target.dict ]] || dictionary=("-dict=$ROOT/Tests/Fuzz/dictionaries/$target.dict")
    mkdir -p "$folder/corpus" "$folder/finds"
    touch "$folder/started"
    step_begin "$target, $seconds s"
    : >"$folder/log"
    HEARTBEAT_LOG=$folder/log run_group to_log "$folder/log" fuzz_program "$target" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$folder/finds/" "${dictionary[@]}" \
        "$folder/corpus" "$ROOT/Tests/Fuzz/corpus/$target"
    if ((GROUP_STATUS == 0)); then
        printf '%s%s%s\n' "$GREEN" "$(fuzz_summary "$folder/log")" "$PLAIN"
    else
        step_failed
        show_finds "$target"
    fi
}

# From libFuzzer's last line, `#886919  DONE   cov: 1948 ft: 6071 corp: 1211/638Kb lim: 2110 exec/s: 42234 rss: 367Mb`.
fuzz_summary() {
    sed -n -E 's|^#([0-9]+)\s+DONE\s+cov: ([0-9]+) .*exec/s: ([0-9]+).*|\1 inputs, \3 a second, \2 branches reached|p' "$1"
}

# show_finds TARGET: what was broken, and each input this run found as hexadecimal text, for those who have only the output.
show_finds() {
    local folder=$FUZZ_DIR/$1 file
    grep --text -m 8 -E 'Fatal error|ERROR|SUMMARY|^ +#[0-9] ' "$folder/log" | cut -c1-300 >&2 || show_tail "$folder/log"
    while IFS= read -r file; do
        printf '%s (%d bytes):\n' "$(relative "$file")" "$(stat -c %s "$file")" >&2
        head -c 65536 "$file" | od -An -v -w48 -tx1 | tr -d ' ' >&2
    done < <(find "$folder/finds" -type f -newer "$folder/started")
}

retry_finds() {
    local target=$1 files
    shift
    mapfile -t files < <(realpath -- "$@")
    run_group fuzz_program "$target" -timeout=10 "${files[@]}"
    ((GROUP_STATUS == 0)) || die "$target still breaks."
}
