#!/usr/bin/env bash
# demo.sh with a fake phasor: what it calls, and what it says when that fails.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

# Answers `reproduce ... --out DIR` with a study, or fails where a file says so.
fake phasor "
echo \"\$*\" >>$scratch/calls
while ((\$#)); do
  case \$1 in --out) out=\$2 ;; esac
  shift
done
mkdir -p \"\$out\"
touch \"\$out/study.json\"
[[ ! -e $scratch/die ]] || exit 1
echo 'the claims'
"
demo() {
  rm -f "$scratch/calls"
  run env PHASOR="$scratch/bin/phasor" "$repository/scripts/demo.sh" --out "$scratch/demo" "$@"
}
expect_call() {
  [[ $(cat "$scratch/calls") == "$1" ]] || fail "expected '$1', not '$(cat "$scratch/calls")'"
}

demo
expect_status 0
expect_call "reproduce --size demo --out $scratch/demo"
expect_output 'the claims'
# The screen is the last thing: nothing pushes it up.
[[ $(tail -n 1 <<<"$output") == 'the claims' ]] || fail "expected the screen last, not '$(tail -n 1 <<<"$output")'"

# What is there is kept, unless a fresh start is asked for.
touch "$scratch/demo/kept"
demo --steps 7
expect_status 0
expect_call "reproduce --size demo --out $scratch/demo --steps 7"
[[ -e $scratch/demo/kept ]] || fail "a second demo must go on with the first"
demo --steps 7 --seeds 1
expect_call "reproduce --size demo --out $scratch/demo --steps 7 --seeds 1"
demo --fresh
expect_status 0
[[ ! -e $scratch/demo/kept ]] || fail "--fresh starts over"

# A folder that is no study is left alone.
rm "$scratch/demo/study.json"
touch "$scratch/demo/letter"
demo --fresh
expect_status 1
expect_output 'holds no study'
[[ -e $scratch/demo/letter ]] || fail "--fresh must not remove what is no study"

touch "$scratch/die"
demo
expect_status 1
expect_output 'goes on from here'
rm "$scratch/die"

demo --steps none
expect_status 2
expect_output '--steps wants'
demo --bogus
expect_status 2
expect_output 'unknown option'
run env PHASOR="$scratch/bin/phasor" "$repository/scripts/demo.sh" --out
expect_status 2
expect_output '--out wants a folder'
run "$repository/scripts/demo.sh" --help
expect_status 0
expect_output '--fresh'
