#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Writes the waves around the first difference of a program, or of the cycles that are asked for.
#
#   wave.sh LOCKSTEP LOCKSTEP_WAVE OUT ELF "OPTIONS" FROM TO BEFORE AFTER
#
# Without FROM, the first difference is looked for with LOCKSTEP; without one the waves are those of the end of the run.
set -u
lockstep=$1 wave=$2 out=$3 elf=$4 options=$5 from=$6 to=$7 before=$8 after=$9
mkdir -p "$out"
fst=$out/$(basename "$elf" .elf).fst
if [ -z "$from" ]; then
	log=$out/$(basename "$elf" .elf).log
	$lockstep $options --console /dev/null "$elf" >"$log" 2>&1
	at=$(sed -n 's/^difference in cycle \([0-9]*\).*/\1/p' "$log" | head -n 1)
	if [ -z "$at" ]; then
		at=$(sed -n 's/.*, \([0-9]*\) cycles, .* million a second.*/\1/p' "$log" | head -n 1)
		[ -z "$at" ] && { cat "$log"; exit 1; }
		echo "no difference in $at cycles; waves of the end of the run (WAVE_FROM=n WAVE_TO=n asks for others)"
	else
		sed -n '/^difference/,/^  at/p' "$log"
	fi
	from=$((at > before ? at - before : 0))
	to=$((at + after))
fi
[ -z "$to" ] && to=$((from + before))
$wave $options --quiet --console /dev/null --wave "$fst" --wave-from "$from" --wave-to "$to" --max-cycles $((to + 1)) "$elf" >"$fst.log" 2>&1
[ -s "$fst" ] || { cat "$fst.log"; exit 1; }
echo "$fst: cycles $from to $to (the clock rises every 2 time units; 8 of them are reset)"
if [ -n "${DISPLAY:-}" ] && command -v gtkwave >/dev/null; then
	gtkwave "$fst" "$(dirname "$0")/rivulet.gtkw"
else
	echo "to look at them: gtkwave $fst tb/rivulet.gtkw"
fi
