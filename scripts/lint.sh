#!/usr/bin/env bash
# Checks the sources: layers and their table, names, file sizes, shell scripts, formatting, clang-tidy. Changes nothing.
#
#   scripts/lint.sh [--fix] [--no-tidy | --only-tidy] [--changed] [--deep] [FILE...]
#
#   --fix       formats the C++ files in place first
#   --no-tidy   without clang-tidy, the only slow part (scripts/tidy.sh: clean files are not checked again)
#   --only-tidy clang-tidy alone
#   --changed   clang-tidy checks only what has changed since the commit in .ci/lint_base, at which all was clean: changed
#               sources, and for each changed header one source that includes it
#   --deep      adds clang's static analyzer to clang-tidy: about four times slower
#   FILE...     C++ files to check (default: all; clang-tidy checks src and apps, not the tests)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

fix=no
tidy=yes
changed=no
only_tidy=no
checks=()
files=()
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --fix) fix=yes ;;
    --no-tidy) tidy=no ;;
    --changed) changed=yes ;;
    --only-tidy) only_tidy=yes ;;
    --deep) checks=(--checks='clang-analyzer-*,-clang-analyzer-optin.performance.Padding') ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -f $argument ]] || die_usage "no such file: $argument" && files+=("$(realpath "$argument")") ;;
  esac
done
cd "$root"
scripts/install_dependencies.sh build test lint

if ((${#files[@]})); then
  tidy_files=()
  for file in "${files[@]}"; do
    [[ $file == "$root"/@(src|apps)/*.cpp ]] && tidy_files+=("$file")
  done
else
  mapfile -t files < <(find src apps tests bench -type f -regex '.*\.\(h\|cpp\|cu\)' | LC_ALL=C sort)
  mapfile -t tidy_files < <(find src apps -type f -name '*.cpp' | LC_ALL=C sort)
fi
# What clang-tidy has to read since the base: every changed source, and for a changed header the source of its name, or else
# the first that includes it.
changed_sources() {
  local name stem
  git diff --name-only --diff-filter=d "$1" -- src apps | while read -r name; do
    case $name in
      *.cpp) echo "$name" ;;
      *.h)
        stem=${name%.h}
        if [[ -f $stem.cpp ]]; then
          echo "$stem.cpp"
        else
          # In apps headers are included by their names below apps/phasor.
          { grep -rlE --include='*.cpp' "\"(${name#src/}|${name#apps/phasor/})\"" src apps || true; } | LC_ALL=C sort | sed -n 1p
        fi
        ;;
    esac
  done | LC_ALL=C sort -u
}
if [[ $changed == yes ]]; then
  base=$(cat .ci/lint_base)
  if git rev-parse -q --verify "$base^{commit}" >/dev/null && git diff --quiet "$base" -- .clang-tidy; then
    mapfile -t tidy_files < <(changed_sources "$base")
  else
    echo "lint.sh: commit $base is not in this clone, or .clang-tidy has changed since; clang-tidy reads everything" >&2
  fi
fi
mapfile -t shell_files < <(find scripts tests/scripts tests/trials packaging .ci -type f \( -name '*.sh' -o -name run \) | LC_ALL=C sort)

# A long file hides its parts.
check_sizes() {
  awk 'FNR == 601 { print FILENAME ": longer than 600 lines; split it by noun"; failed = 1 }
       END { exit failed }' "${files[@]}"
}

failed=()
stage() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}
[[ $fix == no ]] || clang-format -i "${files[@]}"
if [[ $only_tidy == no ]]; then
  stage layers scripts/check_layers.sh
  stage layers-table scripts/layers_table.sh --check
  stage names scripts/check_names.sh
  stage sizes check_sizes
  stage shellcheck shellcheck -x "${shell_files[@]}"
  stage format clang-format --dry-run -Werror --ferror-limit=3 "${files[@]}"
fi
# The tidy preset compiles nothing of CUDA, whose headers most machines do not have.
mapfile -t tidy_files < <(printf '%s\n' ${tidy_files[@]+"${tidy_files[@]}"} | grep -v -e '/engine/cuda/' -e '^$' || true)
if [[ $tidy == yes ]] && ((${#tidy_files[@]})); then
  configure tidy
  stage clang-tidy scripts/tidy.sh ${checks[@]+"${checks[@]}"} "${tidy_files[@]}"
fi
((${#failed[@]} == 0)) || die "failed: ${failed[*]} (scripts/lint.sh --fix repairs the format)"
say "Lint: clean (${#files[@]} C++ files, ${#shell_files[@]} scripts)"
