#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Random programs on several builds of the bench, and one line about all.
#
#   configs.sh TB JOBS SEED PROGRAMS ASM_DIR NAME...
#
# The bench of NAME is TB/lockstep-NAME; one whose name says no-c gets programs for a core without C, and target of ASM_DIR; the others
# have memory protection, and regions of ASM_DIR. GEN, RANDOM_CC: as of regress.sh. Exit status 0 only if every program passed without a difference.
set -u
tb=$1 jobs=$2 seed=$3 programs=$4 asm=$5
shift 5
bad=0 cycles=0 count=0 all=0
for name in "$@"; do
	case $name in *no-c) export GEN_OPTIONS=no-c directed=target ;; *) export GEN_OPTIONS= directed=regions ;; esac
	out=$("${0%/*}/regress.sh" "$tb/lockstep-$name" "$tb/sim-$name" "$jobs" "$asm/$directed.elf" $(seq -f 'random:%.0f' "$seed" $((seed + programs - 1)))) || bad=$((bad + 1))
	echo "$name: $out"
	n=$(expr "$out" : '.*sim: [0-9]* programs, \([0-9]*\) cycles' || true)
	ran=$(expr "$out" : '.*sim: \([0-9]*\) programs' || true)
	cycles=$((cycles + ${n:-0})) count=$((count + 1)) all=$((all + ${ran:-0}))
done
echo "sim-configs: $count builds, $all programs, $cycles cycles in lockstep, $bad builds with differences"
[ "$bad" = 0 ]
