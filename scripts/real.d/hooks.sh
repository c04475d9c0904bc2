# shellcheck shell=bash disable=SC2154 # work is set in lib.sh
# What other projects start rocsmith with: the hook, run by the real pre-commit in front of a commit, and the action, whose
# steps are run as GitHub's runner runs them.

needs+=(git:git pre-commit:pre-commit)

prepare_hooks() { :; }

run_hooks() {
	local dir=$work/hooks
	hooks_repository "$dir/rocsmith"
	hooks_precommit "$dir"
	hooks_action "$dir"
}

# hooks_repository DIR is a repository with the files as they are here, committed or not.
hooks_repository() {
	mkdir -p "$1"
	git ls-files -z --cached --others --exclude-standard | while IFS= read -rd '' file; do
		[[ ! -e $file ]] || printf '%s\0' "$file"
	done | tar -c --null -T - | tar -x -C "$1"
	git -C "$1" init -q
	git -C "$1" add -A
	hooks_git "$1" commit -q -m rocsmith
}

hooks_git() {
	local dir=$1
	shift
	git -C "$dir" -c user.name=ada -c user.email=ada@example.org "$@"
}

# hooks_project DIR makes a project with a mistake, and the snapshot of the machine that it runs on.
hooks_project() {
	rm -rf "$1"
	mkdir -p "$1"
	git -C "$1" init -q
	put "$1/compose.yaml" 'services:
  trainer:
    image: rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1
    devices: [/dev/dri]'
	cp testdata/machines/host-not-in-group.snapshot "$1/gpu-server.snapshot"
}

# --- the hook -----------------------------------------------------------------------

# hooks_precommit DIR lets pre-commit fetch, build and run the hook. What Go has fetched and built already is used again.
hooks_precommit() {
	local dir=$1 project=$1/project rev
	hooks_project "$project"
	rev=$(git -C "$dir/rocsmith" rev-parse HEAD)
	put "$project/.pre-commit-config.yaml" "repos:
- repo: $dir/rocsmith
  rev: $rev
  hooks:
  - id: rocsmith-lint
    args: [--for, gpu-server.snapshot]"
	(cd "$project" && PRE_COMMIT_HOME="$dir/pre-commit" pre-commit install) >"$work/err.txt" 2>&1
	git -C "$project" add -A
	hooks_commits "a commit with a mistake" "1 compose/kfd-missing" "$project"
	(cd "$project" && XDG_STATE_HOME="$dir/state" "$work/rocsmith" lint --for gpu-server.snapshot --fix --yes .) >"$work/err.txt" 2>&1 || true
	git -C "$project" add -A
	hooks_commits "a commit without" "0 Passed" "$project"
	put "$project/main.py" 'print("nothing for lint")'
	git -C "$project" add -A
	hooks_commits "a commit of other files" "0 Skipped" "$project"
}

# hooks_commits NAME WANT DIR commits, and holds the exit code and what the hook said to WANT.
hooks_commits() {
	local name=$1 want=$2 dir=$3 start=$EPOCHREALTIME rc=0
	GOMODCACHE=$(go env GOMODCACHE) GOCACHE=$(go env GOCACHE) GOFLAGS=-trimpath PRE_COMMIT_HOME=$work/hooks/pre-commit \
		hooks_git "$dir" commit -m "$name" >"$work/err.txt" 2>&1 || rc=$?
	verify "pre-commit: $name" "$want" "$rc $(grep -oE "${want#* }" "$work/err.txt" | sed -n 1p)" "$start"
}

# --- the action ---------------------------------------------------------------------

# hooks_action DIR runs the steps of the action, which builds rocsmith first.
hooks_action() {
	local dir=$1 project="$1/a project" sarif="$1/out/lint.sarif"
	mkdir -p "$dir/temp" "$dir/out"
	/usr/bin/python3 -c 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)' <action.yml >"$dir/action.json"
	hooks_project "$project"
	hooks_acts "action: a mistake" "1 compose/kfd-missing" "$project" for=gpu-server.snapshot
	hooks_acts "action: with a file for GitHub" "1 compose/kfd-missing" "$project" for=gpu-server.snapshot sarif="$sarif"
	verify "action: the file" "2.1.0 compose/kfd-missing compose.yaml" "$(jq -r '"\(.version) \(.runs[0].results[0] | "\(.ruleId) \(.locations[0].physicalLocation.artifactLocation.uri)")"' "$sarif")" "$EPOCHREALTIME"
	hooks_acts "action: no such snapshot" "2 none.snapshot" "$project" for=none.snapshot sarif="$sarif"
	verify "action: and no file" "not there" "$([[ -e $sarif ]] && echo there || echo not there)" "$EPOCHREALTIME"
	put "$project/compose.yaml" 'services: {app: {image: "rocm/pytorch:latest", devices: [/dev/kfd, /dev/dri]}}'
	hooks_acts "action: a warning" "0 image/floating-tag" "$project"
	hooks_acts "action: a warning, strict" "1 image/floating-tag" "$project" strict=true
	# shellcheck disable=SC2016 # no shell may expand it
	hooks_acts "action: a path is no command" '2 $(touch owned)' "$project" path='$(touch owned)'
	verify "action: nor was it run" "not there" "$([[ -e $project/owned ]] && echo there || echo not there)" "$EPOCHREALTIME"
}

# hooks_acts NAME WANT FOLDER INPUT=VALUE… runs the steps with inputs, as the runner does: each in a bash of its own that
# ends with the first failure, with the variables of the step.
hooks_acts() {
	local name=$1 want=$2 folder=$3 start=$EPOCHREALTIME rc=0 count step
	shift 3
	jq --arg given "$(printf '%s\n' "$@")" '. as $action
		| ([.inputs | to_entries[] | {key, value: (.value.default // "")}] + [$given | split("\n")[] | select(. != "") | capture("^(?<key>[^=]+)=(?<value>.*)$")] | from_entries) as $inputs
		| [.runs.steps[] | select(.run) | {run, shell, env: ((.env // {}) | map_values(gsub("\\$\\{\\{ inputs\\.(?<i>[a-z]+) \\}\\}"; $inputs[.i])))}]' \
		"$work/hooks/action.json" >"$work/hooks/steps.json"
	count=$(jq length "$work/hooks/steps.json")
	: >"$work/err.txt"
	for ((step = 0; step < count && rc == 0; step++)); do
		jq -r ".[$step].run" "$work/hooks/steps.json" >"$work/hooks/step.sh"
		local variables=()
		mapfile -t variables < <(jq -r ".[$step].env | to_entries[] | \"\(.key)=\(.value)\"" "$work/hooks/steps.json")
		env -C "$folder" GOFLAGS=-trimpath GITHUB_ACTION_PATH="$work/hooks/rocsmith" RUNNER_TEMP="$work/hooks/temp" "${variables[@]}" \
			bash --noprofile --norc -eo pipefail "$work/hooks/step.sh" >>"$work/err.txt" 2>&1 || rc=$?
	done
	verify "$name" "$want" "$rc $(grep -oF -- "${want#* }" "$work/err.txt" | sed -n 1p)" "$start"
}
