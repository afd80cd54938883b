#!/usr/bin/env bash
# Writes the table of layers, between its markers in CONTRIBUTING.md and docs/architecture.md, from cmake/layers.txt.
#
#   scripts/layers_table.sh [--check] [ROOT]
#
#   --check   changes nothing; fails when a table is out of date
#   ROOT      another copy of the sources (default: this one)
#
# In cmake/layers.txt the comment line above a layer says what the layer is.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

check=no
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --check) check=yes ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -d $argument ]] || die_usage "no such folder: $argument" && root=$(realpath "$argument") ;;
  esac
done
cd "$root"

begin='<!-- layers: begin -->'
end='<!-- layers: end -->'
documents=(CONTRIBUTING.md docs/architecture.md)

# shellcheck disable=SC2016  # the program is awk's
table=$(awk '
  /^#/ { what = $0; sub(/^# */, "", what); next }
  /^[a-z]+:/ {
    layer = $1
    sub(/:.*/, "", layer)
    below = $0
    sub(/^[a-z]+: */, "", below)
    gsub(/ +/, ", ", below)
    if (what == "") {
      printf "%s:%d: no comment above layer \047%s\047 says what it is\n", FILENAME, FNR, layer > "/dev/stderr"
      failed = 1
    }
    printf "| `src/phasor/%s` | %s | %s |\n", layer, what, below == "" ? "-" : below
  }
  { what = "" }
  END { exit failed }
' cmake/layers.txt) || exit 1
table="| folder | what it is | includes |
|---|---|---|
$table"

stale=()
for document in "${documents[@]}"; do
  [[ $(grep -cFx -e "$begin" "$document") == 1 && $(grep -cFx -e "$end" "$document") == 1 ]] ||
    die "$document: the markers '$begin' and '$end' must each stand on one line of their own"
  updated=$(TABLE=$table awk -v begin="$begin" -v end="$end" '
    $0 == end { inside = 0 }
    !inside { print }
    $0 == begin { inside = 1; print ENVIRON["TABLE"] }
  ' "$document")
  [[ $updated != "$(cat "$document")" ]] || continue
  stale+=("$document")
  [[ $check == no ]] || continue
  printf '%s\n' "$updated" >"$document.partial$$"
  mv "$document.partial$$" "$document"
done
if [[ $check == yes ]] && ((${#stale[@]})); then
  die "the table of layers differs from cmake/layers.txt in ${stale[*]}; scripts/layers_table.sh writes it again"
fi
