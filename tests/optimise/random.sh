#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Random programs with the optimiser on the core, as eager as it can be: the state in the end is that of the run without it.
# Usage: random.sh RIVULET GENERATE RANDOM.elf DIRECTORY FIRST COUNT
set -eu
rivulet=$1 generate=$2 program=$3 work=$4 first=$5 count=$6
mkdir -p "$work"
failed=0 builds=0 patches=0 flushed=0 optimised=0
for ((seed = first; seed < first + count; seed++)); do
	elf=$work/random-$first.elf
	"$generate" "$seed" "$program" "$elf"
	"$rivulet" run --fast -q --ram=512k --collect=off "$elf" >"$work/before-$first" 2>&1 || { echo "random $seed: ends with $?" >&2; exit 1; }
	case $((seed % 6)) in
	0) set -- --set cache=512 --set optimise=1500 --set way=every ;;
	1) set -- --set cache=512 --set optimise=3000 --set way=sample --set period=3 --set dither=3 ;;
	2) set -- --set cache=2048 --set optimise=5000 --set way=watermark --set period=2 --set dither=1 --set watermark=3 ;;
	3) set -- --set optimise=9000 --set way=every ;;
	4) set -- --set optimise=3000 --set way=table ;;
	5) set -- --set cache=1024 --set optimise=1500 --set way=table ;;
	esac
	"$rivulet" run --fast -q --ram=512k --profile="$work/prof-$first" --set threshold=2 --set share=1000000 --set seed=$seed "$@" "$elf" >"$work/after-$first" 2>"$work/log-$first" ||
		{ echo "random $seed ($*): ends with $?: $(cat "$work/after-$first" "$work/log-$first" | tail -n 6 | tr '\0' ' ')" >&2; failed=1; continue; }
	before=$(grep -a '^state' "$work/before-$first") after=$(grep -a '^state' "$work/after-$first" || true)
	[ -n "$before" ] && [ "$before" = "$after" ] || { echo "random $seed ($*): $before without, $after with the optimiser" >&2; failed=1; }
	read -r b p < <(sed -n 's/^optimise: looks [0-9]*, builds \([0-9]*\), traces [0-9]*, patches \([0-9]*\),.*/\1 \2/p' "$work/after-$first" | tr -d '\0') || true
	builds=$((builds + ${b:-0})) patches=$((patches + ${p:-0}))
	[ "${p:-0}" = 0 ] || optimised=$((optimised + 1))
	[ "${b:-0}" -lt 2 ] || flushed=$((flushed + 1))
done
echo "optimise: $count random programs from $first, $optimised optimised ($flushed more than once), $builds builds, $patches patches: $([ $failed = 0 ] && echo equal || echo DIFFERENT)"
[ $failed = 0 ] && [ $((optimised * 2)) -ge "$count" ]
