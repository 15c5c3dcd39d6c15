#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Random programs on several builds of the bench, and one line about all.
#
#   configs.sh TB JOBS SEED PROGRAMS NAME...
#
# The bench of NAME is TB/lockstep-NAME; one whose name says no-c gets programs for a core without C. GEN, RANDOM_CC: as
# of regress.sh. Exit status 0 only if every program passed without a difference.
set -u
tb=$1 jobs=$2 seed=$3 programs=$4
shift 4
bad=0 cycles=0 count=0
for name in "$@"; do
	case $name in *no-c) export GEN_OPTIONS=no-c ;; *) export GEN_OPTIONS= ;; esac
	out=$("${0%/*}/regress.sh" "$tb/lockstep-$name" "$tb/sim-$name" "$jobs" $(seq -f 'random:%.0f' "$seed" $((seed + programs - 1)))) || bad=$((bad + 1))
	echo "$name: $out"
	n=$(expr "$out" : '.*sim: [0-9]* programs, \([0-9]*\) cycles' || true)
	cycles=$((cycles + ${n:-0})) count=$((count + 1))
done
echo "sim-configs: $count builds, $((count * programs)) programs, $cycles cycles in lockstep, $bad builds with differences"
[ "$bad" = 0 ]
