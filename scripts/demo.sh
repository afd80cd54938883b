#!/usr/bin/env bash
# Trains three positional encodings on the distance task and prints how well each one learned it.
#
#   scripts/demo.sh [--fresh] [--steps N] [--out DIR] [--no-install]
#
#   --fresh        trains again; without it, runs that are complete are shown and broken ones continued
#   --steps N      training steps (default: 600)
#   --out DIR      where the run folders go (default: runs/demo)
#   --no-install   builds with what the machine has
#
# Installs what is missing and builds build/release/phasor first. PHASOR=FILE takes that binary instead.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

encodings=(nope alibi rope)
fresh=no
steps=600
out=runs/demo
install=yes
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --fresh) fresh=yes ;;
    --steps)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die_usage "--steps wants a whole number above 0, not '${2-}'"
      steps=$2
      shift
      ;;
    --out)
      [[ -n ${2-} ]] || die_usage "--out wants a folder"
      out=$(realpath -m -- "$2")
      shift
      ;;
    --no-install) install=no ;;
    *) die_usage "unknown option '$1'" ;;
  esac
  shift
done
cd "$root"

# Complete, and of as many steps as wanted now.
is_complete() { grep -q "\"steps\": $steps," "$out/$1/result.json" 2>/dev/null; }

todo=()
for encoding in "${encodings[@]}"; do
  if [[ $fresh == yes ]] || ! is_complete "$encoding"; then todo+=("$encoding"); fi
done

if ((${#todo[@]})); then
  phasor=${PHASOR-}
  if [[ -z $phasor ]]; then
    [[ $install == no ]] || scripts/install_dependencies.sh build
    say "Building"
    configure release
    build release phasor
    phasor=build/release/phasor
  fi
  # Threads spin while they wait for each other: fastest on an idle machine, ten times slower on a busy one.
  if awk -v cores="$(nproc)" '{ exit !($1 > cores) }' /proc/loadavg; then export OMP_WAIT_POLICY=passive; fi
  for encoding in "${todo[@]}"; do
    folder=$out/$encoding
    resume=()
    if [[ $fresh == no && -f $folder/state.safetensors && ! -f $folder/result.json ]]; then
      resume=(--resume)
    else
      rm -rf -- "$folder"
    fi
    say "Training $encoding, $steps steps"
    "$phasor" train --task distance --encoding "$encoding" --preset quick --set train.steps="$steps" --seed 0 \
      --out "$folder" ${resume[@]+"${resume[@]}"} >/dev/null ||
      die "training $encoding failed; scripts/demo.sh --fresh starts over"
    is_complete "$encoding" || die "training $encoding was interrupted; scripts/demo.sh goes on from here"
  done
fi

results=("${encodings[@]/#/$out/}")
echo "Distance task (how many tokens lie between two marked ones?), quick preset:"
echo
awk -f scripts/result_table.awk "${results[@]/%//result.json}"
echo
echo "Run folders with curves and weights: $out/<encoding>"
if ((${#todo[@]} == 0)); then echo "These runs were complete already; scripts/demo.sh --fresh trains them again."; fi
