# shellcheck shell=bash
# The demo app, the file of settings for examples, and the sample batch that shows the whole way of an event.

# remember FILE TITLE ARGS…: fgctl's JSON answer, kept privately in FILE; asked once.
remember() {
    local file=$1 title=$2 log=$STACK_DIR/logs/fgctl.log
    shift 2
    [[ ! -s $file ]] || return 0
    step_begin "$title"
    fgctl "$@" 2>"$log" | write_private "$file.answer" || {
        step_failed
        show_tail "$log"
        show_tail "$file.answer"
        rm -f "$file.answer"
        die "fgctl $1 $2 failed."
    }
    mv -f "$file.answer" "$file"
    step_end
}

run_fgctl() {
    run_step "$1" "$STACK_DIR/logs/fgctl.log" fgctl "${@:2}"
    ((GROUP_STATUS == 0)) || die "fgctl ${*:2} failed."
}

prepare_database_and_topics() {
    run_fgctl "Migrating the database" migrate
    run_fgctl "Creating topics" topics create
}

prepare_demo_app() {
    remember "$STACK_DIR/demo-app.json" "Creating the app Demo" \
        app create --name Demo --platform ios --platform android --platform web --platform server --timezone UTC --json
    remember "$STACK_DIR/api-key.json" "Creating an API key" \
        api-key create --scope read --scope delete --json
    APP_ID=$(jq -er .app_id "$STACK_DIR/demo-app.json")
    # The key that belongs to no platform works for all of them.
    AM_PK=$(jq -er '.keys[] | select(.platform == null).key' "$STACK_DIR/demo-app.json")
    AM_SK=$(jq -er .key "$STACK_DIR/api-key.json")
    INGEST_URL=http://127.0.0.1:${PORT[ingest]}
    READ_URL=http://127.0.0.1:${PORT[reader]}
    CONSOLE_URL=http://127.0.0.1:${PORT[console]}
}

write_dev_env() {
    dev_env | write_private "$STACK_DIR/dev.env"
}

# export_line NAME VALUE
export_line() { say "export $1=$(quote "$2")"; }

dev_env() {
    local service
    say "# Written by deploy/dev up. Use: source .run/dev.env"
    export_line INGEST_URL "$INGEST_URL"
    export_line READ_URL "$READ_URL"
    export_line CONSOLE_URL "$CONSOLE_URL"
    export_line APP_ID "$APP_ID"
    export_line AM_PK "$AM_PK"
    export_line AM_SK "$AM_SK"
    export_line ADMIN_EMAIL admin@example.com
    export_line ADMIN_PASSWORD "$ADMIN_PASSWORD"
    export_line KAFKA_BROKERS "127.0.0.1:${PORT[broker]}"
    export_line DATABASE_URL "$(admin_database_url)"
    for service in "${SERVICES[@]}"; do
        export_line "METRICS_${service^^}_URL" "$(service_metrics_url "$service")"
    done
    say "# So that fgctl is found."
    say "case \":\$PATH:\" in *:$(quote "$BIN_DIR"):*) ;; *) export PATH=$(quote "$BIN_DIR"):\"\$PATH\" ;; esac"
}

# sample_batch NOW: one whole session of a server, as in the contract's curl recipe, but in production.
sample_batch() {
    local install session first last
    install=$(uuidgen) session=$(uuidgen) first=$(uuidgen) last=$(uuidgen)
    jq --null-input --arg now "$1" --arg install "$install" --arg session "$session" --arg first "$first" --arg last "$last" '{
        sent_at: $now,
        context: {platform: "server", app_version: "1.0.0", os_name: "Linux", device_type: "server", ip: "none"},
        events: [
            {insert_id: $first, name: "session_start", timestamp: $now, install_id: $install, session_id: $session},
            {insert_id: $last, name: "session_end", timestamp: $now, install_id: $install, session_id: $session, duration_ms: 95000}
        ]}'
}

# call CURL-ARGUMENTS…: the answer's body; anything but a 2xx ends the script with what came back.
call() {
    local body=$STACK_DIR/answer.json status
    status=$(curl --silent --show-error --max-time 30 --output "$body" --write-out '%{http_code}' "$@") ||
        die "No answer from ${!#}."
    [[ $status == 2* ]] || die "${!#} answered $status: $(head -c 400 "$body")" "Logs: deploy/dev logs"
    cat "$body"
}

# send_sample: a batch in, the day closed, the summary out.
send_sample() {
    local now answer summary log=$STACK_DIR/logs/fgctl.log
    heading "A sample session, all the way"
    now=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
    answer=$(sample_batch "$now" | call --header 'Content-Type: application/json' --header "X-App-Key: $AM_PK" \
        --data-binary @- "$INGEST_URL/v1/events")
    say "  POST /v1/events answered: $(jq --compact-output . <<<"$answer")"
    jq --exit-status '.accepted == 2 and .rejected == []' <<<"$answer" >/dev/null || die "The sample batch was not accepted whole."
    summary=$(fgctl close-days --json 2>"$log") || {
        show_tail "$log"
        die "fgctl close-days failed." "Logs: deploy/dev logs aggregator"
    }
    say "  fgctl close-days answered: $(jq --compact-output . <<<"$summary")"
    summary=$(call --header "Authorization: Bearer $AM_SK" \
        "$READ_URL/v1/apps/$APP_ID/audience/summary?from=${now%%T*}&to=${now%%T*}")
    say "  GET …/audience/summary answered:"
    jq . <<<"$summary" | sed 's/^/    /'
    jq --exit-status '.sessions >= 1 and .active >= 1' <<<"$summary" >/dev/null ||
        die "The summary does not show the session that was just sent." "Logs: deploy/dev logs"
    touch "$STACK_DIR/sample-seen"
}

print_addresses() {
    heading "Addresses"
    cat <<TEXT
  events    $INGEST_URL/v1/events
  Read API  $READ_URL/v1/apps
  console   $CONSOLE_URL
  metrics   ingest $(service_metrics_url ingest)/metrics, aggregator $(service_metrics_url aggregator)/metrics,
            reader $(service_metrics_url reader)/metrics, console $(service_metrics_url console)/metrics
  settings  .run/dev.env (keys, addresses; keep it private)
TEXT
    heading "Send an event, close the day, read it back"
    cat <<'TEXT'
source .run/dev.env
NOW=$(date -u +%FT%T.000Z); curl -sS "$INGEST_URL/v1/events" -H "Content-Type: application/json" -H "X-App-Key: $AM_PK" --data-binary "{\"sent_at\":\"$NOW\",\"context\":{\"platform\":\"server\",\"ip\":\"none\"},\"events\":[{\"insert_id\":\"$(uuidgen)\",\"name\":\"session_start\",\"timestamp\":\"$NOW\",\"install_id\":\"$(uuidgen)\",\"session_id\":\"$(uuidgen)\"}]}"
deploy/dev fgctl close-days
curl -sS "$READ_URL/v1/apps/$APP_ID/audience/summary?from=$(date -u +%F)&to=$(date -u +%F)" -H "Authorization: Bearer $AM_SK"
TEXT
}
