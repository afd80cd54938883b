# shellcheck shell=bash
# Bare Debian systems in folders, and commands inside them; sourced, never run. Needs root and debootstrap.

bare_root_cold=no
bare_root_cache=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/phasor/bare_root

# Prints why there can be no bare root here; silent where there can be.
no_bare_root_because() {
  local probe
  if [[ $(id -u) != 0 ]]; then
    echo "a bare root needs the rights of root"
  elif ! command -v debootstrap >/dev/null; then
    echo "debootstrap is not installed (scripts/install_dependencies.sh bare)"
  elif ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "this machine allows no mounts"
  elif [[ -z $(debian_mirror) ]]; then
    echo "apt knows no Debian archive here (apt-get update)"
  else
    probe=$(mktemp -d "${TMPDIR:-/var/tmp}/phasor-probe-XXXXXX")
    mknod "$probe/null" c 1 3 2>/dev/null && : 2>/dev/null >"$probe/null" || echo "no devices can be made in ${probe%/*}"
    rm -rf "$probe"
  fi
}

# The archive that this machine itself installs from.
debian_mirror() {
  # shellcheck disable=SC2016  # apt's variables
  apt-get indextargets --format '$(REPO_URI)|$(ORIGIN)' 2>/dev/null |
    awk -F'|' '$2 == "Debian" && $1 !~ /security/ && !found { sub(/\/$/, "", $1); print $1; found = 1 }'
}

# make_bare_root SUITE FOLDER [PACKAGE...]: debootstrap's minimum and the packages, nothing else. With bare_root_cold=no a
# root that was made within a week is taken again, and packages that were downloaded before.
make_bare_root() {
  local suite=$1 folder=$2 included archive setting
  shift 2
  included=$(IFS=, && echo "$*")
  archive=$bare_root_cache/$suite-${included:-minimum}.tar
  mkdir -p "$folder"
  if [[ $bare_root_cold == no && -n $(find "$archive" -mtime -7 2>/dev/null) ]]; then
    tar -C "$folder" -xf "$archive"
  else
    interruptible unshare --mount --propagation private debootstrap --variant=minbase ${included:+--include="$included"} "$suite" "$folder" "$(debian_mirror)" \
      >"$folder.log" 2>&1 || { tail -n 20 "$folder.log" >&2 && die "debootstrap failed for $suite"; }
    # The way out of this machine is the way out of the root.
    while read -r setting; do
      echo "$setting" >>"$folder/etc/apt/apt.conf.d/90outside"
    done < <(apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until)' || true)
    if [[ $bare_root_cold == no ]]; then
      echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/90fast"
      mkdir -p "$bare_root_cache"
      tar -C "$folder" -cf "$archive.partial" . && mv "$archive.partial" "$archive"
    fi
  fi
  cp /etc/resolv.conf "$folder/etc/resolv.conf"
  if [[ -n ${NODE_EXTRA_CA_CERTS-} ]]; then
    install -D "$NODE_EXTRA_CA_CERTS" "$folder/usr/local/share/outside.crt"
  fi
}

# in_bare_root SUITE FOLDER COMMAND...: with an environment of its own. The mounts live in a namespace, so that they are
# gone with the command, however it ends; so are processes it leaves behind.
in_bare_root() {
  local suite=$1 folder=$2 binds=()
  shift 2
  if [[ $bare_root_cold == no ]]; then
    binds+=("${CCACHE_DIR:-${HOME:-/root}/.cache/ccache}:/var/cache/ccache" "$bare_root_cache/$suite-archives:/var/cache/apt/archives")
  fi
  # shellcheck disable=SC2016  # the inner shell's words
  unshare --mount --pid --fork --kill-child bash -c '
    set -euo pipefail
    folder=$1 count=$2
    shift 2
    mount --make-rprivate /
    mount -t proc proc "$folder/proc"
    mount -t sysfs -o ro sysfs "$folder/sys"
    mount --rbind /dev "$folder/dev"
    mount -t tmpfs tmpfs "$folder/dev/shm"
    for ((i = 0; i < count; i++)); do
      mkdir -p "${1%%:*}" "$folder${1#*:}"
      mount --bind "${1%%:*}" "$folder${1#*:}"
      shift
    done
    exec chroot "$folder" "$@"
  ' bash "$folder" ${#binds[@]} ${binds[@]+"${binds[@]}"} env -i \
    HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb LC_ALL=C.UTF-8 \
    ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/usr/local/share/outside.crt} \
    ${PHASOR_JOBS:+PHASOR_JOBS="$PHASOR_JOBS"} CCACHE_DIR=/var/cache/ccache "$@"
}

# new_bare_root_folder NAME: sets $machine to a new folder that is removed when the script ends, however it ends. Not in
# /tmp, which may be too small or forbid devices.
new_bare_root_folder() {
  machine=$(mktemp -d "${TMPDIR:-/var/tmp}/phasor-$1-XXXXXX")
  bare_root_job=
  trap 'trap "" INT TERM HUP; end_bare_root_job; remove_bare_root "$machine"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# interruptible COMMAND...: bash itself would act on a signal only after the command has ended.
interruptible() {
  local status=0
  "$@" &
  bare_root_job=$!
  wait "$bare_root_job" || status=$?
  bare_root_job=
  return "$status"
}

# With all that it has started: unshare ends its namespace when it is ended itself.
end_bare_root_job() {
  [[ -n $bare_root_job ]] || return 0
  local started
  mapfile -t started < <(descendants "$bare_root_job")
  kill -TERM "$bare_root_job" ${started[@]+"${started[@]}"} 2>/dev/null || true
  wait "$bare_root_job" 2>/dev/null || true
}
descendants() {
  local child
  for child in $(ps -o pid= --ppid "$1"); do
    descendants "$child"
    echo "$child"
  done
}

# remove_bare_root FOLDER
remove_bare_root() {
  [[ -e $1 ]] || return 0
  # What was just ended may write for a moment longer.
  rm -rf --one-file-system -- "$1" "$1.log" 2>/dev/null || { sleep 2 && rm -rf --one-file-system -- "$1" "$1.log"; }
}
