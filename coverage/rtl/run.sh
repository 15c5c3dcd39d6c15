#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The regression on the benches that count, then the page and the table.
#
#   run.sh COVER ASM_DIR PROGRAMS CYCLES
#
# COVER holds the benches lockstep-cover, -cover-small (no C), -cover-odd and lockstep-trace. GEN and RANDOM_CC come from
# the environment. Leaves COVER/index.html (lines), COVER/annotated (each line with its count), COVER/table.md.
set -u
cover=$1 asm=$2 programs=$3 cycles=$4 here=${0%/*}
data=$cover/data
rm -rf "$data" && mkdir -p "$data"
one() { # BENCH NAME OPTIONS... ELF: a program that is cut off counts too
	local bench=$1 name=$2
	shift 2
	"$cover/$bench" --console /dev/null --coverage "$data/$bench-$name.dat" --functional "$data/$bench-$name.points" "$@" >"$data/log" 2>&1
	local status=$?
	[ $status = 0 ] || [ $status = 3 ] || { cat "$data/log"; echo "coverage-rtl: $bench $name: exit status $status"; exit 1; }
}
for elf in "$asm"/*.elf; do
	name=$(basename "$elf" .elf)
	case $name in external) one lockstep-cover "$name" --irq-seed 1 "$elf" ;; *) one lockstep-cover "$name" "$elf" ;; esac
done
one lockstep-cover-odd regions "$asm/regions.elf"
one lockstep-cover-small target "$asm/target.elf"
for bench in lockstep-cover lockstep-cover-small lockstep-cover-odd; do
	case $bench in
	*-small) n=$(((programs + 3) / 4)) options=no-c ;;
	*-odd) n=$(((programs + 3) / 4)) options= ;;
	*) n=$programs options= ;;
	esac
	for ((seed = 1; seed <= n; seed++)); do
		{ $GEN $seed $options >"$data/random.S" && $RANDOM_CC -o "$data/random.elf" "$data/random.S"; } || exit 1
		one "$bench" "random-$seed" $("$here/../../tb/regress.sh" --options $seed) --max-cycles "$cycles" "$data/random.elf"
	done
done
"$cover/lockstep-trace" --seed 1 --cycles $((4 * cycles)) --functional "$data/units.points" >"$data/log" 2>&1 || { cat "$data/log"; exit 1; }
verilator_coverage --annotate "$cover/annotated" "$data"/*.dat >/dev/null
verilator_coverage --write-info "$data/lines.info" "$data"/*.dat >/dev/null
lcov --quiet --remove "$data/lines.info" '*rivulet_sim.v' -o "$data/rtl.info" >/dev/null 2>&1
genhtml --quiet --title "Rivulet: RTL" -o "$cover" "$data/rtl.info" >/dev/null 2>&1 || { echo "coverage-rtl: genhtml failed"; exit 1; }
"$cover/summary" "$here/reasons.txt" "$data"/*.dat "$data"/*.points >"$cover/table.md"
status=$?
sed -n '/^|/p' "$cover/table.md"
grep -E 'NOT REACHED|^stale' "$cover/table.md" | head -40
awk -F '|' '/\*\*/ { printf "coverage-rtl: %s %s reached, %d with a reason, %d open\n", $2, $7, $8, $9 }' "$cover/table.md" | tr -s ' '
exit $status
