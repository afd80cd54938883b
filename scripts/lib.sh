# shellcheck shell=bash
# What the scripts of this folder share; sourced, never run.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${PHASOR_JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}

say() { printf '==> %s\n' "$*" >&2; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Exit 2: what the person typed is wrong.
die_usage() {
  printf '%s: %s (see --help)\n' "$(basename "$0")" "$*" >&2
  exit 2
}

# The header comment of a script is its help.
print_help() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$1"; }

# Where ccache is installed, what another clone has compiled is not compiled again.
if command -v ccache >/dev/null; then
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
  export CCACHE_BASEDIR=${CCACHE_BASEDIR-$root} CCACHE_NOHASHDIR=1
fi

# configure PRESET [CMAKE ARGUMENT...]: silent unless it fails.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@" >/dev/null) || die "could not configure the preset '$preset'"
}

# build PRESET [TARGET...]: with a progress line on a terminal; elsewhere only warnings and errors.
build() {
  local preset=$1 quiet=()
  shift
  [[ -t 2 ]] || quiet=(-- --quiet)
  (cd "$root" && cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"} ${quiet[@]+"${quiet[@]}"} >&2) ||
    die "could not build the preset '$preset'"
}

# As minutes and seconds.
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}
