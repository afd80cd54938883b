#!/usr/bin/env bash
# check_layers.sh passes on this tree and fails on every way an include or the table can point upwards.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

check=$repository/scripts/check_layers.sh
run "$check"
expect_status 0
expect_silence

copy() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/src"
  cp -r "$repository/src/phasor" "$scratch/tree/src/"
  cp -r "$repository/cmake" "$scratch/tree/"
}

# expect_refused FILE LINE MESSAGE: appends the line to a copy's file.
expect_refused() {
  copy
  mkdir -p "$(dirname "$scratch/tree/$1")"
  printf '%s\n' "$2" >>"$scratch/tree/$1"
  run "$check" "$scratch/tree"
  [[ $status != 0 ]] || fail "expected a refusal of '$2' in $1"
  expect_output "$1:"
  expect_output "$3"
}

copy
run "$check" "$scratch/tree"
expect_status 0

expect_refused src/phasor/base/error.h '#include "phasor/run/config.h"' "layer 'base' may not include 'run'"
expect_refused src/phasor/engine/cpu/a.cpp '#include "phasor/model/config.h"' "layer 'engine' may not include 'model'"
expect_refused src/phasor/encoding/new.cpp '  #  include <phasor/task/task.h>' "layer 'encoding' may not include 'task'"
expect_refused src/phasor/task/new.h '#include "../model/config.h"' "full name"
expect_refused src/phasor/stray/new.h '#pragma once' "folder 'stray' has no line"
expect_refused cmake/layers.txt 'lower: higher' "layer 'lower' stands below 'higher'"
