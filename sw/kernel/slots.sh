#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Writes slots.S of an image: the table of its slots, and the programs. 
# Usage: sw/kernel/slots.sh DIR BASE SIZE SLICE SLOT...   where a SLOT is PROGRAM:FLAGS:ROUNDS, or - for none
set -eu
dir=$1 base=$2 size=$3 slice=$4
shift 4
[ $# -le 8 ] || { echo "slots.sh: KERNEL_PROCESSES is 8" >&2; exit 1; }
printf '#define SLOT_PROFILE 1\n#define SLOT_SAVE_LAST 2\n\t.section .rodata.slots, "a"\n\t.balign 4\n'
printf '\t.globl kernel_slots, kernel_slot_count, kernel_slice\nkernel_slice: .word %s\nkernel_slot_count: .word %s\nkernel_slots:\n' "$slice" $#
n=0
for slot; do
	flags=${slot#*:}
	[ "$slot" = - ] && flags=0:0
	printf '\t.word %s + %s * %s, %s, %s\n' "$base" $n "$size" "${flags%:*}" "${flags##*:}"
	n=$((n + 1))
done
printf '\t.section .slots, "awx"\n'
n=0
for slot; do
	[ "$slot" = - ] || printf '\t.org %s * %s\n\t.incbin "%s/%s@%s.bin"\n' $n "$size" "$dir" "${slot%%:*}" $((n + 1))
	n=$((n + 1))
done
