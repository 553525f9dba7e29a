# shellcheck shell=bash
# deploy/dev screenshots: pictures of every page of the console.

help_screenshots() {
    cat <<'TEXT'
usage: deploy/dev screenshots [--only PATTERN] [--app NAME] [--language LANG] [--out DIR] [--readme DIR]

Signs in to the console of the running stack (or starts one and fills it with the demo world), visits every page and writes
pictures of it, light and dark, 1280 and 390 px wide, to .run/screenshots/, with index.html to look at them. Fails when a page logs
an error in the browser's console, does not get ready, or is wider than its window.

  --only PATTERN    only pages whose name matches
  --app NAME        whose pages to show (Demo)
  --language LANG   the browser's language (en-US)
  --out DIR         another folder
  --readme DIR      only the pictures of the README, into this folder
TEXT
}

command_screenshots() {
    COMMAND='screenshots'
    if wants_help "$@"; then
        help_screenshots
        return
    fi
    use_stack "$ROOT/.run"
    any_alive || {
        "$ROOT/deploy/dev" up
        "$ROOT/deploy/dev" demo
    }
    use_running_stack
    ensure_debian packages-browser
    ensure_python requirements-browser
    export CONSOLE_URL=${CONSOLE_URL:-http://127.0.0.1:${PORT[console]}} ADMIN_EMAIL=${ADMIN_EMAIL:-admin@example.com} ADMIN_PASSWORD
    trap - EXIT
    PYTHONDONTWRITEBYTECODE=1 exec "$VENV/bin/python" "$ROOT/deploy/lib/screenshots" --out "$STACK_DIR/screenshots" "$@"
}
