#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Follows docs/adding-a-backend.md literally, against an installed prefix alone:
# install_test.sh BUILD_ROOT. Its C text must be plugins/example/example.c, of at most 60 lines,
# and what it builds must conform. The plugin is left at BUILD_ROOT/plugins/example/example.so.
set -eu
build_root=$1
source_dir=$(cd "$(dirname "$0")" && pwd)
guide=$source_dir/../../docs/adding-a-backend.md
prefix=$build_root/plugins/example/prefix
work=$build_root/plugins/example/work
rm -rf "$prefix" "$work"
mkdir -p "$work"
meson install -C "$build_root" --no-rebuild --quiet --destdir "$prefix"
pc=$(find "$prefix" -name quantcert.pc)
export PKG_CONFIG_PATH="$(dirname "$pc")" PKG_CONFIG_SYSROOT_DIR="$prefix"

# block LANGUAGE: the first fenced block of the guide in that language.
block() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$guide" | sed '1d;$d'
}
block c >"$work/mine.c"
lines=$(wc -l <"$work/mine.c")
if [ "$lines" -gt 60 ] || ! cmp "$work/mine.c" "$source_dir/example.c"; then
    echo "the guide's adapter has $lines lines; at most 60, and those of example.c, expected" >&2
    exit 1
fi
(
    cd "$work"
    mkdir bin
    ln -s "$build_root/quantcert" bin/quantcert
    block sh >commands
    PATH=$work/bin:$PATH sh -eu commands
)

cp "$source_dir/example.c" "$source_dir/Makefile" "$work"
make -s -C "$work"
mv "$work/example.so" "$build_root/plugins/example/example.so"
