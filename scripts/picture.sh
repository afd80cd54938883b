#!/usr/bin/env bash
# Makes the pictures of the README (docs/images) again from the study of the demo.
#
#   scripts/picture.sh [STUDY]      (default: runs/demo, which scripts/demo.sh makes)
set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

case ${1-} in
  --help | -h) print_help "$0" && exit 0 ;;
  -*) die_usage "unknown option '$1'" ;;
esac
study=${1:-$root/runs/demo}
[[ -f $study/study.json ]] || die "'$study' holds no study; scripts/demo.sh makes one"
"$root/scripts/install_dependencies.sh" build web browser
configure release
build release phasor
"$root/build/release/phasor" report "$study" >&2
node "$root/web/dev/picture.mjs" "$study/report.html" "$root/docs/images"
ls "$root/docs/images" >&2
