#!/usr/bin/env bash
# Builds the fuzz targets with clang, ASan and UBSan, and runs each from its saved corpus, as many at a time as there are
# cores (PHASOR_JOBS).
#
#   scripts/fuzz.sh [--seconds N] [--no-install] [TARGET...]      (default: 25 seconds, all targets)
#
# tests/fuzz/<name>_fuzz.cpp is the target <name>_fuzz, tests/fuzz/corpus/<name>/ its saved corpus and
# <name>.dict its dictionary, if there is one. New inputs are kept in build/fuzz/corpus/<name>/, an input
# that fails in build/fuzz/failures/<name>/.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

seconds=25
install=yes
targets=()
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --seconds)
      [[ ${2-} =~ ^[1-9][0-9]*$ ]] || die_usage "--seconds wants a whole number above 0, not '${2-}'"
      seconds=$2
      shift
      ;;
    --no-install) install=no ;;
    -*) die_usage "unknown option '$1'" ;;
    *) targets+=("$1") ;;
  esac
  shift
done
cd "$root"
[[ $install == no ]] || scripts/install_dependencies.sh build lint

configure fuzz
build fuzz "${targets[@]:-fuzz_targets}"
if ((${#targets[@]} == 0)); then
  mapfile -t targets < <(find build/fuzz -maxdepth 1 -type f -name '*_fuzz' -executable -printf '%f\n' | LC_ALL=C sort)
fi
((${#targets[@]})) || die "the preset 'fuzz' has built no target; expected build/fuzz/*_fuzz"

fuzz() {
  local target=$1 name=${1%_fuzz} corpora words log
  mkdir -p "build/fuzz/corpus/$name" "build/fuzz/failures/$name"
  corpora=("build/fuzz/corpus/$name")  # libFuzzer writes to the first folder and reads all of them
  [[ ! -d tests/fuzz/corpus/$name ]] || corpora+=("tests/fuzz/corpus/$name")
  words=()
  [[ ! -f tests/fuzz/$name.dict ]] || words=(-dict="tests/fuzz/$name.dict")
  say "Fuzzing $name for $seconds s"
  log=build/fuzz/$name.log
  # What a hostile header claims must not be allocated: no block above 256 MiB, no input above 5 s.
  if ! "build/fuzz/$target" -max_total_time="$seconds" -timeout=5 -malloc_limit_mb=256 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/failures/$name/" ${words[@]+"${words[@]}"} "${corpora[@]}" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    die "$name failed; again with: build/fuzz/$target build/fuzz/failures/$name/<file>"
  fi
  say "$name: $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs, none failed"
}

# Each in a process group of its own, so that none outlives this script.
set -m
end_all() {
  local group
  for group in $(jobs -p); do kill -- -"$group" 2>/dev/null || true; done
}
trap end_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
running=0
for target in "${targets[@]}"; do
  if ((running >= jobs)); then
    wait -n || exit
    running=$((running - 1))
  fi
  fuzz "$target" &
  running=$((running + 1))
done
for ((; running > 0; running--)); do wait -n || exit; done
