#!/usr/bin/env bash
# Makes include/robotsieve.h of src/, with a cbindgen of a fixed version, which is compiled if it is missing.
#
#     capi/header.sh             # write it
#     capi/header.sh --check     # fail if the sources or the header have changed since; takes no cbindgen
#     capi/header.sh --compare   # make it again, and fail if it differs
set -euo pipefail
cd "$(dirname "$0")/.."
header=capi/include/robotsieve.h
version=0.29.4
root=$PWD/target/cbindgen

# digest HEADER: of the header, and of what it is made of.
digest() {
    { echo "$version" && cat capi/cbindgen.toml capi/src/*.rs "$1"; } | sha256sum | cut -c1-32
}

if [ "${1-}" = --check ]; then
    [ "$(sed '$d' $header | digest -)" = "$(tail -n 1 $header | sed -n 's,^/\* Digest: \(.*\) \*/$,\1,p')" ] || {
        echo "$header is not what capi/header.sh makes of capi/src: run it" >&2
        exit 1
    }
    exit
fi
[ "$("$root/bin/cbindgen" --version 2>/dev/null)" = "cbindgen $version" ] || {
    # Unoptimised, because it has little to do.
    cargo install cbindgen --version "=$version" --locked --debug --root "$root" --target-dir "$root/build"
    rm -r "$root/build"
}
made=$header
[ $# = 0 ] || made=target/robotsieve.h
"$root/bin/cbindgen" --quiet --config capi/cbindgen.toml --output "$made" capi
echo "/* Digest: $(digest "$made") */" >>"$made"
[ $# = 0 ] || diff -u $header "$made" || {
    echo "$header is not current: run capi/header.sh" >&2
    exit 1
}
