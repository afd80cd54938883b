#!/usr/bin/env bash
# Fails when a file of src/phasor/<layer> includes a layer that cmake/layers.txt does not allow it.
set -euo pipefail
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
status=0
while IFS=: read -r layer below; do
  [[ $layer =~ ^[a-z]+$ ]] || continue
  allowed=" $layer $below "
  while IFS=: read -r file line text; do
    target=$(sed -E 's|.*"phasor/([a-z]+)/.*|\1|' <<<"$text")
    if [[ $allowed != *" $target "* ]]; then
      echo "$file:$line: layer '$layer' may not include '$target' (cmake/layers.txt)" >&2
      status=1
    fi
  done < <(grep -rnE '^#include "phasor/[a-z]+/' "$root/src/phasor/$layer" 2>/dev/null || true)
done <"$root/cmake/layers.txt"
exit $status
