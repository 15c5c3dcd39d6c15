#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Do the directed tests meet every corner value of every instruction (tb/operands.h)? On the model alone: the same programs run in
# lockstep and on qemu elsewhere.
#
#   conformance.sh LOCKSTEP OUT ELF...
#
# Prints what is missing. ECALL, EBREAK and C.EBREAK always trap, so they never retire; traps.S and umode.S check their causes.
set -u
lockstep=$1 out=$2
shift 2
rm -rf "$out" && mkdir -p "$out"
for elf in "$@"; do
	name=$(basename "$elf" .elf) options=
	case $name in external) options="--irq-seed 1" ;; esac
	"$lockstep" $options --model-only --quiet --console /dev/null --operands "$out/$name" "$elf" >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
done
rm "$out/log"; cat "$out"/* | awk -F '\t' -v programs=$# '
	$2 ~ /^(ecall|ebreak|c.ebreak):/ { next }
	{ count[$2] += $1 }
	END {
		for (point in count) {
			total++
			if (count[point]) met++
			else print "not met: " point
		}
		printf "check-conformance: %d of %d points of instructions and corner values met by %d programs\n", met, total, programs
		exit met < total
	}'
