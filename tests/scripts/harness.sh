# shellcheck shell=bash
# shellcheck disable=SC2034  # the tests read the variables
# What the script tests share: a temporary folder, and running a command with what it printed kept.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# run COMMAND...: sets $output (both streams) and $status.
run() {
  status=0
  output=$("$@" 2>&1) || status=$?
}

fail() {
  printf '%s:%s: %s\n  status %s, output:\n%s\n' "$0" "${BASH_LINENO[-2]}" "$1" "${status-}" "${output-}" >&2
  exit 1
}
expect_status() { [[ $status == "$1" ]] || fail "expected status $1"; }
expect_output() { [[ $output == *"$1"* ]] || fail "expected output with: $1"; }
expect_silence() { [[ -z $output ]] || fail "expected no output"; }

# fake NAME BODY: a command of that name in $scratch/bin.
fake() {
  mkdir -p "$scratch/bin"
  printf '#!%s\n%s\n' "$BASH" "$2" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
