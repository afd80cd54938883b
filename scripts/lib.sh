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
  export CMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CUDA_COMPILER_LAUNCHER-ccache}
  export CCACHE_BASEDIR=${CCACHE_BASEDIR-$root} CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=${CCACHE_COMPILERCHECK-content}
  # A bare root has another locale; only the words of warnings depend on it.
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-locale}
fi

# configure PRESET [CMAKE ARGUMENT...]: silent unless it fails.
configure() {
  local preset=$1
  shift
  (cd "$root" && cmake --preset "$preset" "$@" >/dev/null) || die "could not configure the preset '$preset'"
}

# build PRESET [TARGET...]: with a progress line on a terminal, with a line every 20 seconds elsewhere.
build() {
  local preset=$1 command=()
  shift
  command=(cmake --build --preset "$preset" -j "$jobs" ${1:+--target "$@"})
  if [[ -t 2 ]]; then
    (cd "$root" && "${command[@]}" >&2)
  else
    (cd "$root" && NINJA_STATUS='[%f/%t] ' "${command[@]}" 2>&1) | sparse_progress >&2
  fi || die "could not build the preset '$preset'"
}

# Passes Ninja's output on, but of its lines of progress one every 20 seconds.
sparse_progress() {
  local line shown=$SECONDS done=
  while true; do
    if IFS= read -r -t 5 line; then
      if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
        done="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
      else
        printf '%s\n' "$line"
      fi
    elif (($? <= 128)); then
      break  # the end; above 128 nothing came in time
    fi
    if [[ -n $done ]] && ((SECONDS - shown >= 20)); then
      printf '    built %s\n' "$done"
      shown=$SECONDS
    fi
  done
}

# As minutes and seconds.
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); fi
}
