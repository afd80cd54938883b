#!/usr/bin/env bash
# A reviewer's trial: one number of each page of results, traced to the line of its run and trained again by that run's id.
#
# The published runs were trained elsewhere, in part with another library for products, so that single bits differ: runs were
# chosen that end where a hundredth of accuracy does not hang on them.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/../scripts/harness.sh"

phasor=$repository/build/release/phasor
if [[ ! -x $phasor ]]; then
  echo "reviewer_test.sh: skipped: there is no $phasor" >&2
  exit 0
fi
results=$repository/docs/results

# column FILE ID NAME: the value on the line that begins with the id. Variants with commas stand in quotes.
column() {
  awk -v id="$2" -v name="$3" '
    function split_line(line,    i, c, quoted, field) {
      count = 0; field = ""; quoted = 0
      for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { fields[++count] = field; field = "" }
        else field = field c
      }
      fields[++count] = field
    }
    { split_line($0) }
    NR == 1 { for (i = 1; i <= count; i++) if (fields[i] == name) wanted = i; next }
    fields[1] == id { print fields[wanted] }' "$1"
}

# trace PAGE CSV ID COMMAND...: the page cites the file, the run is in it, and trained again it comes to what the line says.
trace() {
  local page=$1 csv=$2 id=$3 name found expected
  shift 3
  grep -q "$csv" "$results/$page" || fail "expected $page to name $csv"
  [[ -n $(column "$results/$csv" "$id" encoding) ]] || fail "expected a run $id in $csv"
  run "$phasor" "$@" --only "$id" --out "$scratch/$id"
  expect_status 0
  for name in encoding task protocol seed; do
    expected=$(column "$results/$csv" "$id" "$name")
    found=$(sed -n "s/^ *\"$name\": *\"\{0,1\}\([^\"]*[^\",]\)\"\{0,1\},\{0,1\}$/\1/p" "$scratch/$id/result.json" | head -n 1)
    [[ $found == "$expected" ]] || fail "$id: expected $name $expected, found $found"
  done
  for name in test_accuracy steps; do
    expected=$(column "$results/$csv" "$id" "$name")
    found=$(sed -n "s/^ *\"$name\": *\([0-9.e+-]*\),\{0,1\}$/\1/p" "$scratch/$id/result.json" | head -n 1)
    awk -v a="$found" -v b="$expected" 'BEGIN { exit !(a != "" && (a - b) ^ 2 <= 0.02 ^ 2) }' ||
      fail "$id: expected $name $expected, found $found"
  done
  echo "$page: $csv, run $id: $(column "$results/$csv" "$id" encoding) $found"
}

# Every number of these pages follows from its file.
if [[ -x $repository/build/release/check_results ]]; then
  run "$repository/scripts/check_results.sh"
  expect_status 0
fi

trace demo.md demo_runs.csv 4e8978931c8f686a reproduce --size demo
trace quick.md quick_runs.csv 3412ab40898e89ae study "$results/quick_study.json"
trace road.md road_runs.csv 75cc1859c1f29111 reproduce --road

# An id that no plan has is said so.
run "$phasor" reproduce --size demo --only 0123456789abcdef --out "$scratch/none"
expect_status 2
expect_output 0123456789abcdef
[[ ! -e $scratch/none ]] || fail "nothing must be started"
