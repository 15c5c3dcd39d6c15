#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The bench notices a fault in every signal that it compares, and names it; then all configurations must be the same as the model.
# Usage: check.sh BENCH SEED CYCLES
set -u
bench=$1 seed=$2 cycles=$3
for signal in $("$bench" --list-signals); do
	found=$("$bench" --seed "$seed" --cycles 20000 --inject "$signal" hist32)
	if [[ $? -ne 1 || $found != *": $signal is "* ]]; then
		echo "check-trace-configs: a fault in $signal was not noticed" >&2
		exit 1
	fi
done
exec "$bench" --seed "$seed" --cycles "$cycles"
