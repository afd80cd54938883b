#!/usr/bin/env bash
# Builds the cuda preset and runs the parametrised tests on the GPU, then times of ops at the paper's sizes, then small
# cases of each op under compute-sanitizer.
#
#   scripts/gpu_check.sh [--no-sanitizer] [--no-bench] [GROUP...]
#
#   GROUP            folders of tests/ to run (default: engine model)
#   --no-bench       without the times of ops (build/cuda/op_times.log)
#   --no-sanitizer   without the last part, which is also left out where compute-sanitizer is missing or does not work
#
# Logs are in build/cuda. PHASOR_JOBS sets how many compilers run at once (default: the number of cores).
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

sanitizer=yes
bench=yes
groups=()
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --no-sanitizer) sanitizer=no ;;
    --no-bench) bench=no ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -d $root/tests/$argument ]] || die_usage "no folder tests/$argument" && groups+=("$argument") ;;
  esac
done
((${#groups[@]})) || groups=(engine model)
cd "$root"

say "Building (cuda)"
configure cuda -DPHASOR_WEB=OFF -DPHASOR_TESTS=ON
targets=("${groups[@]/%/_tests}")
[[ $bench == no ]] || targets+=(op_times)
build cuda "${targets[@]}"
times="build $SECONDS s"

export PHASOR_TEST_BACKEND=cuda OMP_NUM_THREADS=${OMP_NUM_THREADS:-4} OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
failed=()
for group in "${groups[@]}"; do
  say "Testing on the GPU ($group)"
  began=$SECONDS
  log=build/cuda/$group.log
  "build/cuda/${group}_tests" --gtest_brief=1 >"$log" 2>&1 || failed+=("$group")
  # What failed and why, then the counts.
  { grep -E -A 12 'Failure$|C\+\+ exception|terminate called' "$log" || true; } | sed -n '1,120p'
  grep -E '\[  (PASSED|FAILED|SKIPPED)  \]' "$log" | sed -n '1,80p' || tail -n 5 "$log"
  times+=", $group $((SECONDS - began)) s"
done

if [[ $bench == yes ]]; then
  say "Times of ops"
  began=$SECONDS
  log=build/cuda/op_times.log
  peak=$(python3 bench/bf16_peak.py || true)
  timeout 120 build/cuda/op_times cuda ${peak:+"$peak"} 2>&1 | tee "$log" || failed+=(op_times)
  times+=", op times $((SECONDS - began)) s"
fi

# Small cases of every op.
ops='Cases/EmbeddingTest.*/TablesPerSequence:Small/LinearGradient.*:Small/ResidualNormGradient.*:Linear.*'
ops+=':Cases/CrossEntropyTest.*/Classes47_*:SquaredError.*:Cases/ReadoutTest.*:Small/GatherTableTest.*'
ops+=':Cases/FormulaTableTest.*/PerGroup:Small/MlpTableGradient.*:Cases/RotationFactorsTest.*/Heads:Fill.*:Clamp.*:Cast.*'
ops+=':AdamW.*:GradientNorm.*:Small/AttentionGradient.*:Small/AttentionDenseGradient.*'
# Those on tensor cores.
tensor='Cases/LinearTest.*/AlignedTail_bf16:Cases/LinearTest.*/Gelu_bf16:Cases/AttentionTest.*/Everything_bf16'
tensor+=':Cases/AttentionTest.*/OneKeyHead_bf16:Cases/AttentionTest.*/DistanceBias_bf16'
if [[ $sanitizer == yes ]]; then
  tool=$(command -v compute-sanitizer || command -v /usr/local/cuda/bin/compute-sanitizer || true)
  began=$SECONDS
  log=build/cuda/memcheck.log
  if [[ -z $tool ]]; then
    say "No compute-sanitizer on this machine: memcheck and racecheck are left out"
  elif ! timeout 60 "$tool" build/cuda/engine_tests --gtest_filter=Backend.CopiesGoThereAndBack >"$log" 2>&1; then
    say "compute-sanitizer does not work here: memcheck and racecheck are left out ($(tail -n 1 "$log"))"
  else
    say "Memcheck"
    timeout 200 "$tool" --error-exitcode 9 --leak-check no build/cuda/engine_tests --gtest_brief=1 \
      --gtest_filter="$ops:$tensor" >"$log" 2>&1 || failed+=(memcheck)
    tail -n 5 "$log"
    times+=", memcheck $((SECONDS - began)) s"
    say "Racecheck"
    began=$SECONDS
    log=build/cuda/racecheck.log
    timeout 120 "$tool" --tool racecheck --error-exitcode 9 build/cuda/engine_tests --gtest_brief=1 \
      --gtest_filter="$tensor" >"$log" 2>&1 || failed+=(racecheck)
    tail -n 5 "$log"
    times+=", racecheck $((SECONDS - began)) s"
  fi
fi

echo "Time: $times"
((${#failed[@]} == 0)) || die "failed: ${failed[*]}; logs: build/cuda/*.log"
echo "Passed on the GPU: ${groups[*]}; $(duration $SECONDS)"
