#!/usr/bin/env bash
# A student's trial: two encodings of her own against rope and alibi on two tasks; what was learned; figures, a table and the
# references for the paper.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/../scripts/harness.sh"

phasor=$repository/build/release/phasor
if [[ ! -x $phasor ]]; then
  echo "student_test.sh: skipped: there is no $phasor" >&2
  exit 0
fi
cd "$scratch"

# Small and short: what is learned does not matter here.
brief=(--set train.steps=24 --set data.train=300 --set data.test=200 --seeds 2)
run "$phasor" study quick --encodings 'soft steps=bias("-a*log(1+b*abs(d))",a=1,b=learned(0.1))' \
  'bump=bias("a*exp(-(abs(d)-m)^2/8)",a=learned(1),m=learned(3))' rope alibi --tasks distance counting "${brief[@]}" --out week
expect_status 0
for words in 'soft steps' bump rope alibi 'bias("-a*log(1+b*abs(d))",a=1,b=learned(0.1))'; do expect_output "$words"; done
# Tables use the name; the expression stands once, in the legend.
[[ $(grep -c 'soft steps' <<<"$output") -gt 1 ]] || fail "expected the name in the tables"
[[ $(grep -cF 'a*log(1+b*abs(d))' <<<"$output") -eq 1 ]] || fail "expected the expression once"
[[ $(grep -c '"\?soft steps"\?,' week/summary.csv) -eq 4 ]] || fail "expected the name on four lines of summary.csv"

# A name stands for one encoding.
run "$phasor" study quick --encodings 'mine=rope' 'mine=alibi' "${brief[@]}" --out other
expect_status 2
expect_output mine
[[ ! -e other ]] || fail "nothing must be started"

# What training made of the numbers: start against end, per layer.
mapfile -t ids < <(grep '"\?soft steps"\?,' week/summary.csv | cut -d, -f1)
run "$phasor" encodings "week/runs/${ids[0]}"
expect_status 0
for words in 'layer' '0.1' 'start' 'end'; do expect_output "$words"; done

# Into the paper.
run "$phasor" report week --figures figures
expect_status 0
for file in figures/*.svg; do
  name=${file%.svg}
  [[ -s $file && -s $name.pdf && -s $name.csv ]] || fail "expected $name as .svg, .pdf and .csv"
  [[ $(head -c 5 "$name.pdf") == %PDF- ]] || fail "expected a PDF in $name.pdf"
done
grep -q 'soft steps' figures/*.svg || fail "expected the name in a figure"
run "$phasor" report week --latex table.tex
expect_status 0
grep -qF '\toprule' table.tex || fail "expected a booktabs table"
grep -q 'soft steps' table.tex || fail "expected the name in the table"
run "$phasor" cite week
expect_status 0
for words in '@misc{phasor' 'RoFormer' 'Train Short, Test Long' 'The Phasor developers'; do expect_output "$words"; done

# A mistake that teaches.
run "$phasor" train --encoding "bias('-abs(d)')" --out never
expect_status 2
expect_output '"'
