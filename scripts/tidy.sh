#!/usr/bin/env bash
# Runs clang-tidy over C++ files with the compile commands of build/tidy, where each is compiled alone.
#
#   scripts/tidy.sh [--checks=CHECKS] FILE...
#
# A clean file is not checked again until something that clang-tidy reads changes: the file, a header of ours that it
# includes, directly or not, its compile command, .clang-tidy, or a package of the machine. The list of clean files is
# kept in ${XDG_CACHE_HOME:-~/.cache}/phasor/tidy; PHASOR_TIDY_CACHE names another folder, or none if empty.
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

checks=()
files=()
for argument in "$@"; do
  case $argument in
    --help | -h) print_help "$0" && exit 0 ;;
    --checks=*) checks=("$argument") ;;
    -*) die_usage "unknown option '$argument'" ;;
    *) [[ -f $argument ]] || die_usage "no such file: $argument" && files+=("$(realpath "$argument")") ;;
  esac
done
((${#files[@]})) || die_usage "no file to read"
cd "$root"
commands=build/tidy/compile_commands.json
[[ -f $commands ]] || configure tidy
home=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
cache=${PHASOR_TIDY_CACHE-${home:+$home/phasor/tidy}}

# What holds for all files.
environment=$(
  clang-tidy --version
  { dpkg-query -W || true; } 2>/dev/null | sha256sum
  cat .clang-tidy
  printf '%s\n' ${checks[@]+"${checks[@]}"}
)

# A line per file given: its name and those of all headers of src and apps that it reaches.
# shellcheck disable=SC2016  # the program is awk's
reach='
  FNR == 1 { known[FILENAME] = 1 }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    includes[FILENAME, ++count[FILENAME]] = name
  }
  function folder(path) { sub(/[^\/]*$/, "", path); return path }
  function find(name, from) {
    if ((folder(from) name) in known) return folder(from) name
    if (("src/" name) in known) return "src/" name
    if (("apps/phasor/" name) in known) return "apps/phasor/" name
    return ""
  }
  END {
    while ((getline start < wanted) > 0) {
      split("", seen)
      seen[start] = 1
      queue[1] = start
      length_of_queue = 1
      line = start
      for (at = 1; at <= length_of_queue; ++at) {
        from = queue[at]
        for (i = 1; i <= count[from]; ++i) {
          found = find(includes[from, i], from)
          if (found == "" || found in seen) continue
          seen[found] = 1
          queue[++length_of_queue] = found
          line = line " " found
        }
      }
      print line
    }
  }
'

# The line of compile_commands.json with the command for a file, without the name of this clone.
command_of() { grep -B 1 -F "\"file\": \"$root/$1\"" "$commands" | sed "s#$root/##g"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' "${files[@]#"$root"/}" >"$work/wanted"
find src apps -type f \( -name '*.h' -o -name '*.cpp' \) -print0 | LC_ALL=C sort -z |
  xargs -0 awk -v wanted="$work/wanted" "$reach" >"$work/reached"

known=0
while read -r file headers; do
  # shellcheck disable=SC2086  # names of ours have no spaces
  key=$({
    printf '%s\n' "$environment" "$file"
    command_of "$file" || true
    cat "$file" $headers
  } | sha256sum)
  if [[ -n $cache && -e $cache/${key%% *} ]]; then
    known=$((known + 1))
    touch "$cache/${key%% *}"
  else
    printf '%s\0%s\0' "${key%% *}" "$file" >>"$work/todo"
  fi
done <"$work/reached"

say "clang-tidy over $((${#files[@]} - known)) files, $jobs at a time; $known are known to be clean"
[[ -e $work/todo ]] || exit 0
# Nothing to remember with is no reason to stop.
[[ -z $cache ]] || mkdir -p "$cache" 2>/dev/null || cache=
# shellcheck disable=SC2016  # the small program is bash's
xargs -0 -n 2 -P "$jobs" bash -c '
  cache=$1 key=$(($# - 1)) file=${!#}
  clang-tidy -p build/tidy --quiet "${@:2:$#-3}" "$file" || exit 1
  [[ -z $cache ]] || : >"$cache/${!key}"
' bash "$cache" ${checks[@]+"${checks[@]}"} <"$work/todo" 2> >(grep -v 'warnings\? generated\.$' >&2)
# What nobody asked for in two months is gone from the sources.
[[ -z $cache ]] || find "$cache" -type f -mtime +60 -delete
