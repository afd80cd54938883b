#!/usr/bin/env bash
# Makes a Debian package of phasor, with the report's page, a man page and shell completion inside.
#
#   scripts/package.sh [--suite bookworm|trixie] [--check] [--no-install]
#
#   --suite SUITE   for Debian 12 (bookworm) or 13 (trixie), made in a minimal system of it (needs root and debootstrap);
#                   default: for the machine this runs on
#   --check         installs the package in a minimal system without a compiler, runs a short demo there, removes it again, and
#                   runs lintian
#   --no-install    builds with what the machine has
#
# The package is written to build/packages. It runs on x86-64 processors with AVX2 (level x86-64-v3); on processors
# with AVX-512 the loader picks a second engine, built for x86-64-v4.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"
# shellcheck source=scripts/bare_root.sh
source "$(dirname "$0")/bare_root.sh"

suite=
check=no
install=yes
while (($#)); do
  case $1 in
    --help | -h) print_help "$0" && exit 0 ;;
    --suite)
      [[ ${2-} == @(bookworm|trixie) ]] || die_usage "--suite wants bookworm or trixie, not '${2-}'"
      suite=$2
      shift
      ;;
    --check) check=yes ;;
    --no-install) install=no ;;
    *) die_usage "unknown option '$1'" ;;
  esac
  shift
done
cd "$root"
packages=$root/build/packages
mkdir -p "$packages"

if [[ -n $suite || $check == yes ]]; then
  reason=$(no_bare_root_because)
  [[ -z $reason ]] || die "$reason"
  new_bare_root_folder package
fi

# make_here: for the machine this runs on.
make_here() {
  local release levels=x86-64-v3\;x86-64-v4
  [[ $install == no ]] || scripts/install_dependencies.sh build web package
  # shellcheck disable=SC1091  # the machine's own file
  release=1~$(. /etc/os-release && echo "${ID/debian/deb}${VERSION_ID-}")
  [[ $(dpkg --print-architecture) == amd64 ]] || levels=$(dpkg --print-architecture | sed 's/arm64/armv8-a/')
  say "Building (package, $release)"
  configure package -DPHASOR_DEBIAN_RELEASE="$release" -DPHASOR_LEVELS="$levels"
  build package
  [[ -s build/package/web/page.html ]] || die "the report's page was not built: npm is missing or cannot install web/"
  rm -f build/package/*.deb
  (cd build/package && cpack -G DEB >cpack.log) || { tail -n 30 build/package/cpack.log >&2 && die "cpack failed"; }
  cp build/package/phasor_*.deb "$packages/"
  package=$(cd build/package && echo phasor_*.deb)
}

# make_in_root: the same in a bare root, from a clean clone of HEAD.
make_in_root() {
  say "Making a bare root of $suite"
  make_bare_root "$suite" "$machine" ccache
  git clone -q --no-hardlinks "$root" "$machine/srv/phasor"
  in_bare_root "$suite" "$machine" bash -c 'cd /srv/phasor && scripts/package.sh' </dev/null
  package=$(cd "$machine/srv/phasor/build/packages" && echo phasor_*.deb)
  cp "$machine/srv/phasor/build/packages/$package" "$packages/"
}

# listing: every file and link of the root but what belongs to apt, dpkg and the demo.
listing() {
  (cd "$machine" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \
    -o -path ./tmp -o -path ./srv -o -path ./root -o -path ./proc -o -path ./sys -o -path ./dev \) -prune -o -print | LC_ALL=C sort)
}

check_package() {
  local suite=${suite:-$(. /etc/os-release && echo "$VERSION_CODENAME")} log=$packages/check.log
  say "Installing $package in a bare root of $suite"
  remove_bare_root "$machine"
  make_bare_root "$suite" "$machine" ccache
  cp "$packages/$package" "$machine/srv/"
  in_bare_root "$suite" "$machine" bash -ec "
    export DEBIAN_FRONTEND=noninteractive
    apt-get -qq update >/dev/null
    apt-get -qq install -y --no-install-recommends --download-only ./srv/$package >/dev/null
    # What it depends on comes first, so that what is left behind afterwards is its own.
    apt-get -qq install -y --no-install-recommends \$(dpkg-deb -f /srv/$package Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g') >/dev/null
  " >"$log" 2>&1 || { tail -n 20 "$log" >&2 && die "its dependencies cannot be installed"; }
  listing >"$packages/before.txt"
  in_bare_root "$suite" "$machine" bash -ec "
    apt-get -qq install -y --no-install-recommends ./srv/$package >/dev/null 2>&1
    ! command -v g++ >/dev/null || { echo 'there is a compiler in the root'; exit 1; }
    echo \"installed: \$(dpkg-query -W -f '\${Installed-Size}' phasor) kB\"
    phasor --version
    cd /srv
    phasor reproduce --size demo --steps 20 --out demo >demo.log 2>&1
    head -n 6 demo.log
    grep -q '</html>' demo/report.html
    apt-get -qq purge -y phasor >/dev/null 2>&1
  " 2>&1 | tee -a "$log" || die "the package does not work in a bare root; log: $log"
  listing >"$packages/after.txt"
  diff "$packages/before.txt" "$packages/after.txt" || die "removal leaves these behind"
  say "Removal leaves nothing behind"
  [[ $install == no ]] || scripts/install_dependencies.sh lintian
  lintian --fail-on error "$packages/$package" || die "lintian finds errors"
  say "lintian finds no error"
}

if [[ -n $suite ]]; then make_in_root; else make_here; fi
say "Package: build/packages/$package ($(stat -c %s "$packages/$package") bytes)"
[[ $check == no ]] || check_package
