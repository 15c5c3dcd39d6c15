# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# shellcheck shell=bash disable=SC2154,SC2034
# For the scripts beside it, which set rivulet, work and program, and have failed=0.
# same_states NAME FILE SETTINGS: the program runs with the optimiser on the core; its states must be those of the file.
# Leaves $work/uart. SETTINGS: words NAME=VALUE.
same_states() {
	local name=$1 without=$2 settings=$3 sets=() word
	for word in threshold=2 $settings; do sets+=(--set "$word"); done
	"$rivulet" run --fast -q --profile="$work/port" --ram=512k "${sets[@]}" --uart="$work/uart" "$program" >"$work/out" 2>"$work/log" ||
		{ echo "$name ($settings): ends with $?: $(tail -n 1 "$work/log")" >&2; failed=1; }
	tr '\0' '\n' <"$work/uart" | grep -a '^state' >"$work/with" || true
	cmp -s "$without" "$work/with" || { echo "$name ($settings): other states:" >&2; diff "$without" "$work/with" >&2 || true; failed=1; }
}
