#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Random programs in lockstep, one after the other, for a given time; what was done before is counted on.
#
#   random_hours.sh LOCKSTEP OUT SECONDS FIRST_SEED
#
# GEN and RANDOM_CC come from the environment. OUT/count holds the next seed, and the programs, cycles, seconds and seconds of CPU time so far;
# a program that does not pass stays in OUT with its log. Exit status 0 only if all passed, in this run and before.
set -u
lockstep=$1 out=$2 seconds=$3 seed=$4
programs=0 cycles=0 spent=0 cpu=0
mkdir -p "$out"
[ -f "$out/count" ] && read -r seed programs cycles spent cpu <"$out/count"
# Copies: a build beside this run changes nothing in it.
cp "$lockstep" "$out/lockstep" && cp "$GEN" "$out/gen" || exit 1
cpu_before=${cpu:-0}
begun=$SECONDS last=0
while [ $((SECONDS - begun)) -lt "$seconds" ]; do
	name=$out/random-$seed
	if ! { "$out/gen" "$seed" >"$name.S" && $RANDOM_CC -o "$name.elf" "$name.S"; } >"$name.log" 2>&1; then
		echo "random-hours: seed $seed cannot be built; see $name.log" >&2
		exit 1
	fi
	"$out/lockstep" $("${0%/*}/regress.sh" --options "$seed") --console /dev/null "$name.elf" >"$name.log" 2>&1
	status=$?
	ran=$(sed -n 's/.*, \([0-9]*\) cycles, .* million a second.*/\1/p' "$name.log")
	if [ $status = 0 ]; then
		rm -f "$name".{S,elf,log}
	else
		mv "$name.log" "$name.failed"
		echo "random-hours: seed $seed: $(grep -m 1 . "$name.failed")" >&2
	fi
	programs=$((programs + 1)) cycles=$((cycles + ${ran:-0})) seed=$((seed + 1))
	now=$((SECONDS - begun))
	spent=$((spent + now - last)) last=$now
	times >"$out/times" # not in a subshell: it would be its own
	cpu=$((cpu_before + $(awk 'NR == 2 { split($1, u, /[ms]/); split($2, s, /[ms]/); printf "%d", 60 * (u[1] + s[1]) + u[2] + s[2] }' "$out/times")))
	echo "$seed $programs $cycles $spent $cpu" >"$out/count.new" && mv "$out/count.new" "$out/count"
done
failed=$(find "$out" -name '*.failed' | wc -l)
echo "random-hours: $programs programs up to seed $((seed - 1)), $cycles cycles in lockstep, $spent s, $cpu s of one core, $failed not passed"
[ "$failed" = 0 ]
