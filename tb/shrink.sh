#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Reduces a program in which RTL and model differ to a few instructions.
#
#   shrink.sh LOCKSTEP SHRINK OUT PROGRAM.S OPTIONS
#
# OPTIONS are those of the bench, as one word. Leaves OUT/shrunk.S, OUT/shrunk.elf and OUT/shrunk.log, and prints the
# instructions that are left and the difference.
set -u
lockstep=$1 shrink=$2 out=$3 program=$4 options=$5
mkdir -p "$out"
$RANDOM_CC -o "$out/whole.elf" "$program" || exit 1
$lockstep $options --console /dev/null "$out/whole.elf" >"$out/whole.log" 2>&1
difference=$(grep -m 1 '^difference in cycle' "$out/whole.log")
if [ -z "$difference" ]; then
	echo "shrink: $program shows no difference: $(tail -n 1 "$out/whole.log")"
	exit 1
fi
cycle=$(expr "$difference" : 'difference in cycle \([0-9]*\)')
signal=$(expr "$difference" : 'difference in cycle [0-9]*: \([a-z0-9_]*\)')
# A candidate that runs much longer than the whole program took is one that hangs.
options="$options --max-cycles $((2 * cycle + 20000))"
"$shrink" "$program" "$out/shrunk.S" "${0%/*}/judge.sh" "$lockstep" "$signal" "$options" || exit 1
rm -f "$out/shrunk.S.try.S"*
$RANDOM_CC -o "$out/shrunk.elf" "$out/shrunk.S" 2>/dev/null &&
	$lockstep $options --console /dev/null "$out/shrunk.elf" >"$out/shrunk.log" 2>&1
[ $? = 1 ] || { echo "shrink: $out/shrunk.S does not show the difference any more"; exit 1; }
sed '/shrink: keep/,$d' "$out/shrunk.S"
grep '^difference' "$out/shrunk.log"
