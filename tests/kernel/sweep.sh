#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The timer interrupt at each cycle of the loop of a traced process, one after the other: the profile is that of the process undisturbed.
# Usage: tests/kernel/sweep.sh BUILD_DIR KERNEL_DIR
set -u -f
build=$1 kernel=$2 out=$2/sweep
rivulet=$build/bin/rivulet
failed=0 profiles=0 cycles=0
rm -rf "$out"
mkdir -p "$out"
fail() { echo "$1"; failed=$((failed + 1)); }
# run NAME IMAGE SET...: in lockstep (with $model: on the model alone); the profile of slot 1 as $out/NAME.prof
run() {
	local name=$1 image=$2 set=()
	shift 2
	for s; do set+=(--set "$s"); done
	"$build/tb/lockstep" $model "${set[@]}" --uart "$out/$name.uart" "$kernel/$image.elf" > "$out/$name.log" 2>&1 || fail "$name: $(head -1 "$out/$name.log")"
	[ -n "$model" ] || cycles=$((cycles + $(sed -n 's/.*, \([0-9]*\) cycles,.*/\1/p' "$out/$name.log")))
	"$rivulet" split -o "$out/$name-" "$out/$name.uart" > "$out/$name.split" || fail "$name: its profiles are damaged"
	mv "$out/$name-1-sweep.prof" "$out/$name.prof"
	tr -d '\000' < "$out/$name.uart" | grep -a -o 'sweep: value 0x[0-9a-f]*' | sort -u > "$out/$name.value"
}
model=
for way in "watermark period=40 dither=15 watermark=3" "every" "every ctrl=0x10" "sample period=5 dither=3"; do
	name=${way%% *}${#way}
	run "$name" sweep way=$way
	model=--model-only
	run "$name-alone" sweep-alone way=$way
	"$rivulet" compare "$out/$name.prof" "$out/$name-alone.prof" > "$out/$name.compare" 2>&1 || { fail "way=$way: the profile differs:"; cat "$out/$name.compare"; }
	cmp -s "$out/$name.value" "$out/$name-alone.value" || fail "way=$way: the program's result differs"
	grep -q value "$out/$name.value" || fail "way=$way: no result"
	profiles=$((profiles + 1))
	[ "${way#w}" != "$way" ] || continue
	"$kernel/sweep-where" "$kernel/sweep.elf" "$kernel/sweep@1.elf" $way || fail "way=$way: not every instruction was interrupted"
done
echo "check-kernel-sweep: $profiles profiles equal, $cycles cycles in lockstep, $failed failed"
[ $failed = 0 ]
