#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A program that divides by values that repeat for a while: what it prints with the optimiser on the core is what it prints
# without, divisors are found, and it is faster. Usage: divides.sh RIVULET DIRECTORY divides.elf
set -eu
rivulet=$1 work=$2 program=$3
# shellcheck source=tests/optimise/states.sh
. "$(dirname "$0")/states.sh"
rm -rf "$work"
mkdir -p "$work"
failed=0 asked=0
cycles() { tr '\0' '\n' <"$1" | sed -n 's/^app .*: pass, cycles \([0-9]*\),.*/\1/p'; }
part() { tr '\0' '\n' <"$2" | sed -n "s/^$1: cycles \([0-9]*\)\$/\1/p"; }
"$rivulet" run --fast -q --ram=512k --set optimise=0 --collect=off --uart="$work/uart" "$program" >"$work/out" 2>"$work/log"
before=$(cycles "$work/uart")
tr '\0' '\n' <"$work/uart" | grep -a '^state' >"$work/without"
[ "$(wc -l <"$work/without")" = 15 ] || { echo "divides: the program does not run: $work/without" >&2; exit 1; }
"$rivulet" run --fast -q --ram=512k --set input=ref --set optimise=0 --collect=off --uart="$work/runs" "$program" >"$work/out" 2>"$work/log"
for settings in "way=table optimise=40000" "way=every optimise=20000 share=1000000" "way=every optimise=9000 cache=512 share=1000000" \
	"way=watermark period=2 dither=1 optimise=30000 share=1000000" "way=table optimise=3000 share=1000000"; do
	same_states divides "$work/without" "$settings"
	found=$(tr '\0' '\n' <"$work/uart" | sed -n 's/^optimise: .*, divisors \([0-9]*\)$/\1/p')
	asked=$((asked + ${found:-0}))
	[ "$settings" != "way=table optimise=40000" ] || after=$(cycles "$work/uart")
done
# divisors that come in runs: whenever the optimiser looks, it sees the one that most divisions have; when most have
# another, the trace is made anew
tr '\0' '\n' <"$work/runs" | grep -a '^state' >"$work/runs.without"
[ "$(wc -l <"$work/runs.without")" = 2 ] || { echo "divides: the program with runs does not run: $work/runs" >&2; exit 1; }
for first in 100000 120000 140000; do
	same_states "divides, runs" "$work/runs.without" "input=ref way=table optimise=$first"
	for most in runs:70 changed:85; do
		now=$(part "${most%:*}" "$work/uart") without=$(part "${most%:*}" "$work/runs")
		[ $((100 * now)) -lt $((${most#*:} * without)) ] ||
			{ echo "divides (${most%:*}, $first): $now cycles, $without without" >&2; failed=1; }
	done
done
[ "$asked" -ge 25 ] || { echo "divides: $asked divisors found" >&2; failed=1; }
[ $((after * 100)) -lt $((before * 85)) ] || { echo "divides: $after cycles, $before without" >&2; failed=1; }
[ $failed = 0 ] && echo "optimise: a program that divides by values that repeat: 5 runs, $asked divisors found, $before cycles become $after, states as without"
exit $failed
