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
# Pages that are open, and the server until it is restarted, go on asking for files of the version that is replaced: they
# stay for a week. npm packs every file with the same date, so a file newer than package.json is from an earlier version.
assets=dist/client/assets
if [ -d "$target/$assets" ]; then
  mkdir -p "$fresh/dist/client"
  cp -Rp "$target/$assets" "$fresh/dist/client"
  find "$fresh/$assets" -type f -newer "$target/package.json" -mtime +6 -exec rm {} +
  find "$fresh/$assets" -type f ! -newer "$target/package.json" -exec touch {} +
fi
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
