#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What the optimiser on the core takes itself, by the unit's table: its cycles for each byte of code that it makes, evidence and checks
# included. Usage: own.sh RIVULET DIRECTORY MOST PROGRAM.elf ...
set -eu
rivulet=$1 work=$2 most=$3
shift 3
rm -rf "$work"
mkdir -p "$work"
cycles=0 bytes=0
for program; do
	"$rivulet" run --fast -q --profile="$work/port" --ram=512k --set input=ref --set way=table --set threshold=16 --uart="$work/uart" "$program" \
		>"$work/out" 2>"$work/log" || { echo "optimise: $program ends with $?: $(tail -1 "$work/log")" >&2; exit 1; }
	read -r made own < <(tr '\0' '\n' <"$work/uart" | sed -n 's/^optimise: .*, bytes \([0-9]*\), .*, cycles \([0-9]*\), promised.*/\1 \2/p')
	cycles=$((cycles + own)) bytes=$((bytes + made))
done
[ "$bytes" -gt 10000 ] || { echo "optimise: only $bytes bytes of code were made" >&2; exit 1; }
echo "optimise: its own time is $((cycles / bytes)) cycles for each of $bytes bytes that it made"
[ $((cycles / bytes)) -le "$most" ] || { echo "optimise: that is more than $most" >&2; exit 1; }
