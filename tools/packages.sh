# SPDX-License-Identifier: Apache-2.0
# What ./dev needs of the system, and how it gets there. Read by ./dev.
# shellcheck shell=sh disable=SC2034

PACKAGES="gcc libc6-dev make meson ninja-build pkg-config libmpfr-dev libgmp-dev libjansson-dev
libsodium-dev libcmocka-dev libdnnl-dev python3"
CHECK_PACKAGES="$PACKAGES g++ clang clang-format-14 git"
CHANGED=0 # 1 once packages were installed: then what Meson found before is out of date

missing_of() {
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            printf ' %s' "$package"
    done
}

# Without dpkg, names of packages mean nothing: what they are needed for is looked at.
have_tools() {
    command -v cc && command -v meson && command -v ninja && command -v python3 &&
        pkg-config --exists mpfr gmp jansson libsodium cmocka
}

apt() {
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@"
}

# shellcheck disable=SC2086 # lists of packages are split on purpose
install() {
    if ! command -v dpkg-query >/dev/null; then
        have_tools >/dev/null && return
        say "missing; on Debian these packages hold what is needed:" $1
        exit 3
    fi
    missing=$(missing_of $1)
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null ||
        { [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; }; then
        say "missing packages, and neither root nor sudo to install them:$missing"
        exit 3
    fi
    say "installing$missing"
    log=$(mktemp)
    ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 || apt update >"$log" 2>&1
    if ! apt install -y --no-install-recommends $missing >"$log" 2>&1 &&
        ! { apt update && apt install -y --no-install-recommends $missing; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        say "apt-get could not install$missing"
        exit 3
    fi
    rm -f "$log"
    CHANGED=1
}
