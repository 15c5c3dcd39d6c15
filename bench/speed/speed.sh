#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# How many instructions a second each way to run an application gives: medians of RUNS, by processor time, which other work on the
# machine disturbs less than the clock on the wall. Usage: speed.sh BUILD_DIR OUTPUT.md APPLICATION...
set -eu
build=$1 output=$2
shift 2
runs=${RUNS:-5}
work=$build/bench/speed
mkdir -p "$work"
TIMEFORMAT='%U %S'

# seconds of processor time of a command, its output thrown away
seconds() { { time "$@" >"$work/out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'; }
# Median and spread (largest less smallest, in per cent of the median) of instructions / seconds, in millions a second.
rate() {
	local instructions=$1 n=$2
	shift 2
	for _ in $(seq "$n"); do seconds "$@"; done | sort -n | awk -v i="$instructions" '
		{ t[NR] = $1 < 0.001 ? 0.001 : $1 }
		END { m = i / t[int((NR + 1) / 2)] / 1e6; printf "%.0f %.0f\n", m, 100 * (i / t[1] - i / t[NR]) / 1e6 / m }'
}
# Instructions of a run, as rivulet counts them
instructions() { "$build/bin/rivulet" run --fast --set way=off "$@" 2>&1 >/dev/null | sed -n 's/.* cycles, \([0-9,]*\) instructions.*/\1/p' | tr -d ,; }

rows=$work/rows
: >"$rows"
for app in "$@"; do
	elf=$build/sw/$app.elf
	ref=$(instructions --set input=ref "$elf")
	train=$(instructions --set input=train "$elf")
	qemu-riscv32 "$build/bench/user/$app" || { echo "speed: $app under qemu: wrong result" >&2; exit 1; }
	model=$(rate "$train" 3 "$build/bin/rivulet" run --quiet --set input=train --set way=off "$elf")
	fast=$(rate "$ref" "$runs" "$build/bin/rivulet" run --quiet --fast --set input=ref --set way=off "$elf")
	paths=$(rate "$ref" "$runs" "$build/bin/rivulet" run --quiet --fast --set input=ref --set way=stream --profile "$work/profile" "$elf")
	qemu=$(rate "$ref" "$runs" qemu-riscv32 "$build/bench/user/$app")
	echo "$app $ref $model $fast $paths $qemu" >>"$rows"
	[ -t 2 ] && echo "$app: model $model, fast $fast, with profile $paths, qemu $qemu" >&2
done
{
	cat <<END
# Speed of running a program

Made by \`make bench-speed\`. Millions of instructions a second of processor time, median of $runs runs (of the cycle-by-cycle model 3, on
train input; the others on ref input), and the spread in per cent: the fastest less the slowest. Loading, translation and the end of the run are
included. One core of: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1).

* model: \`rivulet run\`, cycle by cycle
* fast: \`rivulet run --fast\` (every cycle is counted here too)
* profile: \`rivulet run --fast --profile\`, way=stream: every trace counted, with its cycles
* qemu: \`$(qemu-riscv32 --version | sed -n 1p | sed 's/ (.*//')\`, user mode, with the objects of the same application and the same input as a Linux
  program. It counts neither cycles nor instructions and runs app_main() alone; its rate is taken with the instructions of the whole run on the SoC,
  so it is flattered by up to 1%.

| application | instructions | model | ± | fast | ± | profile | ± | qemu | ± |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
END
	awk '{ printf "| %s | %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
		for (i = 0; i < 4; i++) { v = $(3 + 2 * i); s[i] += 1 / v; if (!(i in m) || v < m[i]) m[i] = v } n++ }
		END { printf "| harmonic mean | | %.0f | | %.0f | | %.0f | | %.0f | |\n| smallest | | %.0f | | %.0f | | %.0f | | %.0f | |\n",
		n / s[0], n / s[1], n / s[2], n / s[3], m[0], m[1], m[2], m[3] }' "$rows"
} >"$output.new"
mv "$output.new" "$output"
tail -n $(($# + 4)) "$output"
