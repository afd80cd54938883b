#!/usr/bin/env bash
# layers_table.sh writes the table of layers in two documents from cmake/layers.txt, and --check notices a stale one.
# shellcheck disable=SC2016  # backticks are Markdown
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

table=$repository/scripts/layers_table.sh
run "$table" --check
expect_status 0
expect_silence

copy() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/cmake" "$scratch/tree/docs"
  cp "$repository/CONTRIBUTING.md" "$scratch/tree/"
  cp "$repository/docs/architecture.md" "$scratch/tree/docs/"
  cp "$repository/cmake/layers.txt" "$scratch/tree/cmake/"
}

# A new layer, a removed edge and a changed comment are each noticed, and written without touching the rest.
expect_updated() {
  local line=$1 document
  run "$table" --check "$scratch/tree"
  expect_status 1
  expect_output 'differs from cmake/layers.txt in CONTRIBUTING.md docs/architecture.md'
  run "$table" "$scratch/tree"
  expect_status 0
  run "$table" --check "$scratch/tree"
  expect_status 0
  for document in CONTRIBUTING.md docs/architecture.md; do
    grep -qFx -e "$line" "$scratch/tree/$document" || fail "expected in $document: $line"
    run diff <(grep -v '^| `src/phasor/' "$repository/$document") <(grep -v '^| `src/phasor/' "$scratch/tree/$document")
    expect_silence
  done
}
copy
printf '%s\n' '# the topmost one' 'summit: base report' >>"$scratch/tree/cmake/layers.txt"
expect_updated '| `src/phasor/summit` | the topmost one | base, report |'
copy
sed -i 's/^checkpoint:.*/checkpoint: base/' "$scratch/tree/cmake/layers.txt"
expect_updated "$(grep -F '| `src/phasor/checkpoint` |' "$repository/CONTRIBUTING.md" | sed 's/base, tensor/base/')"
copy
sed -i 's/^# Philox.*/# dice/' "$scratch/tree/cmake/layers.txt"
expect_updated '| `src/phasor/random` | dice | tensor |'

# A layer without a comment of its own is refused, and nothing is written.
copy
printf '%s\n' 'summit: base' >>"$scratch/tree/cmake/layers.txt"
run "$table" "$scratch/tree"
expect_status 1
expect_output "no comment above layer 'summit'"
run diff "$repository/CONTRIBUTING.md" "$scratch/tree/CONTRIBUTING.md"
expect_silence

# One stale document is enough.
copy
sed -i '/`src.phasor.random`/d' "$scratch/tree/docs/architecture.md"
run "$table" --check "$scratch/tree"
expect_status 1
expect_output 'in docs/architecture.md;'

# Without its markers a document is left alone.
copy
sed -i '/layers: end/d' "$scratch/tree/CONTRIBUTING.md"
run "$table" "$scratch/tree"
expect_status 1
expect_output 'the markers'

run "$table" --nonsense
expect_status 2
run "$table" --help
expect_status 0
expect_output 'scripts/layers_table.sh [--check]'
