#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the example against an installed prefix alone: install_test.sh BUILD_ROOT
# The plugin is left at BUILD_ROOT/plugins/example/example.so, and must conform.
set -eu
build_root=$1
source_dir=$(cd "$(dirname "$0")" && pwd)
prefix=$build_root/plugins/example/prefix
work=$build_root/plugins/example/work
rm -rf "$prefix" "$work"
mkdir -p "$work"
meson install -C "$build_root" --no-rebuild --quiet --destdir "$prefix"
pc=$(find "$prefix" -name quantcert.pc)
cp "$source_dir/example.c" "$source_dir/Makefile" "$work"
PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$prefix make -s -C "$work"
mv "$work/example.so" "$build_root/plugins/example/example.so"
"$build_root/quantcert" run --backend "$build_root/plugins/example/example.so" --level smoke
