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

# Frameworks in Python, each behind plugins/python/worker.py; PyTorch where QC_LARGE_PLUGINS asks.
plugins_python() {
    folder=build/plugins/python
    [ -x $folder/bin/python ] || {
        install "$PACKAGES python3-venv" && quietly python3 -m venv $folder
    } || {
        say "plugins/python is left out: no virtual environment could be made"
        return 0
    }
    quietly $folder/bin/pip install --quiet -r plugins/python/requirements.txt ||
        say "plugins/python: not all of requirements.txt could be had"
    if [ -n "${QC_LARGE_PLUGINS:-}" ]; then
        quietly $folder/bin/pip install --quiet -r plugins/python/requirements-large.txt ||
            say "PyTorch is left out: its wheels did not install"
    elif ! $folder/bin/python -c 'import torch' 2>/dev/null; then
        say "PyTorch is left out: 5 GB; QC_LARGE_PLUGINS=1 asks for it"
    fi
}

# judge_python OPTION...: every framework whose package is there, or why it is not.
judge_python() {
    python=build/plugins/python/bin/python
    [ -x $python ] || {
        say "frameworks in Python are skipped, because ./dev plugins has not installed them"
        return 0
    }
    for words in torch:torch "torch fbgemm:torch" "torch qnnpack:torch" "torch x86:torch" \
        onnxruntime:onnxruntime openvino:openvino tensorplay:tensorplay \
        "litert reference:ai_edge_litert" "litert builtin:ai_edge_litert" \
        "litert xnnpack:ai_edge_litert"; do
        framework=${words%:*}
        if $python -c "import ${words#*:}" 2>/dev/null; then
            judge "$(echo "$framework" | tr ' ' -)" \
                "worker:$python plugins/python/worker.py $framework" "$@" ||
                SUMMARY="$SUMMARY (a finding: no part of the exit code)"
        else
            say "$framework is skipped, because $python cannot import ${words#*:}"
        fi
    done
}

plugins_all() {
    plugins_debian
    mkdir -p build/third-party
    plugins_onednn3
    plugins_onednn3_sycl
    plugins_python
    build build
    for plugin in build/plugins/*/*.so; do
        [ ! -e "$plugin" ] || echo "$plugin"
    done
}
