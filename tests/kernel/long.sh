#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# A long run of the kernel on the golden model: processes start, end and fault, tables are full, clocks and counts pass their ends. Every trace that
# left the record port is in a profile: counted, dropped or lost; with counts that reach their maximum (the short build) path by path what the
# record port says, up to that maximum. Usage: tests/kernel/long.sh BUILD_DIR KERNEL_DIR IMAGE SHORT_IMAGE MAX
set -u
build=$1 kernel=$2 name=$3 out=$2/$3
rivulet=$build/bin/rivulet
failed=0
rm -rf "$out"
mkdir -p "$out"
fail() { echo "$1"; failed=$((failed + 1)); }
number() { sed -n "$1" "$2" | tr -d ,; }
# run WHICH IMAGE OPTION...
run() {
	local which=$1 image=$2
	shift 2
	"$rivulet" run --ram 1048576 --set input=train --set way=every "$@" --profile "$out/$which.port" --uart "$out/$which.uart" "$kernel/$image.elf" \
		> "$out/$which.console" 2> "$out/$which.messages"
	status=$?
	tr -d '\000' < "$out/$which.uart" | grep -a -o -E 'kernel: [ -~]*$' > "$out/$which.txt"
	sed -E 's/^kernel: ([a-z0-9]+) [0-9]: (exit|[a-z ]+)( at .*| [0-9]+)?$/\2/; s/^kernel: all.*//' "$out/$which.txt" | sort | uniq -c > "$out/$which.ends"
	cycles=$(number 's/^\([0-9,]*\) cycles.*/\1/p' "$out/$which.messages" | tail -1)
	grep -q 'all processes have ended' "$out/$which.txt" || fail "$which: the run did not end (status $status): $(tail -1 "$out/$which.messages")"
	"$rivulet" split -o "$out/$which-" "$out/$which.uart" > "$out/$which.split" || fail "$which: its profiles are damaged"
	for profile in "$out/$which"-*.prof; do "$rivulet" info "$profile"; done > "$out/$which.info"
	counted=$(number 's/^ *paths .*distinct, \([0-9,]*\) traces.*/\1/p' "$out/$which.info" | awk '{ s += $1 } END { print s + 0 }')
	dropped=$(number 's/^ *not counted  *dropped \([0-9,]*\) .*/\1/p' "$out/$which.info" | awk '{ s += $1; n += $1 > 0 } END { print s + 0, n + 0 }')
	full=${dropped#* } dropped=${dropped% *}
	lost=$(number 's/^ *not counted .* lost \([0-9,]*\) .*/\1/p' "$out/$which.info" | awk '{ s += $1 } END { print s + 0 }')
	port=$("$rivulet" info "$out/$which.port" | sed -n 's/^ *paths .*distinct, \([0-9,]*\) traces.*/\1/p' | tr -d ,)
	profiles=$(wc -l < "$out/$which.split")
	ended=$(grep -c -E ': exit [0-9]' "$out/$which.txt")
	faulted=$(grep -c ': ended$' "$out/$which.txt")
}
run full "$name"
[ "$port" = $((counted + dropped + lost)) ] || fail "$port traces left the unit, $counted were counted, $dropped dropped, $lost lost"
[ "$full" -gt 0 ] || fail "no table was full"
[ "$faulted" -gt 0 ] || fail "no process faulted"
full_cycles=$cycles
summary="$cycles cycles, $profiles profiles, $ended processes ended, $faulted faulted, $port traces = $counted counted + $dropped dropped ($full tables full) + $lost lost"
run short "$4" --set threshold=0
"$kernel/long-short" "$5" "$out/short.port" "$out"/short-*.prof > "$out/short.result" 2>&1 || fail "short counters: $(tail -1 "$out/short.result")"
echo "$summary; $(tail -1 "$out/short.result")"
echo "$name: $full_cycles cycles, and $cycles with short counters, $failed failed"
[ $failed = 0 ]
