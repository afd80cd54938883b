#!/usr/bin/env bash
# The library can be installed and found by CMake, and the example program links it and does what it says.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

build=$repository/build/release
if [[ ! -e $build/libphasor_report.a ]]; then
  echo "example_test.sh: skipped: $build holds no library" >&2
  exit 0
fi
run cmake --install "$build" --prefix "$scratch/prefix" --component development
expect_status 0
run cmake -S "$repository/examples" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix"
expect_status 0
run cmake --build "$scratch/build"
expect_status 0

program=$scratch/build/where_position_lives
run "$program" alibi "$scratch/run"
expect_status 0
for words in 'step 400: test accuracy' 'alibi on distance (chance' 'What the logits are made of' 'mean 0' 'theorems' \
  '512 held-out samples' 'position: ' 'habits of heads'; do
  expect_output "$words"
done
[[ -f $scratch/run/result.json && -f $scratch/run/ablation.safetensors ]] || fail "expected a run folder"
# Again: nothing is trained a second time.
run "$program" alibi "$scratch/run"
expect_status 0
[[ $output != *'step 50:'* ]] || fail "expected no second training"
expect_output '512 held-out samples'
run "$program" roep "$scratch/other"
expect_status 1
expect_output "rope"
