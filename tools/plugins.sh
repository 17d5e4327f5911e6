# SPDX-License-Identifier: Apache-2.0
# What ./dev plugins installs: one function a part. Read by ./dev.
# shellcheck shell=sh

# Libraries of Debian: oneDNN 2.6, XNNPACK, gemmlowp.
plugins_debian() {
    install "$PACKAGES g++ libdnnl-dev libxnnpack-dev libpthreadpool-dev libgemmlowp-dev"
}

# wheel_unpack FOLDER PACKAGE==VERSION...: headers and libraries of wheels, nothing installed.
wheel_unpack() {
    wheels=$(mktemp -d)
    folder=$1
    shift
    rm -rf "$folder"
    quietly python3 -m pip download --quiet --no-deps --dest "$wheels" "$@" || {
        rm -rf "$wheels"
        return 1
    }
    mkdir -p "$folder"
    for wheel in "$wheels"/*.whl; do
        quietly python3 -m zipfile -e "$wheel" "$wheels/unpacked"
    done
    mv "$wheels"/unpacked/*.data/data/* "$folder" 2>/dev/null ||
        cp -r "$wheels"/unpacked/*.data/data/. "$folder"
    rm -rf "$wheels"
}

# oneDNN 3.2, the last with wheels that need nothing else; 40 MB.
plugins_onednn3() {
    [ -e build/third-party/onednn3/include/dnnl.h ] && return
    CHANGED=1
    wheel_unpack build/third-party/onednn3 onednn-cpu-gomp==2023.2.0 \
        onednn-devel-cpu-gomp==2023.2.0 || {
        say "oneDNN 3 is left out: no wheel could be had"
        rm -rf build/third-party/onednn3
    }
}

# oneDNN 3.13 runs on SYCL: 2 GB with what it needs, so only where QC_LARGE_PLUGINS asks.
plugins_onednn3_sycl() {
    folder=build/third-party/onednn3-sycl
    [ -n "${QC_LARGE_PLUGINS:-}" ] || {
        [ -e $folder ] || say "oneDNN 3.13 is left out: 2 GB; QC_LARGE_PLUGINS=1 asks for it"
        return 0
    }
    [ -e $folder/include/dnnl.h ] && return
    CHANGED=1
    if ! { quietly python3 -m venv $folder &&
        quietly $folder/bin/pip install --quiet onednn==2026.1.0 onednn-devel==2026.1.0; }; then
        say "oneDNN 3.13 is left out: its wheels did not install"
        rm -rf $folder
    fi
}

plugins_all() {
    plugins_debian
    mkdir -p build/third-party
    plugins_onednn3
    plugins_onednn3_sycl
    build build
    for plugin in build/plugins/*/*.so; do
        [ ! -e "$plugin" ] || echo "$plugin"
    done
}
