#!/usr/bin/env bash
# fresh_machine.sh with fakes of what makes a bare root: what it runs, what it prints, what it leaves behind.
# shellcheck disable=SC2016  # fake commands expand their own words
# shellcheck source=tests/scripts/harness.sh
source "$(dirname "$0")/harness.sh"

tree=$scratch/tree
mkdir -p "$tree" "$scratch/roots"
cp -r "$repository/scripts" "$tree/"
printf '%s\n' '# Title' '' '    scripts/demo.sh --odd      # a comment' '    scripts/test.sh            # another' >"$tree/README.md"

fake id 'echo 0'
fake debootstrap 'mkdir -p "${@: -2:1}"/etc/apt/apt.conf.d "${@: -2:1}"/root; mkdir -p "${@: -2:1}"/etc/dpkg/dpkg.cfg.d'
fake apt-get 'echo "http://archive.invalid/debian/|Debian"'
fake apt-config 'exit 0'
fake git 'case $1 in clone) mkdir -p "${@: -1}" ;; esac'
# In place of the root: the command it was to run, and the output of a script with stages.
fake mknod 'touch "$1"'
fake unshare '[[ ${@: -1} == true ]] && exit
while [[ $1 == --* || $1 == private ]]; do shift; done
[[ $1 != debootstrap ]] || exec "$@"
echo "${@: -1}" >>'"$scratch"'/commands
echo "==> Installing things"; echo "==> Building"; cat '"$scratch"'/says; echo "==> Testing"
exit "$(cat '"$scratch"'/status)"'
export PATH=$scratch/bin:$PATH TMPDIR=$scratch/roots XDG_CACHE_HOME=$scratch/cache
echo 'all well' >"$scratch/says"
echo 0 >"$scratch/status"
fresh() {
  rm -f "$scratch/commands"
  run "$tree/scripts/fresh_machine.sh" "$@"
  [[ -z $(ls "$scratch/roots") ]] || fail "a root is left behind: $(ls "$scratch/roots")"
}
expect_commands() {
  [[ $(cat "$scratch/commands") == "$1" ]] || fail "expected '$1', not '$(cat "$scratch/commands")'"
}

# The commands are the README's own.
fresh --cold
expect_status 0
expect_commands $'cd /srv/phasor && scripts/demo.sh --odd\ncd /srv/phasor && scripts/test.sh\ncd /srv/phasor && scripts/demo.sh --odd\ncd /srv/phasor && scripts/test.sh'
expect_output 'bookworm  scripts/demo.sh --odd'
expect_output 'trixie    scripts/test.sh'
expect_output 'cold'
fresh --suite trixie --only demo --short
expect_status 0
expect_commands 'cd /srv/phasor && scripts/demo.sh --odd --steps 20 --seeds 1'
fresh --suite bookworm --only test --short
expect_commands 'cd /srv/phasor && scripts/test.sh --quick'


# Prepared beside other work: a system folder and packages are kept, and no command is run.
fresh --prepare
expect_status 0
[[ -f $scratch/cache/phasor/bare_root/trixie-ccache.tar ]] || fail "no root is kept"
[[ $(grep -c -- '--download-only' "$scratch/commands") == 2 ]] || fail "expected packages to be fetched twice"
! grep -q 'srv/phasor' "$scratch/commands" || fail "a command was run: $(cat "$scratch/commands")"
fresh --prepare --cold
expect_status 2

# What fails is named by its own line.
echo 1 >"$scratch/status"
echo 'x.h:1:10: fatal error: gtest/gtest.h: No such file or directory' >"$scratch/says"
fresh --suite bookworm --only demo
expect_status 1
expect_output 'gtest/gtest.h: No such file'
expect_output 'FAILED'
echo 0 >"$scratch/status"

# A signal ends it at once, and nothing is left.
fake unshare '[[ ${@: -1} == true || $* == *debootstrap* ]] && exit
sleep 30 & wait'
"$tree/scripts/fresh_machine.sh" --suite bookworm --only demo >/dev/null 2>&1 &
script=$!
sleep 1
began=$SECONDS
kill -TERM "$script"
status=0
wait "$script" || status=$?
expect_status 143
((SECONDS - began <= 5)) || fail "it took $((SECONDS - began)) s to end"
[[ -z $(ls "$scratch/roots") ]] || fail "a root is left behind"

# No bare root: says why, and exits 3, which is no failure of the commands.
fake id 'echo 1000'
fresh
expect_status 3
expect_output 'needs the rights of root'
fake id 'echo 0'
fake mknod 'exit 1'
fake unshare 'exit 0'
fresh
expect_status 3
expect_output 'no devices can be made'
fake mknod 'touch "$1"'
fake unshare 'exit 1'
fresh
expect_status 3
expect_output 'allows no mounts'

printf '# Title\n' >"$tree/README.md"
fake unshare 'exit 0'
fresh --suite bookworm --only demo
expect_status 1
expect_output 'no line that runs scripts/demo.sh'
fresh --suite woody
expect_status 2
expect_output '--suite wants bookworm or trixie'
fresh --only build
expect_status 2
fresh --bogus
expect_status 2
run "$tree/scripts/fresh_machine.sh" --help
expect_status 0
expect_output '--cold'
