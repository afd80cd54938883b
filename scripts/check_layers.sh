#!/usr/bin/env bash
# Fails when a file of src/phasor/<layer> includes a layer that cmake/layers.txt does not permit,
# when a folder has no line in that table, when the table itself points upwards, or when it permits an include that no file has.
set -euo pipefail
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root"

# shellcheck disable=SC2016  # the program is awk's
program='
  function complain(line, text) {
    printf "%s:%d: %s\n", FILENAME, line, text > "/dev/stderr"
    failed = 1
  }
  FNR == NR {
    table = FILENAME
    if ($0 !~ /^[a-z]+:/) next
    layer = $1
    sub(/:.*/, "", layer)
    known[layer] = 1
    allowed[layer, layer] = 1
    for (i = 2; i <= NF; ++i) {
      if (!($i in known)) complain(FNR, "layer \047" layer "\047 stands below \047" $i "\047 and may not name it")
      allowed[layer, $i] = 1
      line_of[layer, $i] = FNR
    }
    next
  }
  FNR == 1 {
    split(FILENAME, path, "/")
    layer = path[3]
    if (!(layer in known)) complain(1, "folder \047" layer "\047 has no line in cmake/layers.txt")
  }
  /^[ \t]*#[ \t]*include[ \t]*"\.\.?\// { complain(FNR, "include by its full name, \"phasor/<layer>/<file>.h\"") }
  /^[ \t]*#[ \t]*include[ \t]*["<]phasor\// {
    target = $0
    sub(/^[^"<]*["<]phasor\//, "", target)
    sub(/\/.*/, "", target)
    used[layer, target] = 1
    if ((layer in known) && !((layer, target) in allowed))
      complain(FNR, "layer \047" layer "\047 may not include \047" target "\047 (cmake/layers.txt)")
  }
  END {
    for (edge in line_of) {
      if (edge in used) continue
      split(edge, ends, SUBSEP)
      FILENAME = table
      complain(line_of[edge], "layer \047" ends[1] "\047 includes nothing of \047" ends[2] "\047; take it off the line")
    }
    exit failed
  }
'
find src/phasor -mindepth 2 -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
  LC_ALL=C sort -z | xargs -0 awk "$program" cmake/layers.txt
