#!/usr/bin/env bash
# check_results.sh passes on this tree, finds a changed digit of a page or of its data by file and line, and repairs it.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

check=("$repository/scripts/check_results.sh")
[[ ! -x $repository/build/release/check_results ]] || check+=(--no-build)
run "${check[@]}"
expect_status 0
expect_output 'agree with their data'

copy() {
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/docs/results"
  cp "$repository"/*.md "$scratch/tree/"
  cp "$repository"/docs/*.md "$scratch/tree/docs/"
  cp "$repository"/docs/results/*.md "$repository"/docs/results/*.csv "$scratch/tree/docs/results/"
}

# The first number of a page that has a comment: its line, and the line with a digit added.
page=docs/results/road.md
comment='<!--= mean(test_accuracy) % task=grid encoding=rope -->'
copy
line=$(grep -nF -m 1 "76.5$comment" "$scratch/tree/$page" | cut -d: -f1)
sed -i "${line}s/76\.5/76.6/" "$scratch/tree/$page"
run "${check[@]}" "$scratch/tree"
expect_status 1
expect_output "$page:$line: 76.6 should be 76.5"
expect_output '--fix writes the right numbers'
run "${check[@]}" --fix "$scratch/tree"
expect_status 0
expect_output "repaired: $page:$line: 76.6 should be 76.5"
run diff "$repository/$page" "$scratch/tree/$page"
expect_silence

# Changed data are found as well.
copy
sed -i 's/0\.7646484375/0.7746484375/' "$scratch/tree/docs/results/road_pilot.csv"
run "${check[@]}" "$scratch/tree"
expect_status 1
expect_output "$page:$line: 76.5 should be 77.5"

# A figure without a comment on a strict page, and a page of results that does not say what it is.
copy
echo 'RoPE reaches 12.3 %.' >>"$scratch/tree/$page"
echo '# New' >"$scratch/tree/docs/results/new.md"
run "${check[@]}" "$scratch/tree"
expect_status 1
expect_output "$page:$(wc -l <"$scratch/tree/$page"): nothing says where 12.3 comes from"
expect_output 'docs/results/new.md:1: a page of results says how it stands to its data'

# Data that are not there.
copy
rm "$scratch/tree/docs/results/road_pilot.csv"
run "${check[@]}" "$scratch/tree"
expect_status 1
expect_output 'docs/results/road_pilot.csv'

run "${check[@]}" --nonsense
expect_status 2
run "${check[@]}" --help
expect_status 0
expect_output 'scripts/check_results.sh [--fix]'
