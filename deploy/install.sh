#!/bin/sh
# Installs this checkout, after `npm ci`, into a folder as it runs in production: compiled, without what only
# development needs. What is there already is replaced once everything is ready. More arguments go to npm.
set -eu
rm -rf "$1.new"
mkdir -p "$1.new"
fresh=$(cd "$1.new" && pwd)
target=${fresh%.new}
shift
cd "$(dirname "$0")/.."

npm pack --pack-destination "$fresh" >/dev/null
tar -xzf "$fresh"/tableside-*.tgz -C "$fresh" --strip-components=1
rm "$fresh"/tableside-*.tgz
cp package-lock.json "$fresh"
npm ci --prefix "$fresh" --omit=dev --no-audit --no-fund "$@"
# Libraries can do with or without the compiler and types, so npm keeps them.
cd "$fresh/node_modules"
rm -rf typescript @typescript .bin/tsc @types/node undici-types

rm -rf "$target.old"
if [ -e "$target" ]; then mv "$target" "$target.old"; fi
mv "$fresh" "$target"
rm -rf "$target.old"
