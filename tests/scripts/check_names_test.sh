#!/usr/bin/env bash
# check_names.sh passes on this tree and finds every kind of name that two headers define.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

check=$repository/scripts/check_names.sh
run "$check"
expect_status 0
expect_silence

# write LAYER NAMESPACE LINES: a header of a small tree.
write() {
  mkdir -p "$scratch/tree/src/phasor/$1"
  printf '#pragma once\nnamespace %s {\n\n%s\n\n}  // namespace %s\n' "$2" "$3" "$2" >"$scratch/tree/src/phasor/$1/$1.h"
}

# both FIRST SECOND: in the headers of two layers, in one namespace.
both() {
  rm -rf "$scratch/tree"
  write lower phasor "$1"
  write upper phasor "$2"
  run "$check" "$scratch/tree"
}
expect_clash() {
  both "$1" "$2"
  [[ $status != 0 ]] || fail "expected a clash of '$1' and '$2'"
  expect_output "src/phasor/upper/upper.h:"
  expect_output "'phasor::$3' is also defined at src/phasor/lower/lower.h:"
}
expect_peace() {
  both "$1" "$2"
  expect_status 0
  expect_silence
}

expect_clash 'enum class Verdict : uint8_t { yes, no };' 'enum class Verdict : uint8_t { holds, fails };' Verdict
expect_clash 'struct Spread {' $'template <class T>\nclass Spread final : public Base {' Spread
expect_clash 'using Rows = std::vector<int>;' 'struct Rows {' Rows
expect_clash 'inline constexpr int kMost = 3;' 'constexpr double kMost = 4.0;' kMost
expect_clash 'double mean(const Rows& rows, int first = 2);' 'double mean(const Rows& all, int from);' 'mean(const Rows&, int)'
expect_clash 'void judge(const Rows& rows, const Options& options = {});' $'void judge(const Rows& all,\n           const Options& how) {' \
  'judge(const Rows&, const Options&)'

expect_peace 'struct Spread;' 'struct Spread {'
expect_peace 'std::string text(const Rows& rows);' 'std::string text(const Columns& columns);'
expect_peace $'struct Inner {\n  struct Spread {\n    double mean(int a);\n  };\n};' $'struct Spread {\n  double mean(int a);\n};'
expect_peace $'template <>\nstruct Of<int> {' $'template <>\nstruct Of<double> {'

rm -rf "$scratch/tree"
write lower phasor 'struct Interval {'
write upper phasor::statistics 'struct Interval {'
run "$check" "$scratch/tree"
expect_status 0
