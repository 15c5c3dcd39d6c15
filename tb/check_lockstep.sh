#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Makes a fault in each compared signal in turn; lockstep has to stop with a difference in that very signal.
#
#   check_lockstep.sh LOCKSTEP TRACE_ELF EXIT_ELF OUT
set -u
lockstep=$1 trace=$2 exits=$3 out=$4
rm -rf "$out"
mkdir -p "$out"
count=0 bad=0
fail() { echo "check-lockstep: $*"; bad=$((bad + 1)); }

for signal in $("$lockstep" --list-signals); do
	count=$((count + 1))
	for at in 0 300; do
		case $signal in
		console_* | exit_code) elf=$exits from=0 ;; # only there in this program
		*) elf=$trace from=$at ;;
		esac
		"$lockstep" --inject "$signal@$from" --console /dev/null "$elf" >"$out/log" 2>&1
		status=$?
		[ $status = 1 ] || fail "$signal from cycle $from: exit status $status, expected 1"
		grep -q "^difference in cycle [0-9]*: $signal: RTL" "$out/log" || fail "$signal from cycle $from: another signal is named: $(grep ^difference "$out/log")"
		grep -q "retirements of the RTL" "$out/log" || fail "$signal: no retirements are printed"
	done
done
# No fault, no difference.
"$lockstep" --console "$out/console" --signature "$out/signature" "$exits" >"$out/log" 2>&1 || fail "a run without a fault does not pass"
printf 'ok\n' | cmp -s - "$out/console" || fail "console: $(cat "$out/console")"
printf '12345678\n0000cafe\n' | cmp -s - "$out/signature" || fail "signature: $(cat "$out/signature")"
"$lockstep" --uart "$out/uart" "${trace%trace.elf}uart.elf" >"$out/log" 2>&1 || fail "uart does not pass"
printf 'UART\n' | cmp -s - "$out/uart" || fail "uart: $(cat "$out/uart")"
# Bad input: status 4 and a sentence that names the file.
expect_trouble() {
	local what=$1
	shift
	"$lockstep" "$@" >"$out/log" 2>&1
	local status=$?
	[ $status = 4 ] || fail "$what: exit status $status, expected 4"
	grep -q '^lockstep: ' "$out/log" || fail "$what: no message"
}
head -c 1000 "$trace" >"$out/cut.elf"
: >"$out/empty.elf"
cp "$trace" "$out/arch.elf"
printf '\x3e' | dd of="$out/arch.elf" bs=1 seek=18 conv=notrunc status=none
expect_trouble missing "$out/none.elf"
expect_trouble truncated "$out/cut.elf"
expect_trouble empty "$out/empty.elf"
expect_trouble "another machine" "$out/arch.elf"
expect_trouble "not ELF" "$0"
expect_trouble "set without configuration" --set input=1 "$trace"
expect_trouble "unknown signal" --inject nothing@0 "$trace"
expect_trouble "unknown option" --nothing "$trace"
expect_trouble "no program"
"$lockstep" --max-cycles 100 "$trace" >"$out/log" 2>&1
[ $? = 3 ] || fail "a run that does not end: not exit status 3"
echo "check-lockstep: $count signals, $bad failures"
[ $bad = 0 ]
