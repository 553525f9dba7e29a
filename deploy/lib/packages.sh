# shellcheck shell=bash
# Debian and PyPI packages: installed only when they are missing.

VENV="$ROOT/.run/venv"
POLICY=/usr/sbin/policy-rc.d
POLICY_CREATED=''

# list_file NAME…: the entries of deploy/lib/NAME.txt without comments.
list_file() {
    local name
    for name; do sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$ROOT/deploy/lib/$name.txt"; done
}

# as_root COMMAND…: directly as root, through sudo otherwise.
as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

require_root_access() {
    ((EUID == 0)) && return
    local remedy="Run as root: apt-get update && apt-get install --yes --no-install-recommends $*"
    command -v sudo >/dev/null ||
        die "Debian packages are missing, and there is no sudo to install them with." "$remedy"
    sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo true; } ||
        die "Debian packages are missing, and sudo asks for a password that nobody is here to type." "$remedy"
}

# A server package starts its server when installed. We run our own instances, and the ports of the packaged ones (5432,
# 80) may be somebody's: so services stay off while apt-get works, unless this machine already has a policy of its own.
hold_services() {
    [[ ! -e $POLICY ]] || return 0
    POLICY_CREATED=yes
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$POLICY" >/dev/null
    as_root chmod 755 "$POLICY"
}

release_services() {
    [[ -n $POLICY_CREATED ]] || return 0
    as_root rm -f "$POLICY"
    POLICY_CREATED=''
}

apt_install() {
    local options=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
    export DEBIAN_FRONTEND=noninteractive
    # A failing update is not the end: the lists of an earlier one may be enough.
    as_root apt-get "${options[@]}" update || :
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install --yes --no-install-recommends "$@"
}

# debian_missing PACKAGE…: those that are not installed, one a line.
debian_missing() {
    comm -23 <(printf '%s\n' "$@" | sort -u) \
        <({ dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || :; } | sed -n 's/ installed$//p' | sort -u)
}

# ensure_debian LIST…: installs what is missing of the lists.
ensure_debian() {
    local wanted missing log="$ROOT/.run/logs/apt.log"
    mapfile -t wanted < <(list_file "$@")
    [[ -z ${FOREGROUND_SKIP_PACKAGES:-} ]] || return 0
    command -v dpkg-query apt-get >/dev/null ||
        die "This script installs Debian 12 packages, and there is no dpkg or apt-get here." \
            "Install the equivalents of: ${wanted[*]}" "Then run again with FOREGROUND_SKIP_PACKAGES=1."
    mapfile -t missing < <(debian_missing "${wanted[@]}")
    if ((${#missing[@]} == 0)); then
        return
    fi
    require_root_access "${missing[@]}"
    hold_services
    run_step "Installing ${#missing[@]} Debian packages: ${missing[*]}" "$log" apt_install "${missing[@]}"
    release_services
    ((GROUP_STATUS == 0)) ||
        die "apt-get could not install: ${missing[*]}" \
            "Check the network and /etc/apt, then try: apt-get update && apt-get install ${missing[*]}" \
            "The whole output is in $(relative "$log")."
}

venv_works() { "$VENV/bin/python" -c 'import pip' 2>/dev/null; }

make_venv() {
    # Debian's own python3, because its python3-venv is in our list; a python from elsewhere may lack the module.
    rm -rf "$VENV"
    /usr/bin/python3 -m venv "$VENV"
}

pip_install() {
    "$VENV/bin/python" -m pip install --disable-pip-version-check --no-input --quiet --requirement "$1"
}

# ensure_python LIST…: each requirements file of the lists, installed into the virtual environment under .run.
ensure_python() {
    local list file stamp log="$ROOT/.run/logs/pip.log"
    if ! venv_works; then
        run_step "Creating a Python environment in .run/venv" "$log" make_venv
        ((GROUP_STATUS == 0)) || die "python3 -m venv failed." "Install Debian's python3-venv, or see $(relative "$log")."
    fi
    for list; do
        file="$ROOT/deploy/lib/$list.txt" stamp="$VENV/$list.installed"
        ! cmp -s "$file" "$stamp" || continue
        run_step "Installing PyPI packages: $(list_file "$list" | paste -sd ' ')" "$log" pip_install "$file"
        ((GROUP_STATUS == 0)) || die "pip could not install $(relative "$file")." "Check the network and pip's settings, then run again."
        cp "$file" "$stamp"
    done
}

ensure_swift() {
    command -v swift >/dev/null || [[ ! -x /opt/swift/usr/bin/swift ]] || PATH="$PATH:/opt/swift/usr/bin"
    command -v swift >/dev/null || die "There is no swift on the PATH." \
        "Install the Swift 6.3 toolchain for Debian 12 from swift.org, then: export PATH=/path/to/swift/usr/bin:\$PATH"
}
