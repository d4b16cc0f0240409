#!/usr/bin/env bash
# Builds the C library and installs it:
#
#     capi/install.sh [--prefix DIR] [--destdir DIR] [--libdir NAME] [--profile PROFILE] [--target TRIPLE]
#
# Below DESTDIR/PREFIX (/usr/local) it puts include/robotsieve.h, LIBDIR/librobotsieve.so (with its soname)
# and librobotsieve.a, LIBDIR/pkgconfig/robotsieve.pc, and README and licences in share/doc/robotsieve.
# LIBDIR is relative to the prefix (lib). The files can be moved together: the .pc finds them from where it is.
# The profile is `dist`, the one that releases are built with. For another target, cargo must be able to
# link for it. CARGO_TARGET_DIR is obeyed.
set -euo pipefail

prefix=/usr/local destdir='' libdir=lib profile=dist target=''
while [ $# -gt 0 ]; do
    case $1 in
    --prefix | --destdir | --libdir | --profile | --target)
        [ $# -gt 1 ] || { echo "$1 needs a value" >&2 && exit 2; }
        declare "${1#--}=$2"
        shift 2
        ;;
    *)
        echo "'$1' is no option: see the top of $0" >&2
        exit 2
        ;;
    esac
done
case $libdir in /*) echo "--libdir is relative to the prefix: lib64, not /usr/lib64" >&2 && exit 2 ;; esac
mkdir -p "${destdir:+$destdir/}$prefix"
root=$(cd "${destdir:+$destdir/}$prefix" && pwd)

cd "$(dirname "$0")/.."
folder=$profile
case $profile in dev | test) folder=debug ;; esac
built=${CARGO_TARGET_DIR:-target}/${target:+$target/}$folder
# What a program must link that links the static library: the compiler says it.
private=$(cargo rustc --locked --lib -p robotsieve-capi --profile "$profile" ${target:+--target "$target"} -- \
    --print native-static-libs 2>&1 | tee >(cat >&2) | sed -n 's/.*native-static-libs: //p' | tail -n 1)
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
major=${version%%.*}
interface=$major
# As build.rs has it.
[ "$major" != 0 ] || interface=$(echo "$version" | cut -d. -f1,2)

# Without -D, which not every `install` has.
put() {
    mkdir -p "$(dirname "$root/$3")"
    install -m "$1" "$2" "$root/$3"
}
put 644 capi/include/robotsieve.h include/robotsieve.h
if [ -e "$built/librobotsieve_capi.dylib" ]; then
    put 755 "$built/librobotsieve_capi.dylib" "$libdir/librobotsieve.$version.dylib"
    ln -sf "librobotsieve.$version.dylib" "$root/$libdir/librobotsieve.$interface.dylib"
    ln -sf "librobotsieve.$version.dylib" "$root/$libdir/librobotsieve.dylib"
    put 644 "$built/librobotsieve_capi.a" "$libdir/librobotsieve.a"
elif [ -e "$built/robotsieve_capi.dll" ]; then
    # The library for the linker has the name of the other in it, so that one keeps its own.
    put 755 "$built/robotsieve_capi.dll" bin/robotsieve_capi.dll
    put 644 "$built/robotsieve_capi.dll.lib" "$libdir/robotsieve.lib"
    put 644 "$built/robotsieve_capi.lib" "$libdir/robotsieve_static.lib"
else
    # Not built for musl, which links statically.
    if [ -e "$built/librobotsieve_capi.so" ]; then
        put 755 "$built/librobotsieve_capi.so" "$libdir/librobotsieve.so.$version"
        ln -sf "librobotsieve.so.$version" "$root/$libdir/librobotsieve.so.$interface"
        ln -sf "librobotsieve.so.$version" "$root/$libdir/librobotsieve.so"
    fi
    put 644 "$built/librobotsieve_capi.a" "$libdir/librobotsieve.a"
fi
# From the folder of the .pc to the prefix.
up=$(echo "$libdir/pkgconfig" | sed 's,[^/][^/]*,..,g')
mkdir -p "$root/$libdir/pkgconfig"
sed -e "s,@up@,$up," -e "s,@libdir@,$libdir," -e "s,@version@,$version," -e "s,@private@,$private," \
    capi/robotsieve.pc.in >"$root/$libdir/pkgconfig/robotsieve.pc"
for file in capi/README.md LICENSE-APACHE LICENSE-MIT; do
    put 644 "$file" "share/doc/robotsieve/${file##*/}"
done
