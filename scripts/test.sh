#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs all tests.
#
#   scripts/test.sh [--quick] [--asan] [--all] [--no-install]
#
#   --quick        leaves out the tests of whole models and runs: tests/model, tests/train, tests/cli
#   --asan         runs the tests a second time under the address and undefined-behaviour sanitizers
#   --all          also lint, sanitizers, fuzzing and a short demo; what CI=true does
#   --no-install   builds with what the machine has
#
# PHASOR_JOBS sets how many compilers and tests run at once (default: the number of cores).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

quick=no
asan=no
all=no
install=yes
[[ ${CI-} != true ]] || all=yes
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --quick) quick=yes ;;
    --asan) asan=yes ;;
    --all) all=yes ;;
    --no-install) install=no ;;
    *) die_usage "unknown option '$argument'" ;;
  esac
done
[[ $all == no ]] || asan=yes
cd "$root"

groups=(build test web)
options=(-DPHASOR_WERROR=OFF)
if [[ $all == yes ]]; then
  groups+=(lint browser)
  options=(-DPHASOR_WERROR=ON)
fi
[[ $install == no ]] || scripts/install_dependencies.sh "${groups[@]}"

# Tests are processes side by side, and each has threads of its own: two, that sleep while they wait,
# instead of one per core that spin.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

passed=()
# run_ctest PRESET: only what failed is shown.
run_ctest() {
  local preset=$1 log=build/$1/tests.log arguments=()
  arguments=(--preset "$preset" -j "$jobs" --no-tests=error --verbose)
  [[ $quick == no ]] || arguments+=(-E '^(model|train|cli)\.')
  say "Testing ($preset)"
  ctest "${arguments[@]}" >"$log" 2>&1 || {
    grep -E -A 20 'Failure$|\[  FAILED  \]|ERROR: |runtime error|\*\*\*' "$log" | head -n 400 >&2
    die "tests failed ($preset); log: $log"
  }
  passed+=("$(awk '/\[  PASSED  \]/ { sum += $(NF - 1) } END { print sum }' "$log") $preset tests")
}

run_script_tests() {
  local test count=0
  say "Testing (scripts)"
  for test in tests/scripts/*_test.sh; do
    "$test" || die "failed: $test"
    count=$((count + 1))
  done
  passed+=("$count script tests")
}

# The report's page in a real browser; without npm there is no page, and without a browser its tests skip.
run_page_tests() {
  [[ -d web/node_modules ]] || return 0
  say "Testing (page)"
  local log=build/page_tests.log
  npm --prefix web test >"$log" 2>&1 || {
    tail -n 200 "$log" >&2
    die "tests of the page failed; log: $log"
  }
  passed+=("$(awk '/^(#|ℹ) pass / { print $NF }' "$log") page tests")
}

if [[ $all == yes ]]; then
  scripts/lint.sh --no-tidy
fi
say "Building (release)"
configure release ${options[@]+"${options[@]}"}
build release
run_ctest release
run_script_tests
[[ $quick == yes ]] || run_page_tests
if [[ $all == yes ]]; then
  scripts/lint.sh
  passed+=("lint")
fi
if [[ $asan == yes ]]; then
  say "Building (asan)"
  configure asan
  build asan
  run_ctest asan
fi
if [[ $all == yes ]]; then
  scripts/fuzz.sh --no-install
  passed+=("fuzzing")
  scripts/demo.sh --no-install --fresh --steps 20 --out build/demo >/dev/null
  passed+=("demo")
fi

summary=$(printf ', %s' "${passed[@]}")
echo "Passed: ${summary:2}; $(duration $SECONDS)"
