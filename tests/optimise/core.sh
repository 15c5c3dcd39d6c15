#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Applications with the optimiser on the core, looking early and often: the output, the exit status, and so the results of
# their own checks, are those of the run without it; in the end memory is as it was, which the build's check sum of the code
# says. Usage: core.sh RIVULET DIRECTORY PROGRAM.elf ...
set -eu
rivulet=$1
work=$2
shift 2
rm -rf "$work"
mkdir -p "$work"
failed=0 patches=0 count=0
fail() {
	echo "optimise: $*" >&2
	failed=1
}
text() { # all but the numbers that differ, and the frames of the profile
	tr '\0' '\n' <"$1" | grep -a -v '^optimise: ' | sed -E 's/, cycles [0-9]+, instructions [0-9]+//' | grep -a '^[ -~]*$' | grep -a -E '^app |: got |^state ' || true
}
one() { # NAME PROGRAM SETTINGS...
	local name=$1 program=$2 status=0 expected=0
	shift 2
	local fast=--fast
	[ "$name" != selftest ] || fast= # it wants the unit's interrupts
	"$rivulet" run $fast -q --ram=512k --collect=off "$program" >"$work/$name.off" 2>/dev/null || expected=$?
	local port=--profile=$work/$name.port
	[ "$name" != selftest ] || port=
	"$rivulet" run $fast -q --ram=512k $port --uart="$work/$name.uart" "$@" "$program" >"$work/$name.on" 2>"$work/$name.log" || status=$?
	[ "$status" = "$expected" ] || fail "$name ($*): ends with $status, without the optimiser with $expected: $(tail -2 "$work/$name.log")"
	text "$work/$name.off" >"$work/$name.off.text"
	text "$work/$name.uart" >"$work/$name.on.text"
	[ -s "$work/$name.off.text" ] && cmp -s "$work/$name.off.text" "$work/$name.on.text" || fail "$name ($*): another output"
	# the profile names this build: its CRC is taken of the code after the release
	"$rivulet" info "$program" >"$work/$name.program" 2>&1 || true
	"$rivulet" report --partial "$program" "$work/$name.uart" --top 1 >"$work/$name.report" 2>&1 || [ $? = 1 ] || fail "$name ($*): $(tail -1 "$work/$name.report")"
	local p
	p=$(tr '\0' '\n' <"$work/$name.uart" | sed -n 's/^optimise: .*, patches \([0-9]*\),.*/\1/p')
	patches=$((patches + ${p:-0}))
	count=$((count + 1))
}
for program; do
	name=$(basename "$program" .elf)
	one "$name" "$program" --set way=watermark --set period=16 --set dither=15 --set threshold=4 --set optimise=60000 --set share=100000
	[ "$name" != selftest ] || continue
	one "$name-table" "$program" --set way=table --set optimise=50000 --set share=1000000
	one "$name-small" "$program" --set way=sample --set period=40 --set dither=7 --set threshold=2 --set optimise=40000 --set cache=512 --set share=100000
done
[ "$patches" -gt "$count" ] || fail "only $patches patches"
[ $failed = 0 ] && echo "optimise: $count runs on the core, $patches patches: output as without, and the code as it was"
exit $failed
