#!/usr/bin/env bash
# Runs the README's commands on freshly installed systems: a minimal Debian in a folder, with a clean clone of HEAD in it.
#
#   scripts/fresh_machine.sh [--suite bookworm|trixie] [--only demo|test] [--short] [--cold | --prepare]
#
#   --suite SUITE   Debian 12 (bookworm) or Debian 13 (trixie); default: both, one after the other
#   --only NAME     one of the two commands; default: both, each on a system of its own
#   --short         the demo with one run of 20 steps for each encoding, the tests with --quick, both on one system
#   --cold          without compiler cache, system folder and packages kept from earlier, as for a new user
#   --prepare       runs nothing: makes the system folders and fetches the packages, and keeps both for later calls
#
# Prints the seconds that installing, building and running took. Logs are in build/fresh_machine. Needs root and debootstrap
# (scripts/install_dependencies.sh bare); if such a system cannot be made here, it says why and exits 3.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/bare_root.sh
source "$(dirname "$0")/bare_root.sh"

suites=()
only=
short=no
prepare=no
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --suite)
      [[ ${2-} == @(bookworm|trixie) ]] || die_usage "--suite wants bookworm or trixie, not '${2-}'"
      suites+=("$2")
      shift
      ;;
    --only)
      [[ ${2-} == @(demo|test) ]] || die_usage "--only wants demo or test, not '${2-}'"
      only=$2
      shift
      ;;
    --short) short=yes ;;
    --cold) bare_root_cold=yes ;;
    --prepare) prepare=yes ;;
    *) die_usage "unknown option '$1'" ;;
  esac
  shift
done
((${#suites[@]})) || suites=(bookworm trixie)
[[ $prepare == no || $bare_root_cold == no ]] || die_usage "--prepare keeps what --cold does not use"
cd "$root"

# command_of NAME: the line of the README that runs scripts/NAME.sh, without its comment.
command_of() {
  local line
  line=$(grep -m 1 -E "^    scripts/$1\.sh( |$)" README.md) || die "README.md has no line that runs scripts/$1.sh"
  line=${line%%#*}
  read -r line <<<"$line"
  if [[ $short == yes && $1 == demo ]]; then line+=' --steps 20 --seeds 1'; fi
  if [[ $short == yes && $1 == test ]]; then line+=' --quick'; fi
  echo "$line"
}

reason=$(no_bare_root_because)
if [[ -n $reason ]]; then
  echo "fresh_machine.sh: not run: $reason" >&2
  exit 3
fi
[[ $prepare == yes || -z $(git status --porcelain) ]] || echo "fresh_machine.sh: the clone is of HEAD; changes that are not committed are not in it" >&2

logs=$root/build/fresh_machine
mkdir -p "$logs"
new_bare_root_folder fresh

# fetch_packages SUITE: what the scripts install there, into the folder of packages that is kept.
fetch_packages() {
  in_bare_root "$1" "$machine" bash -c 'cd /srv && apt-get -qq update && scripts/install_dependencies.sh --list build test web |
    xargs apt-get -qq install -y --no-install-recommends --download-only' </dev/null >"$logs/$1-prepare.log" 2>&1
}
if [[ $prepare == yes ]]; then
  for suite in "${suites[@]}"; do
    say "$suite: a bare root and packages for later"
    remove_bare_root "$machine"
    make_bare_root "$suite" "$machine" ccache
    mkdir -p "$machine/srv"
    cp -r scripts "$machine/srv/"
    interruptible fetch_packages "$suite" || die "no packages for $suite; log: $logs/$suite-prepare.log"
  done
  exit 0
fi

# stages LOG: reads output, keeps it in LOG, shows its stages, and writes the seconds that passed in each kind of stage:
# "install build run".
stages() {
  local line kind=run began=$SECONDS
  local -A seconds=([install]=0 [build]=0 [run]=0)
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    [[ $line == '==> '* ]] || continue
    printf '    %s\n' "${line:0:110}" >&2
    seconds[$kind]=$((seconds[$kind] + SECONDS - began))
    began=$SECONDS
    case $line in
      '==> Installing'*) kind=install ;;
      '==> Building'*) kind=build ;;
      *) kind=run ;;
    esac
  done
  seconds[$kind]=$((seconds[$kind] + SECONDS - began))
  echo "${seconds[install]} ${seconds[build]} ${seconds[run]}"
}

# run_command SUITE COMMAND LOG: the seconds of its stages lie in $logs/seconds afterwards.
run_command() { in_bare_root "$1" "$machine" bash -c "cd /srv/phasor && $2" </dev/null 2>&1 | stages "$3" >"$logs/seconds"; }

table=()
failed=()
made=
for suite in "${suites[@]}"; do
  for name in demo test; do
    [[ -z $only || $only == "$name" ]] || continue
    line_to_run=$(command_of "$name")
    log=$logs/$suite-$name.log
    : >"$log"
    say "$suite: $line_to_run"
    if [[ $short == no || $made != "$suite" ]]; then
      remove_bare_root "$machine"
      packages=()
      [[ $bare_root_cold == yes ]] || packages=(ccache)
      make_bare_root "$suite" "$machine" ${packages[@]+"${packages[@]}"}
      git clone -q --no-hardlinks "$root" "$machine/srv/phasor"
      made=$suite
    fi
    status=0
    interruptible run_command "$suite" "$line_to_run" "$log" || status=$?
    read -r install build run <"$logs/seconds"
    total=$((install + build + run))
    result=passed
    if ((status)); then
      result="FAILED ($status)"
      failed+=("$suite: $line_to_run; log: $log")
      # What went wrong is named by these lines; the end of the log says where.
      { grep -n -E '(fatal |^)?error:|CMake Error|Could NOT find|was not found|not found|No such file|^E: |npm (ERR|error)' "$log" || true; } |
        head -n 12 >&2
      tail -n 15 "$log" >&2
    fi
    table+=("$(printf '%-9s %-40s %8d %8d %8d %8d  %s' "$suite" "$line_to_run" "$install" "$build" "$run" "$total" "$result")")
  done
done

kind=warm
[[ $bare_root_cold == no ]] || kind=cold
printf '\n%-9s %-40s %8s %8s %8s %8s  (seconds, %s, %d cores)\n' suite command install build run total "$kind" "$(nproc)"
printf '%s\n' "${table[@]}"
((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
