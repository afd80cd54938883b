#!/usr/bin/env bash
# demo.sh with a fake phasor: what it trains, what it skips or resumes, and the table it prints.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

# Answers `train ... --encoding E ... --out DIR` with a result, or dies after the first state.
fake phasor "
echo \"\$*\" >>$scratch/calls
while ((\$#)); do
  case \$1 in --encoding) encoding=\$2 ;; --out) out=\$2 ;; train.steps=*) steps=\${1#*=} ;; esac
  shift
done
mkdir -p \"\$out\"
[[ ! -e $scratch/die ]] || { touch \"\$out/state.safetensors\"; exit 1; }
[[ ! -e $scratch/stop ]] || { touch \"\$out/state.safetensors\"; exit 0; }
cat >\"\$out/result.json\" <<JSON
{
  \"encoding\": \"\$encoding\",
  \"model\": {
    \"encoding\": \"nested\",
    \"steps\": 1
  },
  \"seconds\": 12.345,
  \"steps\": \$steps,
  \"steps_to_90\": \$([[ \$encoding == nope ]] && echo null || echo 350),
  \"test_accuracy\": 0.98765,
  \"tokens_per_second\": 1234567.8
}
JSON
"
demo() {
  rm -f "$scratch/calls"
  run env PHASOR="$scratch/bin/phasor" "$repository/scripts/demo.sh" --out "$scratch/demo" "$@"
}
expect_calls() {
  local calls=0
  [[ ! -e $scratch/calls ]] || calls=$(grep -c . "$scratch/calls")
  [[ $calls == "$1" ]] || fail "expected $1 trainings, not $calls"
}

demo
expect_status 0
expect_calls 3
expect_output 'encoding     test accuracy   steps to 90 %   steps   seconds    tokens/s'
expect_output 'nope                98.8 %           never     600      12.3   1,234,568'
expect_output 'rope                98.8 %             350     600      12.3   1,234,568'
run grep -c -- '--task distance --encoding [a-z]* --preset quick --set train.steps=600 --seed 0' "$scratch/calls"
[[ $output == 3 ]] || fail "expected three trainings of the distance task"

# Complete runs are shown, not trained; --fresh trains them.
demo
expect_status 0
expect_calls 0
expect_output 'rope                98.8 %'
expect_output '--fresh'
demo --fresh --steps 7
expect_calls 3
run cat "$scratch/calls"
expect_output 'train.steps=7 '
[[ $output != *--resume* ]] || fail "a fresh run does not resume"

# Complete runs of another length do not count, and are not resumed either.
touch "$scratch/demo/rope/state.safetensors"
demo
expect_status 0
expect_calls 3
run cat "$scratch/calls"
[[ $output != *--resume* ]] || fail "a run of another length is not resumed"

# A run that failed or was interrupted ends the demo; the next call goes on from its state.
rm "$scratch/demo/rope/result.json"
touch "$scratch/die"
demo
expect_status 1
expect_output 'training rope failed'
rm "$scratch/die"
touch "$scratch/stop"
demo
expect_status 1
expect_output 'training rope was interrupted'
rm "$scratch/stop"
demo
expect_status 0
expect_calls 1
run cat "$scratch/calls"
expect_output '--encoding rope'
expect_output '--resume'

# A folder without a state starts over, and no error is left to the command.
rm "$scratch/demo/rope/result.json"
rm -f "$scratch/demo/rope/state.safetensors"
demo
expect_status 0
run cat "$scratch/calls"
[[ $output != *--resume* ]] || fail "nothing to resume"

demo --steps many
expect_status 2
