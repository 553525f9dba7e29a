# shellcheck shell=bash
# The development broker: speaks Kafka's protocol, keeps its data in memory, and saves it when it is told to stop.

# Prints the path of the native program. Its Python wrapper would not pass our signals on.
broker_program() {
    "$VENV/bin/python" -c 'import importlib.resources; print(importlib.resources.files("noida_db") / "noida-db")'
}

exec_broker() {
    exec setsid -- "$BROKER_BIN" start --only kafka --host 127.0.0.1 --kafka-port "${PORT[broker]}" --data-dir "$STACK_DIR/kafka"
}

broker_ready() { port_open "${PORT[broker]}"; }

find_broker() {
    BROKER_BIN=$(broker_program) || die "The development broker is not in .run/venv." "Remove .run/venv and run again."
    [[ -x $BROKER_BIN ]] || chmod u+x "$BROKER_BIN"
}

start_broker() {
    find_broker
    step_begin "Starting the development broker on port ${PORT[broker]}"
    mkdir -p "$STACK_DIR/kafka"
    process_start broker exec_broker
    process_wait broker 30 broker_ready || {
        step_failed
        show_tail "$STACK_DIR/logs/broker.log"
        die "The broker did not start." "Its log is $(relative "$STACK_DIR/logs/broker.log")."
    }
    step_end
}
