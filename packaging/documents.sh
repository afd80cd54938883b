#!/bin/sh
# documents.sh PHASOR FOLDER VERSION: what a Debian package of phasor carries beside the program. Same input, same bytes.
set -eu
phasor=$1 folder=$2 version=$3
sources=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
"$phasor" manual >"$folder/phasor.1"
gzip -9nf "$folder/phasor.1"
"$phasor" completion bash >"$folder/phasor.bash"
"$phasor" completion zsh >"$folder/_phasor"
"$phasor" completion fish >"$folder/phasor.fish"
cp "$sources/packaging/copyright" "$folder/copyright"
# The date of the commit; of the program where there is no git.
date=$(git -C "$sources" log -1 --format=%cD 2>/dev/null || date -R -r "$phasor")
gzip -9n >"$folder/changelog.Debian.gz" <<CHANGES
phasor ($version) unstable; urgency=medium

  * What is new stands in CHANGELOG.md of the sources.

 -- The Phasor authors <phasor@example.org>  $date
CHANGES
