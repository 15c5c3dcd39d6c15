#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The kernel's tests: every image runs in lockstep, so what is found here holds for model and RTL. Usage: tests/kernel/check.sh BUILD_DIR
# The short form: what prints most, and the longest, on the model alone. KERNEL_FULL=1: in lockstep.
set -u
build=$1 out=$1/kernel/check
rivulet=$build/bin/rivulet
failed=0 checks=0 cycles=0
rm -rf "$out"
mkdir -p "$out"

# run NAME IMAGE STATUS [option...]: in lockstep, or with --model-only; leaves $out/NAME.uart and its text
run() {
	local name=$1 image=$2 expected=$3 status
	shift 3
	"$build/tb/lockstep" --set input=train "$@" --uart "$out/$name.uart" "$build/kernel/$image.elf" > "$out/$name.log" 2>&1
	status=$?
	tr -d '\000' < "$out/$name.uart" | grep -a -o -E '(kernel|attack|BREACH|switch|fault|hello)[ -~]*$' > "$out/$name.txt"
	[ $status = "$expected" ] || fail "$name: lockstep says $status, $expected is expected: $(head -1 "$out/$name.log")"
	case " $* " in *" --model-only "*) ;; *) cycles=$((cycles + $(sed -n 's/.*, \([0-9]*\) cycles,.*/\1/p' "$out/$name.log"))) ;; esac
}
fail() {
	echo "$1"
	failed=$((failed + 1))
}
# lines NAME NUMBER PATTERN: so many lines of the text match
lines() {
	local n
	checks=$((checks + 1))
	n=$(grep -a -c -E "$3" "$out/$1.txt")
	[ "$n" = "$2" ] || fail "$1: $n lines match '$3', $2 are expected (see $out/$1.txt)"
}
# profiles NAME: each profile of the run as $out/NAME-PROGRAM.prof
profiles() {
	local file
	"$rivulet" split -o "$out/$1-" "$out/$1.uart" > "$out/$1.split" || fail "$1: its profiles are damaged"
	for file in "$out/$1"-[0-9]*-*.prof; do mv "$file" "$out/$1-${file##*-}"; done
}
# equal FIRST SECOND: count by count
equal() {
	checks=$((checks + 1))
	"$rivulet" compare "$out/$1.prof" "$out/$2.prof" > "$out/compare.log" 2>&1 || { fail "$1 and $2 differ:"; cat "$out/compare.log"; }
}

# Four processes, two of them profiled: each profile is that of the program alone, whatever the way to collect.
longest=--model-only
[ "${KERNEL_FULL:-0}" != 1 ] || longest=
model=$longest
for way in every sample watermark full; do
	run four-$way four 0 $model --set way=$way --set period=7 --set dither=3
	lines four-$way 4 '^kernel: (json 1|qsort 2|huffman 3|regex 4): exit 0$'
	lines four-$way 1 'all processes have ended, 0 failed'
	profiles four-$way
	[ "$(ls "$out"/four-$way-*.prof | wc -l)" = 2 ] || fail "four-$way: two profiles are expected"
	run alone1-$way alone1 0 --model-only --set way=$way --set period=7 --set dither=3
	run alone2-$way alone2 0 --model-only --set way=$way --set period=7 --set dither=3
	profiles alone1-$way
	profiles alone2-$way
	equal four-$way-json alone1-$way-json
	equal four-$way-qsort alone2-$way-qsort
	model=--model-only
done
# The same with slices of little more than two switches, and with repeats merged by the unit (CTRL.REPEAT).
for name in short repeat; do
	case $name in short) run short four701 0 --model-only --set way=every ;; *) run repeat four 0 --model-only --set way=every --set ctrl=0x10 ;; esac
	profiles $name
	equal $name-json alone1-every-json
	equal $name-qsort alone2-every-qsort
done
# The same paths as the record port of a run that nothing disturbs (the builds differ: it names the image).
checks=$((checks + 1))
"$rivulet" run --quiet --ram 1048576 --set input=train --set way=stream --profile "$out/port.prof" "$build/kernel/alone1.elf" > /dev/null
"$rivulet" compare "$out/port.prof" "$out/four-every-json.prof" | grep -q '^equal:' || fail "json: not what the record port says"
# The program of a slot has the names for its profile.
checks=$((checks + 1))
"$rivulet" report "$build/kernel/json@1.elf" "$out/four-every-json.prof" > "$out/report.txt" 2>&1 && grep -q 'parse' "$out/report.txt" ||
	fail "rivulet report has no names for a process (see $out/report.txt)"

# Two processes, started twice; the timer takes samples, with and without the last trace of before the switch.
for way in every timer; do
	run two-$way two 0 $([ $way = timer ] || echo $longest) --set way=$way
	lines two-$way 4 '^kernel: hello [12]: exit 0$'
	"$rivulet" split -o "$out/two-$way-" "$out/two-$way.uart" > "$out/two-$way.split" || fail "two-$way: damaged profiles"
	[ "$(wc -l < "$out/two-$way.split")" = 4 ] || fail "two-$way: four profiles are expected"
done

# Faults end their process and nobody else; a profile up to the fault is sent.
run fault fault 2 $longest --set way=every
for slot in 1 3; do
	for text in 'load access fault at pc 0x[0-9a-f]*, address 0x00000008' 'store access fault at pc 0x[0-9a-f]*, address 0x80000000' \
		'illegal instruction at .*' 'breakpoint at .*' 'instruction access fault at pc 0x40000000, address 0x40000000' 'misaligned load at .*'; do
		lines fault 1 "^kernel: fault $slot: $text: ended$"
	done
	lines fault 1 "^kernel: fault $slot: exit 7$"
done
lines fault 1 '^kernel: queens 2: exit 0$'
lines fault 1 '^kernel: hello 4: exit 0$'
lines fault 1 'all processes have ended, 2 failed'
checks=$((checks + 1))
"$rivulet" split -o "$out/fault-" "$out/fault.uart" > "$out/fault.split" || fail "fault: damaged profiles"
[ "$(grep -c 'fault, build' "$out/fault.split")" = 7 ] || fail "fault: a profile of each round is expected"

# Attacks. Each round that has one left ends by a fault or by a refused system call; none by a breach.
run attack attack 0 --set way=every
lines attack 0 BREACH
lines attack 269 '^kernel: attack 1: illegal instruction .*: ended$'
lines attack 67 '^kernel: attack 1: load access fault .*: ended$'
lines attack 70 '^kernel: attack 1: store access fault .*: ended$'
lines attack 35 '^kernel: attack 1: instruction access fault .*: ended$'
lines attack 10 '^attack: held$'
lines attack 49 '^attack: no attempt left$'
lines attack 59 '^kernel: attack 1: exit 0$'
lines attack 1 '^kernel: sha256 2: exit 0$'
lines attack 1 '^kernel: queens 3: exit 0$'

# What a switch costs: nothing where nobody is profiled, or the unit is there but not used.
# cost NAME IMAGE WAY: cycles of one switch, in $cycles_of_switch
cost() {
	local hex
	run "$1" "$2" 0 --set way="$3"
	hex=$(sed -n 's/^switch: cycles \(0x[0-9a-f]*\) .*/\1/p' "$out/$1.txt" | head -1)
	cycles_of_switch=$((${hex:-0} / 2))
}
cost switch-none switch00 stream && none=$cycles_of_switch
cost switch-off switch11 off && off=$cycles_of_switch
cost switch-one switch01 stream && one=$cycles_of_switch
cost switch-both switch11 stream && both=$cycles_of_switch
checks=$((checks + 2))
echo "a switch takes $none cycles, $off with tracing off, $one and $both on average where one and both processes are profiled"
[ "$none" = "$off" ] || fail "processes that are not profiled pay for it"
[ "$both" -gt "$none" ] || fail "nothing was saved and restored"

echo "check-kernel: $checks checks, $cycles cycles in lockstep, $failed failed"
[ $failed = 0 ]
