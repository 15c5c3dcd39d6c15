#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A program with breakpoints of its own where the optimiser asks for divisors: its handler sees each of them, and what it
# prints is the same with the optimiser on the core. Usage: breaks.sh RIVULET DIRECTORY breaks.elf
set -eu
rivulet=$1 work=$2 program=$3
# shellcheck source=tests/optimise/states.sh
. "$(dirname "$0")/states.sh"
rm -rf "$work"
mkdir -p "$work"
failed=0 found=0
"$rivulet" run --fast -q --ram=512k --set optimise=0 --collect=off "$program" 2>/dev/null | tr '\0' '\n' | grep -a '^state' >"$work/without"
grep -qx 'state breaks 0x00000640' "$work/without" || { echo "breaks: the program does not run: $work/without" >&2; exit 1; }
for settings in "way=every optimise=90000 share=1000000" "way=watermark period=2 dither=1 optimise=300000 share=1000000" "way=table optimise=400000"; do
	same_states breaks "$work/without" "$settings"
	divisors=$(tr '\0' '\n' <"$work/uart" | sed -n 's/^optimise: .*, divisors \([0-9]*\)$/\1/p')
	found=$((found + ${divisors:-0}))
done
[ $found -gt 0 ] || { echo "breaks: no divisor was found, so none was asked for" >&2; failed=1; }
[ $failed = 0 ] && echo "optimise: a program with breakpoints of its own: 3 runs, $found divisors found, each of 1,600 breakpoints seen"
exit $failed
