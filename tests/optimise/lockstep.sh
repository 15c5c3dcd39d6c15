#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# RTL and golden model in lockstep, the optimiser patching and releasing: random programs, with wait states of the bus too, and applications
# until they have been optimised. Usage: lockstep.sh LOCKSTEP GENERATE PROGRAMS DIRECTORY [share]
# share: one random program and hello
set -eu
lockstep=$1 generate=$2 programs=$3 work=$4 share=${5:-}
rm -rf "$work"
mkdir -p "$work"
runs=0 patched=0
one() { # NAME ARGUMENTS...
	local name=$1
	shift
	"$lockstep" --uart="$work/$name.uart" "$@" >"$work/$name.log" 2>&1 || { echo "optimise: $name: $(tail -3 "$work/$name.log")" >&2; exit 1; }
	grep -q ' 0 differences' "$work/$name.log" || { echo "optimise: $name: $(tail -1 "$work/$name.log")" >&2; exit 1; }
	runs=$((runs + 1))
	! tr '\0' '\n' <"$work/$name.uart" | grep -a -q '^optimise: .*patches [1-9]' || patched=$((patched + 1))
}
eager="--set threshold=2 --set share=1000000 --set way=every"
for seed in 1 ${share:+-} 2; do
	[ "$seed" != - ] || break
	"$generate" "$seed" "$programs/random.elf" "$work/random.elf"
	# shellcheck disable=SC2086
	one "random$seed" $eager --set optimise=2000 --set cache=512 --wait-seed=$((seed % 2 * seed)) "$work/random.elf"
done
# shellcheck disable=SC2086
one hello $eager --set optimise=5000 "$programs/hello.elf"
[ -n "$share" ] || one qsort --set way=watermark --set period=16 --set threshold=4 --set optimise=100000 "$programs/qsort.elf"
[ "$patched" -ge $((runs - 1)) ] && [ "$patched" -ge 2 ] || { echo "optimise: only $patched of $runs runs were patched" >&2; exit 1; }
echo "optimise: $runs runs of RTL and golden model in lockstep, $patched with patches: 0 differences"
