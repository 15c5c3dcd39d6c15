#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The patch of a trace that costs more than it saves, as the unit's cycles say, is taken back, and not made again. Usage: loses.sh RIVULET
# DIRECTORY loses.elf
set -eu
rivulet=$1 work=$2 program=$3
rm -rf "$work"
mkdir -p "$work"
failed=0
"$rivulet" run --fast -q --ram=512k --set optimise=0 --collect=off "$program" 2>/dev/null | tr '\0' '\n' | grep -a '^state' >"$work/without"
for settings in "way=table optimise=100000" "way=watermark period=16 dither=15 threshold=4 optimise=100000 share=100000" "way=every threshold=4 optimise=50000 share=1000000"; do
	set --
	for word in $settings; do set -- "$@" --set "$word"; done
	"$rivulet" run --fast -q --profile="$work/port" --ram=512k "$@" --uart="$work/uart" "$program" >"$work/out" 2>"$work/log" ||
		{ echo "loses ($settings): ends with $?" >&2; failed=1; }
	tr '\0' '\n' <"$work/uart" >"$work/text"
	cmp -s "$work/without" <(grep -a '^state' "$work/text") || { echo "loses ($settings): another state" >&2; failed=1; }
	said=$(grep -a '^optimise: ' "$work/text")
	[[ $said == *", traces 1, "*", lost 1, "* ]] || { echo "loses ($settings): one trace that loses once is expected: $said" >&2; failed=1; }
done
[ $failed = 0 ] && echo "optimise: the patch of a trace that loses is taken back, and not made again"
exit $failed
