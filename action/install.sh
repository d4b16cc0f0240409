#!/usr/bin/env bash
# What action.yml runs first: puts the command into $RUNNER_TEMP/robotsieve/bin, unless there is one in PATH.
#
# Downloads the archive of the version that the action has, and checks its SHA-256. If that cannot be had, it builds the
# command, which takes minutes, and says so. An archive with another checksum ends the job.
#
# From the environment: GITHUB_ACTION_PATH, RUNNER_OS, RUNNER_ARCH and RUNNER_TEMP, which GitHub sets; and
# ROBOTSIEVE_RELEASES, the address of the releases, for tests.
set -euo pipefail

if command -v robotsieve >/dev/null; then
    echo "the robotsieve in PATH is used: $(robotsieve --version)"
    exit
fi
releases=${ROBOTSIEVE_RELEASES:-https://github.com/robotsieve/robotsieve/releases/download}
version=$(sed -n '/^\[workspace\.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml")
place=$RUNNER_TEMP/robotsieve
mkdir -p "$place/bin"

# build REASON
build() {
    echo "::notice::robotsieve is built from source, which takes minutes: $1"
    cargo install --locked --quiet --path "$GITHUB_ACTION_PATH/cli" --root "$place"
    exit
}

case $RUNNER_OS-$RUNNER_ARCH in
# Static, so that it runs in containers of any distribution.
Linux-X64) target=x86_64-unknown-linux-musl ;;
Linux-ARM64) target=aarch64-unknown-linux-musl ;;
macOS-X64) target=x86_64-apple-darwin ;;
macOS-ARM64) target=aarch64-apple-darwin ;;
Windows-X64) target=x86_64-pc-windows-msvc ;;
*) build "there is no archive for $RUNNER_OS on $RUNNER_ARCH" ;;
esac
folder=robotsieve-$version-$target
case $target in *-windows-*) archive=$folder.zip ;; *) archive=$folder.tar.gz ;; esac

for file in "$archive" "$archive.sha256"; do
    said=$(curl --fail --silent --show-error --location --retry 3 --connect-timeout 10 --max-time 120 \
        --output "$place/$file" "$releases/v$version/$file" 2>&1) ||
        build "$releases/v$version/$file cannot be downloaded (${said%%$'\n'*})"
done
read -r wanted _ <"$place/$archive.sha256"
if command -v sha256sum >/dev/null; then
    sum=$(sha256sum "$place/$archive")
else
    sum=$(shasum -a 256 "$place/$archive")
fi
sum=${sum%% *}
if [ "$sum" != "$wanted" ]; then
    echo "::error::$releases/v$version/$archive has the SHA-256 $sum, but $archive.sha256 says $wanted: it is not used"
    exit 1
fi
case $archive in
*.zip) unzip -q "$place/$archive" -d "$place" ;;
*) tar -xzf "$place/$archive" -C "$place" ;;
esac
mv "$place/$folder"/robotsieve* "$place/bin/"
rm -r "${place:?}/$folder" "${place:?}/$archive" "${place:?}/$archive.sha256"
echo "robotsieve $version, downloaded; its SHA-256 is right"
