#!/usr/bin/env bash
# Installs the Debian packages that Phasor needs and that are missing; this is the single list of them.
#
#   scripts/install_dependencies.sh [--list] [GROUP...]      (default: build test web)
#
#   build      compile the library and the phasor command
#   web        build the report's page; nothing if npm is installed already
#   test       compile the tests
#   browser    test that page
#   lint       clang-format, clang-tidy, shellcheck, and clang's fuzzer and sanitizers
#   tools      run tests that are skipped otherwise: qemu (older processors), groff (man page), zsh and fish (completion)
#   latex      likewise: pdflatex, lualatex with fonts, and bibtex, which compile tables and references as a paper would
#   cache      ccache: what was compiled once is not compiled again, in any clone
#   package    make a Debian package (scripts/package.sh) and check it with lintian
#   bare       debootstrap: minimal Debian systems for scripts/fresh_machine.sh, scripts/package.sh and scripts/aarch64.sh
#   fixtures   Python, PyTorch, NumPy, SciPy and R, only to make fixtures again and to compare speeds
#
# Phasor works without oneDNN (libdnnl-dev), zlib and npm: if these cannot be installed, it says so and continues.
# --list prints the packages of the groups and does nothing else. If packages are missing and cannot
# be installed (neither root nor sudo, or no apt-get), it prints the command that installs them and exits 1.
# On a machine without dpkg nothing is checked here: cmake names what it does not find.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

# A name with a question mark is of a package that Phasor can do without.
packages_of() {
  case $1 in
    build)
      echo g++ cmake ninja-build libfmt-dev libcli11-dev nlohmann-json3-dev
      echo libopenblas-openmp-dev libdnnl-dev? zlib1g-dev?
      ;;
    web) command -v npm >/dev/null || echo nodejs? npm? ;;
    browser) echo chromium ;;
    test) echo libgtest-dev ;;
    lint) echo clang-format clang-tidy clang libclang-rt-dev libomp-dev shellcheck ;;
    cache) echo ccache ;;
    tools) echo qemu-user groff zsh fish ;;
    latex) echo texlive-latex-base texlive-latex-recommended texlive-luatex fonts-dejavu-core fonts-noto-cjk poppler-utils ;;
    package) echo dpkg-dev file git ca-certificates ;;
    lintian) echo lintian ;;
    bare) echo debootstrap ;;
    fixtures) echo python3-torch python3-numpy python3-scipy r-base-core ;;
    *) die_usage "unknown group '$1'; known: build web test browser lint tools latex cache package lintian bare fixtures" ;;
  esac
}

list=no
wanted=()
groups=()
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --list) list=yes ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) groups+=("$argument") ;;
  esac
done
((${#groups[@]})) || groups=(build test web)
for group in "${groups[@]}"; do
  names=$(packages_of "$group")
  [[ -z $names ]] || mapfile -t -O ${#wanted[@]} wanted <<<"${names// /$'\n'}"
done
((${#wanted[@]})) || exit 0
optional=" $(printf '%s\n' "${wanted[@]}" | awk '/\?$/ { sub(/\?$/, ""); printf "%s ", $0 }')"
wanted=("${wanted[@]%\?}")
if [[ $list == yes ]]; then
  printf '%s\n' "${wanted[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null; then
  echo "This machine has no dpkg: not checked, going on without: ${wanted[*]}" >&2
  exit 0
fi

# Exits 1 for a name that dpkg has never heard of, which is as good as missing.
installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${wanted[@]}" 2>/dev/null || true)"
missing=()
extra=()
for package in "${wanted[@]}"; do
  if [[ $installed == *" installed=$package "* ]]; then
    continue
  elif [[ $optional == *" $package "* ]]; then
    extra+=("$package")
  else
    missing+=("$package")
  fi
done
((${#missing[@]} + ${#extra[@]})) || exit 0

# refuse REASON: where something is missing that Phasor needs.
refuse() {
  ((${#missing[@]} == 0)) || die "$1"
  echo "Going on without ${extra[*]}, which may not be installed here" >&2
  exit 0
}

advice="missing packages; as root: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
privilege=()
if ! command -v apt-get >/dev/null; then
  refuse "$advice"
elif [[ $(id -u) != 0 ]]; then
  # A password may be asked for only where somebody can type it.
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; then
    privilege=(sudo)
  else
    refuse "$advice"
  fi
fi

say "Installing ${missing[*]} ${extra[*]}"
apt=(${privilege[@]+"${privilege[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
# A foreign archive that cannot be reached must not stop us; the install below decides.
"${apt[@]}" update >&2 || true
install() { "${apt[@]}" install -y --no-install-recommends "$@" >/dev/null; }
# All at once, if all are to be had; else those it needs, and of the others each that is.
if ((${#extra[@]})) && install ${missing[@]+"${missing[@]}"} "${extra[@]}" 2>/dev/null; then exit 0; fi
((${#missing[@]} == 0)) || install "${missing[@]}" || die "apt-get failed; $advice"
for package in ${extra[@]+"${extra[@]}"}; do
  install "$package" 2>/dev/null || echo "Going on without $package, which cannot be installed" >&2
done
