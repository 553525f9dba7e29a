# shellcheck shell=bash
# Building the executables with the Swift package manager.

PRODUCTS=(foreground-ingest foreground-aggregator foreground-reader foreground-console fgctl)

# The same flags for `up` and `test`: other flags would mean building everything again at each change of command.
swift_build() {
    local flags
    read -ra flags <<<"${FOREGROUND_SWIFT_FLAGS--Xswiftc -warnings-as-errors}"
    (cd "$ROOT" && exec swift build -c "${FOREGROUND_BUILD:-debug}" "${flags[@]}" "$@")
}

# use_binaries: sets BIN_DIR, to the folder of executables made elsewhere when FOREGROUND_BIN_DIR names one.
use_binaries() {
    if [[ -n ${FOREGROUND_BIN_DIR:-} ]]; then
        BIN_DIR=$FOREGROUND_BIN_DIR
    else
        # SwiftPM keeps these links up to date; asking it for the path would cost a second each time.
        BIN_DIR=$ROOT/.build/${FOREGROUND_BUILD:-debug}
    fi
}

require_binaries() {
    local product
    for product in "${PRODUCTS[@]}"; do
        [[ -x $BIN_DIR/$product ]] || die "There is no $product in $BIN_DIR." "$@"
    done
}

check_build_kind() {
    [[ ${FOREGROUND_BUILD:-debug} =~ ^(debug|release)$ ]] || die "FOREGROUND_BUILD=$FOREGROUND_BUILD is neither debug nor release."
}

# build_products TITLE OPTIONS…: builds unless the executables come from elsewhere.
build_products() {
    local title=$1 log=$STACK_DIR/logs/build.log
    shift
    check_build_kind
    use_binaries
    if [[ -z ${FOREGROUND_BIN_DIR:-} ]]; then
        ensure_swift
        run_step "$title" "$log" swift_build "$@"
        ((GROUP_STATUS == 0)) || die "The build failed." "The whole output is in $(relative "$log")." \
            "If another toolchain only warns about more: FOREGROUND_SWIFT_FLAGS= deploy/dev up"
    fi
    require_binaries "Build again, or let FOREGROUND_BIN_DIR name a folder that has it."
}
