#!/usr/bin/env bash
# Tests phasor against kills, failing system calls, races, damaged files and invalid input. Prints a table of the trials and of
# the failures, with a command to repeat each failure.
#
#   scripts/faults.sh [--minutes M] [--trials N] [--seed S] [--only KIND,...] [--trial I] [--keep DIR] [--no-install]
#
#   --minutes M    how long to run (default: 10); the kinds take turns
#   --trials N     run N trials of each kind instead
#   --seed S       random seed of all trials (default: 1)
#   --only KINDS   kills, study_kills, calls, races, damage, nonsense
#   --trial I      runs one trial, by the number that a failure reports
#   --keep DIR     works in DIR and keeps all files
#   --no-install   builds with what the machine has
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

install=yes
minutes=(--minutes 10)
options=()
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --no-install) install=no ;;
    --minutes | --trials | --seed | --only | --trial | --keep)
      [[ -n ${2-} ]] || die_usage "$1 wants a value"
      [[ $1 == @(--minutes|--trials) ]] && minutes=()
      options+=("$1" "$2")
      shift
      ;;
    *) die_usage "unknown option '$1'" ;;
  esac
  shift
done
cd "$root"
[[ $install == no ]] || scripts/install_dependencies.sh build test web
say "Building"
configure release
build release faults
exec build/release/faults ${minutes[@]+"${minutes[@]}"} ${options[@]+"${options[@]}"}
