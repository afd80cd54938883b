#!/usr/bin/env bash
# Builds phasor for 64-bit ARM in a bare root of Debian 12 and runs tests of the build under qemu.
#
#   scripts/aarch64.sh [GROUP...]      (default: engine encoding checkpoint)
#
# Needs root and debootstrap (scripts/install_dependencies.sh bare). Emulation is about twenty times slower than a processor.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/bare_root.sh
source "$(dirname "$0")/bare_root.sh"

groups=()
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -d $root/tests/$argument ]] || die_usage "no such group of tests: $argument" && groups+=("$argument") ;;
  esac
done
((${#groups[@]})) || groups=(engine encoding checkpoint)
cd "$root"
reason=$(no_bare_root_because)
[[ -z $reason ]] || die "$reason"
[[ -z $(git status --porcelain) ]] || echo "aarch64.sh: the clone is of HEAD; changes that are not committed are not in it" >&2

new_bare_root_folder aarch64
say "Making a bare root with the cross compiler"
make_bare_root bookworm "$machine" ccache
git clone -q --no-hardlinks "$root" "$machine/srv/phasor"
log=$root/build/aarch64.log
mkdir -p build
in_bare_root bookworm "$machine" bash -ec '
  export DEBIAN_FRONTEND=noninteractive
  dpkg --add-architecture arm64
  apt-get -qq update
  apt-get -qq install -y --no-install-recommends cmake ninja-build g++-aarch64-linux-gnu qemu-user-static libcli11-dev \
    nlohmann-json3-dev {libc6-dev,libfmt-dev,libopenblas-openmp-dev,zlib1g-dev,libgtest-dev,libgomp1,libstdc++6}:arm64
' </dev/null >"$log" 2>&1 || { tail -n 20 "$log" >&2 && die "the cross compiler cannot be installed; log: $log"; }
status=0
# The inner shell reads its groups behind the script.
# shellcheck disable=SC2016
in_bare_root bookworm "$machine" bash -euo pipefail -c '
  cd /srv/phasor
  source scripts/lib.sh
  say "Building (aarch64)"
  configure aarch64
  build aarch64 phasor "${@/%/_tests}"
  say "Testing (aarch64, under qemu)"
  export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
  qemu-aarch64-static build/aarch64/phasor --version
  ctest --test-dir build/aarch64 -j "$jobs" --no-tests=error --output-on-failure -R "^($(IFS="|" && echo "$*"))\."
' bash "${groups[@]}" </dev/null 2>&1 | tee -a "$log" || status=$?
((status == 0)) || die "failed on aarch64; log: $log"
