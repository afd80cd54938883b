#!/usr/bin/env bash
# Installs what is missing, builds the release preset and runs all tests.
#
#   scripts/test.sh [--quick] [--asan] [--all] [--no-install]
#
#   --quick        neither builds nor runs the tests of whole models and runs: tests/model, tests/train, tests/cli, tests/faults,
#                  tests/trials
#   --asan         runs the tests of code that handles memory again, under the address and undefined-behaviour sanitizers
#   --all          also lint of changed files, sanitizers, fuzzing, the cuda preset where nvcc is (built, not run), and the
#                  README's commands in minimal systems of Debian 12 and 13 (scripts/fresh_machine.sh); CI=true does the same
#   --no-install   builds with what the machine has
#
# PHASOR_JOBS sets how many compilers and tests run at once (default: the number of cores).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/bare_root.sh
source "$(dirname "$0")/bare_root.sh"

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
[[ $all == no ]] || groups+=(lint browser tools cache bare)
[[ $install == no ]] || scripts/install_dependencies.sh "${groups[@]}"
# ccache may have come with them.
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# Tests are processes side by side, and each has threads of its own: two, that sleep while they wait,
# instead of one per core that spin.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

# Tests of whole models and runs.
whole_groups=(model train cli faults)
# Groups whose code reads and writes memory by hand or reads what others wrote. What lies above them (ablation, spectrum,
# statistics, study, paper, report) is arithmetic on vectors; the release tests look after that.
asan_groups=(base checkpoint encoding engine formula model run task tensor train)

passed=()
times=()
# stage NAME COMMAND...: remembers how long it took.
stage() {
  local name=$1 began=$SECONDS
  shift
  "$@"
  times+=("$name $((SECONDS - began)) s")
}

# What is built: everything, or with --quick the phasor command and the tests that are run.
release_targets() {
  local folder group
  [[ $quick == yes ]] || return 0
  printf '%s\n' phasor check_layers check_results
  for folder in tests/*/; do
    group=$(basename "$folder")
    [[ " ${whole_groups[*]} " != *" $group "* ]] || continue
    ! compgen -G "$folder*_test.cpp" >/dev/null || echo "${group}_tests"
  done
}

# A warning is an error where everything is looked at. Not by -Werror: with the options that users build with, what is compiled
# here is taken from the compiler's cache in the bare root.
build_release() {
  local log=build/release/build.log targets
  mapfile -t targets < <(release_targets)
  if [[ $all == no ]]; then
    build release ${targets[@]+"${targets[@]}"}
  else
    build release ${targets[@]+"${targets[@]}"} 2>&1 | tee "$log" >&2
    ! grep -q 'warning:' "$log" || die "the build has warnings; log: $log"
  fi
}

# The tests of the release preset. Where CI has a bare Debian 12 all but those of whole models and runs come there, from the
# same objects: none is run twice.
run_release_tests() {
  if [[ $all == yes && $quick == no && -z $(no_bare_root_because) ]]; then
    run_ctest release "${whole_groups[@]}"
  else
    run_ctest release
  fi
}

# run_ctest PRESET [GROUP...]: only what failed is shown.
run_ctest() {
  local preset=$1 log=build/$1/tests.log arguments=()
  shift
  arguments=(--preset "$preset" -j "$jobs" --no-tests=error --verbose)
  (($# == 0)) || arguments+=(-R "^($(IFS='|' && echo "$*"))(\\.|$)")
  [[ $quick == no ]] || arguments+=(-E "^($(IFS='|' && echo "${whole_groups[*]}"))(\\.|$)")
  say "Testing ($preset)"
  ctest "${arguments[@]}" >"$log" 2>&1 || {
    { grep -E -A 20 'Failure$|ERROR: |runtime error|\*\*\*Exception' "$log" || tail -n 20 "$log"; } | sed -n '1,400p' >&2
    # Last, so that the end of any log names them.
    grep -E '\[  FAILED  \] [A-Za-z]|\*\*\*' "$log" | sort -u | tail -n 10 >&2 || true
    die "tests failed ($preset); log: $log"
  }
  passed+=("$(awk '/\[  PASSED  \]/ { sum += $(NF - 1) } END { print sum }' "$log") $preset tests")
}

run_script_tests() {
  local tests=(tests/scripts/*_test.sh)
  [[ $quick == yes ]] || tests+=(tests/trials/*_test.sh)
  say "Testing (scripts)"
  # shellcheck disable=SC2016  # the inner shell's words
  printf '%s\0' "${tests[@]}" |
    xargs -0 -n 1 -P "$jobs" bash -c '"$1" || { echo "failed: $1" >&2 && exit 1; }' bash || die "tests of scripts failed"
  passed+=("${#tests[@]} script tests")
}

# What runs beside the rest ends with it.
beside=()
end_beside() {
  local job
  for job in ${beside[@]+"${beside[@]}"}; do kill -- -"$job" 2>/dev/null || true; done
}
trap end_beside EXIT

# Installing the bare roots is mostly waiting for the archive: beside the build, for run_fresh_machines. What fails here is
# tried again, and seen, there.
roots_job=
start_bare_roots() {
  mkdir -p build
  setsid nice -n 10 scripts/fresh_machine.sh --prepare >build/bare_roots.log 2>&1 &
  roots_job=$!
  beside+=("$roots_job")
}

# The report's page in a real browser; without npm there is no page, and without a browser its tests skip. They wait for the
# browser most of the time, so that something else can be done beside them.
page_job=
page_log=build/page_tests.log
start_page_tests() {
  if [[ ! -e web/node_modules/.package-lock.json ]] || ! command -v npm >/dev/null; then
    say "Tests of the page are skipped: npm or its packages are missing"
    return 0
  fi
  say "Testing (page)"
  setsid npm --prefix web test >"$page_log" 2>&1 &
  page_job=$!
  beside+=("$page_job")
}
finish_page_tests() {
  [[ -n $page_job ]] || return 0
  wait "$page_job" || {
    tail -n 200 "$page_log" >&2
    die "tests of the page failed; log: $page_log"
  }
  grep -h '^Tests in a browser are skipped' "$page_log" >&2 || true
  passed+=("$(awk '/^(#|ℹ) pass / { print $NF }' "$page_log") page tests")
}

build_sanitizers() {
  say "Building (asan)"
  configure asan
  build asan "${asan_groups[@]/%/_tests}"
}

# No GPU is needed to compile for one; scripts/gpu_check.sh is for a machine that has it.
build_cuda() {
  if ! command -v nvcc >/dev/null && [[ ! -x /usr/local/cuda/bin/nvcc ]]; then
    say "The cuda preset is not built: nvcc is missing"
    return 0
  fi
  say "Building (cuda)"
  configure cuda -DPHASOR_WEB=OFF -DPHASOR_TESTS=OFF
  build cuda phasor
  passed+=("cuda build")
}

# The README's commands on machines that nobody prepared. Exit 3: there can be none here.
run_fresh_machines() {
  local status=0
  wait "$roots_job" || true
  scripts/fresh_machine.sh --suite bookworm --short || status=$?
  ((status)) || scripts/fresh_machine.sh --suite trixie --only test --short || status=$?
  if ((status == 3)); then
    say "No bare root on this machine: a short demo here instead"
    scripts/demo.sh --no-install --fresh --steps 20 --seeds 1 --out build/demo >/dev/null
    passed+=("demo")
  else
    ((status == 0)) || die "the README's commands fail on a fresh machine"
    passed+=("bare roots of Debian 12 and 13")
  fi
}

if [[ $all == yes ]]; then
  start_bare_roots
  stage lint scripts/lint.sh --no-tidy
fi
say "Building (release)"
configure release
stage build build_release
stage tests run_release_tests
stage scripts run_script_tests
start_page_tests
if [[ $all == yes ]]; then
  stage clang-tidy scripts/lint.sh --changed --only-tidy
  passed+=("lint")
fi
if [[ $asan == yes ]]; then
  stage "sanitizers' build" build_sanitizers
  stage "sanitizers' tests" run_ctest asan "${asan_groups[@]}"
fi
stage "page (rest)" finish_page_tests
if [[ $all == yes ]]; then
  stage cuda build_cuda
  # Those that build in a moment; the readers of runs and studies by hand.
  stage fuzzing scripts/fuzz.sh --no-install --seconds 10 safetensors_fuzz encoding_fuzz formula_fuzz
  passed+=("fuzzing")
  stage "fresh machines" run_fresh_machines
fi

summary=$(printf ', %s' "${passed[@]}")
parts=$(printf ', %s' "${times[@]}")
echo "Time: ${parts:2}"
echo "Passed: ${summary:2}; $(duration $SECONDS)"
