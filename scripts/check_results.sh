#!/usr/bin/env bash
# Recomputes the numbers of README.md and the pages in docs from the CSV files in docs/results, and fails where a page says
# something else. docs/results/README.md says how a page names the data of a number.
#
#   scripts/check_results.sh [--fix] [--no-build] [ROOT]
#
#   --fix        writes the right numbers into the pages
#   --no-build   with the program as it was built last
#   ROOT         another copy of the pages (default: this one)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

options=()
build=yes
pages=$root
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --fix) options+=(--fix) ;;
    --no-build) build=no ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -d $argument ]] || die_usage "no such folder: $argument" && pages=$(realpath "$argument") ;;
  esac
done
if [[ $build == yes ]]; then
  configure release
  build release check_results
fi
program=$root/build/release/check_results
[[ -x $program ]] || die "there is no $program; build it without --no-build"
"$program" ${options[@]+"${options[@]}"} "$pages" || {
  status=$?
  [[ " ${options[*]-} " == *" --fix "* ]] || echo "check_results.sh: --fix writes the right numbers" >&2
  exit "$status"
}
