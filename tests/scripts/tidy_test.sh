#!/usr/bin/env bash
# tidy.sh reads a file again exactly when something that clang-tidy sees of it has changed.
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

tree=$scratch/tree
mkdir -p "$tree/src/phasor/base" "$tree/apps/phasor" "$tree/build/tidy"
cp -r "$repository/scripts" "$tree/"
echo 'Checks: one' >"$tree/.clang-tidy"
echo 'int far();' >"$tree/src/phasor/base/far.h"
echo '#include "phasor/base/far.h"' >"$tree/src/phasor/base/near.h"
echo '#include "phasor/base/near.h"' >"$tree/src/phasor/base/one.cpp"
echo 'int local();' >"$tree/apps/phasor/local.h"
echo '#include "local.h"' >"$tree/apps/phasor/two.cpp"

# write_commands FLAG
write_commands() {
  local file
  for file in src/phasor/base/one.cpp apps/phasor/two.cpp; do
    printf '{\n  "command": "c++ %s -I%s/src -c %s/%s",\n  "file": "%s/%s"\n},\n' "$1" "$tree" "$tree" "$file" "$tree" "$file"
  done >"$tree/build/tidy/compile_commands.json"
}
write_commands -O1

# Says what it was asked to read; a file with BAD in it is not clean.
# shellcheck disable=SC2016  # the fake expands them
fake clang-tidy '[[ $1 == --version ]] && echo "version 1" && exit
echo "read $*"
! grep -q BAD "${!#}"'
fake dpkg-query 'echo "package 1"'
export PATH=$scratch/bin:$PATH XDG_CACHE_HOME=$scratch/cache PHASOR_JOBS=1

# reads ONE TWO: whether src/phasor/base/one.cpp and apps/phasor/two.cpp are read now.
reads() {
  run "$tree/scripts/tidy.sh" "$tree/src/phasor/base/one.cpp" "$tree/apps/phasor/two.cpp"
  local one=no two=no
  [[ $output != *"src/phasor/base/one.cpp"* ]] || one=yes
  [[ $output != *"apps/phasor/two.cpp"* ]] || two=yes
  [[ $one == "$1" && $two == "$2" ]] || fail "expected one.cpp read: $1, two.cpp read: $2"
}

reads yes yes
expect_status 0
expect_output '2 files'
reads no no
expect_output '2 are known to be clean'
echo 'int farther();' >>"$tree/src/phasor/base/far.h"
reads yes no
echo 'int here();' >>"$tree/apps/phasor/local.h"
reads no yes
write_commands -O2
reads yes yes
echo 'Checks: two' >"$tree/.clang-tidy"
reads yes yes
fake dpkg-query 'echo "package 2"'
reads yes yes
reads no no

# What is not clean is read until it is.
echo '// BAD' >>"$tree/src/phasor/base/one.cpp"
reads yes no
[[ $status != 0 ]] || fail "expected a failure"
reads yes no
[[ $status != 0 ]] || fail "expected the failure again"
sed -i '/BAD/d' "$tree/src/phasor/base/one.cpp"
reads no no
expect_status 0

# Other checks are another question.
run "$tree/scripts/tidy.sh" --checks='deep-*' "$tree/apps/phasor/two.cpp"
expect_status 0
expect_output 'read -p build/tidy --quiet --checks=deep-* apps/phasor/two.cpp'
reads no no

# Another clone knows as much.
mv "$tree" "$scratch/clone"
tree=$scratch/clone
write_commands -O2
reads no no

PHASOR_TIDY_CACHE='' reads yes yes
: >"$scratch/file"
PHASOR_TIDY_CACHE=$scratch/file/tidy reads yes yes
expect_status 0
run env -u HOME -u XDG_CACHE_HOME "$tree/scripts/tidy.sh" "$tree/apps/phasor/two.cpp"
expect_status 0
expect_output 'read '
run "$tree/scripts/tidy.sh"
expect_status 2
run "$tree/scripts/tidy.sh" "$tree/none.cpp"
expect_status 2
