# SPDX-License-Identifier: Apache-2.0
# ./dev cross s390x: the suite on a big-endian machine, run by qemu-user. What it writes must
# be, byte for byte, what this machine writes. Read by ./dev.
# shellcheck shell=sh disable=SC2034,SC2086 # lists are split on purpose

CROSS_PACKAGES="$PACKAGES gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
CROSS_LIBRARIES="libmpfr6 libmpfr-dev libgmp10 libgmp-dev libjansson4 libjansson-dev
libsodium23 libsodium-dev libcmocka0 libcmocka-dev"
# Not isolate: whether a fault was a read or a write is known on x86-64 alone. Not
# oracle_rivals: over 20 minutes of emulation.
CROSS_TESTS="contract half case_line cases vectors reference impl kernels oracles oracle_paths
oracle_positions oracle_validate judge reports results baseline threads
abi modules linear_module from_float"

# apt for another architecture, with a state of its own: the system's is left alone.
cross_apt() {
    state=$1
    shift
    apt-get -q -o APT::Architecture=s390x -o APT::Architectures::=s390x -o Dir::State="$state" \
        -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none "$@"
}

# The libraries of s390x, unpacked in FOLDER/sysroot; nothing of them is installed.
cross_libraries() {
    apt_state=$PWD/$1/apt
    [ ! -f "$1/sysroot/.complete" ] || return 0
    mkdir -p "$1/sysroot" "$apt_state/lists/partial" "$apt_state/cache/archives/partial" "$apt_state/debs"
    : >"$apt_state/status"
    quietly cross_apt "$apt_state" update || return
    (cd "$apt_state/debs" && quietly cross_apt "$apt_state" download $CROSS_LIBRARIES) || return
    for deb in "$apt_state"/debs/*.deb; do
        dpkg -x "$deb" "$1/sysroot" || return
    done
    touch "$1/sysroot/.complete"
}

# What COMMAND of quantcert prints on both machines must be equal, and something.
cross_compare() {
    build/quantcert "$@" >"$CROSS/here.txt" || return
    qemu-s390x -L /usr/s390x-linux-gnu -E LD_LIBRARY_PATH="$CROSS/sysroot/usr/lib/s390x-linux-gnu" \
        "$CROSS/quantcert" "$@" >"$CROSS/there.txt" || return
    [ -s "$CROSS/here.txt" ] && cmp "$CROSS/here.txt" "$CROSS/there.txt" &&
        echo "same $(wc -l <"$CROSS/here.txt") lines: quantcert $*"
}

# Every op that has a profile: the answers of many cases. A results file of one op, which goes
# through isolation too; those of all would take an hour of emulation.
cross_compare_all() {
    differing=0
    for op in $(build/quantcert list ops | awk '/^  [a-z]/ { op = $1 } /^ +profiles:/ { print op }'); do
        cross_compare gen "$op" --answers --count 2000 || differing=$((differing + 1))
        cross_compare gen "$op" --answers --invalid --count 200 || differing=$((differing + 1))
    done
    cross_compare run --backend reference --op dequantize --level smoke --json ||
        differing=$((differing + 1))
    [ "$differing" -eq 0 ] && return
    say "s390x: $differing outputs are not what this machine writes"
    return 1
}

cross() {
    CROSS=build-$1
    install "$CROSS_PACKAGES"
    build build || return
    cross_libraries "$CROSS" || return 3
    sed "s|@ROOT@|$PWD/$CROSS/sysroot|" "tools/$1.ini.in" >"$CROSS/cross.ini" || return
    build "$CROSS" --cross-file "$CROSS/cross.ini" -Donednn=disabled || return
    cross_code=0
    meson test -C "$CROSS" --no-rebuild --print-errorlogs --suite unit -t 5 $CROSS_TESTS ||
        cross_code=1
    cross_compare_all || cross_code=1
    return "$cross_code"
}
