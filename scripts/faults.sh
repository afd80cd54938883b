#!/usr/bin/env bash
# Makes trouble for phasor: kills, failing system calls, races, damaged files, nonsense. Prints a table of what was tried and
# what did not end well, with a command to repeat each.
#
#   scripts/faults.sh [--minutes M] [--trials N] [--seed S] [--only KIND,...] [--trial I] [--keep DIR] [--no-install]
#
#   --minutes M    how long (default: 10), all kinds by turns
#   --trials N     so many trials of each kind instead
#   --seed S       of all dice (default: 1)
#   --only KINDS   kills, study_kills, calls, races, damage, nonsense
#   --trial I      one trial alone, as a failure names it
#   --keep DIR     works in DIR and leaves everything there
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
