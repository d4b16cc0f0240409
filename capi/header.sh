#!/usr/bin/env bash
# Makes include/robotsieve.h of src/, with a cbindgen of a fixed version, which is compiled if it is missing.
#
#     capi/header.sh            # write it
#     capi/header.sh --check    # fail if it is not current
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.29.4
root=$PWD/target/cbindgen
[ "$("$root/bin/cbindgen" --version 2>/dev/null)" = "cbindgen $version" ] || {
    # Unoptimised, because it has little to do.
    cargo install cbindgen --version "=$version" --locked --debug --root "$root" --target-dir "$root/build"
    rm -r "$root/build"
}
made=capi/include/robotsieve.h
[ $# = 0 ] || made=target/robotsieve.h
"$root/bin/cbindgen" --quiet --config capi/cbindgen.toml --output "$made" capi
[ $# = 0 ] || diff -u capi/include/robotsieve.h "$made" || {
    echo "capi/include/robotsieve.h is not current: run capi/header.sh" >&2
    exit 1
}
