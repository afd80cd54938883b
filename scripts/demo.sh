#!/usr/bin/env bash
# Reproduces arXiv 2505.13027 in miniature: trains up to six encodings on two tasks with three seeds each, takes their logits apart,
# ablates their heads one at a time, judges the paper's claims, and ends with one screen that says what came out.
#
#   scripts/demo.sh [--fresh] [--steps N] [--seeds N] [--out DIR] [--no-install]
#
#   --fresh        starts over; without it, finished runs are kept and interrupted ones are resumed
#   --steps N      training steps of every run, for a trial
#   --seeds N      runs of every encoding (default: 3)
#   --out DIR      where the study goes (default: runs/demo)
#   --no-install   builds with what the machine has
#
# Installs what is missing and builds build/release/phasor first. PHASOR=FILE uses that binary instead.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

fresh=no
size=()
out=runs/demo
install=yes
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --fresh) fresh=yes ;;
    --steps | --seeds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die_usage "$1 wants a whole number above 0, not '${2-}'"
      size+=("$1" "$2")
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

phasor=${PHASOR-}
if [[ -z $phasor ]]; then
  [[ $install == no ]] || scripts/install_dependencies.sh build web
  say "Building"
  configure release
  build release phasor
  phasor=build/release/phasor
fi

# Only what is a study is removed: --out may be anything.
if [[ $fresh == yes && -e $out ]]; then
  [[ -f $out/study.json ]] || die "'$out' holds no study; --fresh would not remove it"
  rm -rf -- "$out"
fi

say "Reproducing at demo size: $out"
"$phasor" reproduce --size demo --out "$out" ${size[@]+"${size[@]}"} ||
  die "stopped; scripts/demo.sh goes on from here, scripts/demo.sh --fresh starts over"
