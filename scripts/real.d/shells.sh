# shellcheck shell=bash disable=SC2154 # work, needs and cache are set in lib.sh
# What env prints is read by the real shells, from a home whose name holds all that a
# shell obeys.

needs+=(dash:dash zsh:zsh fish:fish python3:python3)

prepare_shells() { :; }

run_shells() {
	local odd machine name
	# shellcheck disable=SC2016 # that nothing of it is expanded is the point
	odd=$work/'o'\''dd $HOME "b" `id` %x \n *'
	machine=$work/odd.snapshot
	plant_odd "$odd" >"$machine"
	"$work/rocsmith" env --from "$machine" --shell json >"$work/env.json"
	name=MIOPEN_USER_DB_PATH
	verify "the home is in the value" yes "$([[ $(jq -r --arg n $name '.set[] | select(.name == $n) | .value' "$work/env.json") == "$odd"/* ]] && echo yes || echo no)" "$EPOCHREALTIME"
	try_shell bash bash -c "$(posix_reader bash)"
	try_shell dash dash -c "$(posix_reader bash)"
	try_shell "bash, as POSIX says" bash --posix -euc "$(posix_reader bash)"
	try_shell zsh zsh -c "$(posix_reader zsh)"
	# Where comments are off, as at the prompt of zsh, eval must still take them.
	try_shell "zsh, as at its prompt" zsh -f -i -c "$(posix_reader zsh)"
	# shellcheck disable=SC2016 # fish expands it
	try_shell fish fish -c '"$rocsmith" env --from "$machine" --shell fish | source; printf %s "$MIOPEN_USER_DB_PATH"'
	path_shells
	unset_shells
	dotenv_reader
}

# plant_odd HOME makes of a machine of the zoo one whose user lives elsewhere.
plant_odd() {
	python3 - "$1" testdata/machines/miopen-folder-not-ours.snapshot <<'PYTHON'
import json, re, sys
home, file = sys.argv[1:]
quoted = lambda m: json.dumps(m.group().replace("/home/user1", home))
for line in open(file):
    if line.startswith("-- "):
        line = re.sub(r"/home/user1\S*", quoted, line)
    elif line.startswith("HOME="):
        line = "HOME=" + json.dumps(home) + "\n"
    sys.stdout.write(line)
PYTHON
}

# posix_reader SHELL is a script that does what people write into their profile.
posix_reader() {
	# shellcheck disable=SC2016 # the shell under test expands it
	printf 'eval "$("$rocsmith" env --from "$machine" --shell %s)" && printf %%s "$MIOPEN_USER_DB_PATH"' "$1"
}

# try_shell NAME COMMAND… compares what the shell has with what the JSON says. The
# folder that env makes belongs to whoever runs it, and must be there.
try_shell() {
	local name=$1 begin=$EPOCHREALTIME got want result=differs
	shift
	want=$(jq -r '.set[] | select(.name == "MIOPEN_USER_DB_PATH") | .value' "$work/env.json")
	got=$(rocsmith=$work/rocsmith machine=$machine HOME=$work/home "$@" 2>"$work/err.txt") || true
	[[ $got != "$want" || ! -d $want ]] || result=same
	rm -rf --one-file-system "$odd"
	verify "$name" same "$result" "$begin"
}

# path_shells puts a folder before what a variable holds, and before nothing.
path_shells() {
	local shell got
	for shell in bash dash zsh; do
		# shellcheck disable=SC2016 # the shell under test expands it
		got=$(rocsmith=$work/rocsmith LD_LIBRARY_PATH=/a:/b "$shell" -c 'eval "$("$rocsmith" env --from testdata/machines/runtime-folder-not-searched.snapshot --shell bash)"; printf "%s " "$LD_LIBRARY_PATH"; unset LD_LIBRARY_PATH; eval "$("$rocsmith" env --from testdata/machines/runtime-folder-not-searched.snapshot --shell bash)"; printf %s "$LD_LIBRARY_PATH"')
		verify "$shell: before what is there" "/opt/rocm-7.2.0/lib:/a:/b /opt/rocm-7.2.0/lib" "$got" "$EPOCHREALTIME"
	done
	# shellcheck disable=SC2016 # fish expands it
	got=$(rocsmith=$work/rocsmith LD_LIBRARY_PATH=/a:/b fish -c '"$rocsmith" env --from testdata/machines/runtime-folder-not-searched.snapshot --shell fish | source; env' | grep ^LD_LIBRARY_PATH=)
	verify "fish: before what is there" "LD_LIBRARY_PATH=/opt/rocm-7.2.0/lib:/a:/b" "$got" "$EPOCHREALTIME"
}

unset_shells() {
	local shell got language
	for shell in bash dash zsh fish; do
		language=bash
		[[ $shell != fish ]] || language=fish
		got=$(rocsmith=$work/rocsmith HSA_OVERRIDE_GFX_VERSION=gfx1100 "$shell" -c "\"\$rocsmith\" env --from testdata/machines/override-invalid.snapshot --shell $language >$work/unset; . $work/unset; env | grep -c HSA_OVERRIDE") || true
		verify "$shell: unset" 0 "$got" "$EPOCHREALTIME"
	done
	# What is universal in fish would be gone from every shell for good.
	mkdir "$work/fish"
	HOME=$work/fish fish -c 'set -Ux HSA_OVERRIDE_GFX_VERSION gfx1100'
	got=$(HOME=$work/fish fish -c ". $work/unset" 2>&1)
	verify "fish: a universal variable is told" "HSA_OVERRIDE_GFX_VERSION is a universal variable of fish, and stays;" "$got" "$EPOCHREALTIME"
	# shellcheck disable=SC2016 # fish expands it
	got=$(HOME=$work/fish fish -c 'echo $HSA_OVERRIDE_GFX_VERSION')
	verify "fish: and stays" gfx1100 "$got" "$EPOCHREALTIME"
}

# dotenv_reader asks a program that reads such files, of each kind of quotes once.
dotenv_reader() {
	python3 -c 'import dotenv' 2>/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3-dotenv >/dev/null 2>&1 ||
		{ skip "python-dotenv" "it cannot be had here" && return; }
	local home got
	# shellcheck disable=SC2016,SC1003 # that nothing of it is expanded is the point
	for home in '/h/a $HOME "b" `id` %x #' '/h/o'\''dd \n "b" \'; do
		plant_odd "$home" >"$machine"
		"$work/rocsmith" env --from "$machine" --shell dotenv >"$work/odd.env"
		got=$(python3 -c 'import dotenv, sys; print(dotenv.dotenv_values(sys.argv[1])["MIOPEN_USER_DB_PATH"])' "$work/odd.env")
		verify "python-dotenv" same "$([[ $got == "$home"/* ]] && echo same || echo "$got")" "$EPOCHREALTIME"
	done
}
