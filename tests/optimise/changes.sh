#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A program that changes its hot code, and sees pc and registers of its faults and breakpoints: the same with the optimiser on
# the core. Usage: changes.sh RIVULET DIRECTORY changes.elf
set -eu
rivulet=$1 work=$2 program=$3
# shellcheck source=tests/optimise/states.sh
. "$(dirname "$0")/states.sh"
rm -rf "$work"
mkdir -p "$work"
failed=0 patches=0 fences=0
"$rivulet" run --fast -q --ram=512k --set optimise=0 --collect=off "$program" 2>/dev/null | tr '\0' '\n' | grep -a '^state' >"$work/without"
[ "$(wc -l <"$work/without")" = 23 ] || { echo "changes: the program does not run: $work/without" >&2; exit 1; }
for settings in "way=every optimise=4000" "way=every optimise=15000 cache=512" "way=watermark period=2 dither=1 optimise=9000"; do
	same_states changes "$work/without" "share=1000000 $settings"
	read -r p f < <(tr '\0' '\n' <"$work/uart" | sed -n 's/^optimise: .*, patches \([0-9]*\),.*, fences \([0-9]*\),.*/\1 \2/p') || true
	patches=$((patches + ${p:-0})) fences=$((fences + ${f:-0}))
done
grep -q '^state ticks 0x00000001$' "$work/without" || { echo "changes: the program does not see its ticks" >&2; failed=1; }
# a way that it cannot work with: it says so
"$rivulet" run --fast -q --ram=512k --profile="$work/port" --set way=adapt --set window=20000 --uart="$work/uart" "$program" >"$work/out" 2>"$work/log" || true
tr '\0' '\n' <"$work/uart" | grep -a -q '^optimise: off: it needs way=' || { echo "changes: way=adapt is not refused in words: $(tail -1 "$work/log")" >&2; failed=1; }
# each of the 12 changes is noticed, and what is left behind is the program's own text, so the loops are hot and patched in between
[ "$fences" -ge 24 ] && [ "$patches" -ge 30 ] || { echo "changes: $patches patches, $fences releases by FENCE.I" >&2; failed=1; }
[ $failed = 0 ] && echo "optimise: a program that changes its code and looks at its faults: 3 runs, $patches patches, $fences releases by FENCE.I, states as without"
exit $failed
