#!/usr/bin/env bash
# install_dependencies.sh with machines of every kind, made of fake commands on a PATH of their own.
# shellcheck disable=SC2016  # fake commands expand their own words
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

bash=$BASH
install() {
  run env -i PATH="$scratch/bin" "$bash" "$repository/scripts/install_dependencies.sh" "$@" </dev/null
}

# machine [COMMAND...]: the tools that every machine has, and those named.
machine() {
  rm -rf "${scratch:?}/bin" "$scratch/calls"
  mkdir -p "$scratch/bin"
  local tool
  for tool in dirname basename env nproc awk; do ln -s "$(command -v "$tool")" "$scratch/bin/$tool"; done
  for tool in "$@"; do
    case $tool in
      dpkg) fake dpkg-query 'for name in "${@:4}"; do
        [[ $name == libgtest-dev || $name == libfmt-dev ]] || printf "installed=%s " "$name"; done; exit 1' ;;
      full-dpkg) fake dpkg-query 'for name in "${@:4}"; do printf "installed=%s " "$name"; done' ;;
      removed-dpkg) fake dpkg-query 'for name in "${@:4}"; do printf "config-files=%s " "$name"; done' ;;
      no-extras) fake dpkg-query 'for name in "${@:4}"; do
        [[ $name == @(libdnnl-dev|zlib1g-dev|nodejs|npm) ]] || printf "installed=%s " "$name"; done; exit 1' ;;
      picky-apt) fake apt-get '[[ $* != *libdnnl-dev* ]]' ;;
      apt) fake apt-get "echo \"\$DEBIAN_FRONTEND apt-get \$*\" >>$scratch/calls" ;;
      broken-apt) fake apt-get 'exit 100' ;;
      root) fake id 'echo 0' ;;
      user) fake id 'echo 1000' ;;
      sudo) fake sudo '[[ $1 == -n ]] && shift; [[ $1 == true ]] || exec "$@"' ;;
      npm) fake npm 'exit 0' ;;
      refusing-sudo) fake sudo 'echo "a password is required" >&2; exit 1' ;;
      *) fail "unknown tool $tool" ;;
    esac
  done
}

command='as root: apt-get update && apt-get install -y --no-install-recommends libfmt-dev libgtest-dev'
expect_advice() {
  expect_status 1
  expect_output "$command"
  [[ $output != *$'\n'* ]] || fail "expected one line"
}

# Nothing missing: silent, and apt-get is not called.
machine full-dpkg root apt
install build test lint
expect_status 0
expect_silence
[[ ! -e $scratch/calls ]] || fail "apt-get was called: $(cat "$scratch/calls")"

# It may not install.
machine dpkg user apt
install
expect_advice
machine dpkg user apt refusing-sudo
install
expect_advice
machine dpkg root
install
expect_advice

# It may: refreshes the lists, then installs what is missing and nothing else.
expect_installed() {
  expect_status 0
  run grep -c . "$scratch/calls"
  [[ $output == 2 ]] || fail "expected two calls of apt-get"
  run cat "$scratch/calls"
  [[ ${output%%$'\n'*} == "noninteractive apt-get "*update ]] || fail "expected an update first"
  [[ $output == *" install -y --no-install-recommends libfmt-dev libgtest-dev" ]] || fail "expected what is missing"
}
machine dpkg root apt
install
expect_installed
machine dpkg user apt sudo
install
expect_installed

# Removed packages whose configuration is left are missing; a failing apt-get is reported.
machine removed-dpkg user
install test
expect_status 1
expect_output 'no-install-recommends libgtest-dev'
machine dpkg root broken-apt
install
expect_status 1
expect_output "$command"

# No dpkg: says what it did not check and goes on.
machine user
install test
expect_status 0
expect_output 'no dpkg'
expect_output 'libgtest-dev'

machine full-dpkg user
install nonsense
expect_status 2
expect_output "unknown group 'nonsense'; known: build web test browser lint tools latex cache package lintian bare fixtures"
install --list build
expect_status 0
[[ $output != *torch* ]] || fail "PyTorch is for fixtures alone"

# What Phasor can do without stops nobody.
machine no-extras user apt
install build web
expect_status 0
expect_output 'Going on without libdnnl-dev zlib1g-dev nodejs npm'
machine no-extras root picky-apt
install build web
expect_status 0
expect_output 'Going on without libdnnl-dev, which cannot be installed'
[[ $output != *'without npm'* ]] || fail "npm can be installed"

# npm counts wherever it came from.
machine full-dpkg user
install --list web
expect_status 0
expect_output 'nodejs'
machine full-dpkg user npm
install --list web build
expect_status 0
[[ $output != *nodejs* && $output == *cmake* ]] || fail "npm is there already"
install web
expect_status 0
