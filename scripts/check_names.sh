#!/usr/bin/env bash
# Fails when two headers of src/phasor define one name of one namespace: a type, an alias, a constant, or a free function with
# the same parameter types. Most layers share the namespace `phasor`, and the compiler sees such a clash only where one
# file includes both headers; elsewhere it is undefined behaviour.
set -euo pipefail
root=${1:-$(cd "$(dirname "$0")/.." && pwd)}
cd "$root"

# Reads what starts in the first column: contents of namespaces are not indented, members of classes and bodies are.
# shellcheck disable=SC2016  # the program is awk's
program='
  function space(   i, name) {
    name = ""
    for (i = 1; i <= depth; ++i) name = name spaces[i] "::"
    return name
  }
  function define(name, what) {
    name = space() name
    if (!(name in file_of)) {
      file_of[name] = FILENAME
      line_of[name] = FNR
    } else if (file_of[name] != FILENAME) {
      printf "%s:%d: %s \047%s\047 is also defined at %s:%d; one of them needs another name\n", FILENAME, FNR, what, name,
             file_of[name], line_of[name] > "/dev/stderr"
      failed = 1
    }
  }
  # "f(const A& a, int b = 2)" -> "f(const A&, int)"
  function signature(text,   name, count, parameters, i, result) {
    name = text
    sub(/\(.*/, "", name)
    sub(/.*[ *&]/, "", name)
    sub(/^[^(]*\(/, "", text)
    sub(/\)[^)]*$/, "", text)
    count = split(text, parameters, /, */)
    result = ""
    for (i = 1; i <= count; ++i) {
      sub(/ =.*/, "", parameters[i])
      sub(/ [A-Za-z_0-9]+$/, "", parameters[i])
      result = result (i > 1 ? ", " : "") parameters[i]
    }
    return name "(" result ")"
  }
  FNR == 1 { depth = 0; pending = "" }
  /^namespace/ {
    spaces[++depth] = $2 == "{" ? "(anonymous in " FILENAME ")" : $2
    next
  }
  /^}  \/\/ namespace/ { --depth; next }
  pending != "" {
    sub(/^ */, " ")
    pending = pending $0
  }
  pending == "" && /^(struct|class|enum|enum class|union) / && /{/ {
    name = $0
    sub(/ *(final *)?(:.*)?{.*/, "", name)
    sub(/.* /, "", name)
    if (name !~ /[<>]/) define(name, "type")
    next
  }
  pending == "" && /^using [A-Za-z_0-9]+ =/ { define($2, "type"); next }
  pending == "" && /^(inline )?constexpr [^(]* k[A-Z][A-Za-z0-9]*( =|\[|{)/ {
    match($0, / k[A-Z][A-Za-z0-9]*( =|\[|{)/)
    name = substr($0, RSTART + 1, RLENGTH - 1)
    sub(/( =|\[|{)$/, "", name)
    define(name, "constant")
    next
  }
  pending == "" && /^[A-Za-z_\[].*[a-z_0-9]\(/ && !/^(struct|class|enum|union|using|template|static_assert|friend|typedef|extern) ?/ {
    pending = $0
  }
  pending != "" && /[;{}]/ {
    sub(/ *[;{].*/, "", pending)
    if (depth > 0 && pending !~ /operator/) define(signature(pending), "function")
    pending = ""
  }
  END { exit failed }
'
find src/phasor -type f \( -name '*.h' -o -name '*.cuh' \) -print0 | LC_ALL=C sort -z | xargs -0 awk "$program"
