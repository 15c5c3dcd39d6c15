#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Tests of the rivulet command from the outside: one line for each case, then a count. Usage: run.sh RIVULET DIRECTORY
# CASES="word ..." runs only the cases with one of the words in their name.
set -u
rivulet=$(realpath "$1")
fixture=$(realpath "$(dirname "$2")/fixture.elf")
here=$(realpath "$(dirname "$0")")
mkdir -p "$2" && cd "$2" || exit 2
rm -f ./*
tool=riscv64-unknown-elf
passed=0
failed=0
skipped=0

# Nothing waits for ever: each command has this many seconds, and is killed 5 seconds later if it does not go.
limit=60
limited() {
	timeout -k 5 "$limit" "$@"
}

# expect NAME STATUS REGEX COMMAND...: the exit status must match the pattern STATUS, standard output and error together must match the extended REGEX, and
# nothing may crash (status 124 and above) or be silent on an error.
expect() {
	local name=$1 want=$2 regex=$3 got
	shift 3
	chosen "$name" || return 0
	limited "$@" >out 2>err </dev/null
	got=$?
	cat out err >both
	if [ "$got" -eq 124 ] || [ "$got" -eq 137 ]; then
		verdict "$name" "not finished after $limit seconds"
	elif [[ $got != $want ]]; then
		verdict "$name" "exit status $got, expected $want"
	elif ! grep -Eqa -- "$regex" both; then
		verdict "$name" "no line matches /$regex/"
	elif [ "$got" -ne 0 ] && ! [ -s err ] && [ "${quiet_error:-0}" = 0 ]; then
		verdict "$name" "nothing on standard error"
	else
		verdict "$name" ""
	fi
}

chosen() {
	local word
	[ -z "${CASES:-}" ] && return 0
	for word in $CASES; do
		case $1 in *"$word"*) return 0 ;; esac
	done
	skipped=$((skipped + 1))
	return 1
}

verdict() {
	if [ -z "$2" ]; then
		passed=$((passed + 1))
		echo "ok      $1"
	else
		failed=$((failed + 1))
		echo "FAILED  $1: $2"
		head -20 both | sed 's/^/          /'
	fi
}

# bytes FILE FROM COUNT: a part of a file
bytes() {
	tail -c +$(($2 + 1)) "$1" | head -c "$3"
}

# --- the command line
expect "usage: no command" 2 "Usage: rivulet COMMAND" "$rivulet"
expect "usage: help" 0 "report .*hot paths" "$rivulet" help
expect "usage: --help" 0 "Exit status" "$rivulet" --help
expect "usage: --version" 0 "^rivulet [0-9]" "$rivulet" --version
expect "usage: unknown command" 2 "\`frobnicate' is not a command" "$rivulet" frobnicate
expect "usage: help of an unknown command" 2 "\`frobnicate' is not a command" "$rivulet" help frobnicate
for command in run report compare info; do
	expect "usage: help $command" 0 "Usage: rivulet $command" "$rivulet" help $command
	expect "usage: $command --help" 0 "Usage: rivulet $command" "$rivulet" $command --help
	expect "usage: $command --version" 0 "^rivulet [0-9]" "$rivulet" $command --version
	expect "usage: $command without files" 2 "expected" "$rivulet" $command
	expect "usage: $command --no-such-option" 2 "unrecognized option" "$rivulet" $command --no-such-option
done
expect "usage: info with two files" 2 "one file is expected" "$rivulet" info a b
expect "usage: compare with one file" 2 "two profiles are expected" "$rivulet" compare a
expect "usage: compare with three files" 2 "too many" "$rivulet" compare a b c
expect "usage: report with one file" 2 "a program .* and a profile are expected" "$rivulet" report a
expect "usage: report --top x" 2 "a number of rows is expected" "$rivulet" report --top x a b
expect "usage: report --by x" 2 "function, inlined, line, block" "$rivulet" report --by x a b
expect "usage: report --require-overlap alone" 2 "needs --exact" "$rivulet" report --require-overlap 95 a b
expect "usage: report --require-overhead alone" 2 "needs --baseline" "$rivulet" report --require-overhead 1 a b
expect "usage: report --require-overlap x" 2 "a percentage" "$rivulet" report --exact e --require-overlap x a b
expect "usage: run --cycles x" 2 "a number" "$rivulet" run --cycles x "$fixture"
expect "usage: run --set x" 2 "name=value" "$rivulet" run --set x "$fixture"
expect "usage: run with two programs" 2 "one program" "$rivulet" run a b

# --- the good case
# (what later cases need is made here, whatever CASES says)
limited "$rivulet" run "$fixture" --profile good.prof --quiet >/dev/null
expect "run: console and profile" 0 "^fixture$" "$rivulet" run "$fixture" --profile good.prof --quiet
expect "run: --check-walk" 0 "[0-9,]+ records.*[0-9,]+ instructions" "$rivulet" run "$fixture" --check-walk
expect "run: instruction limit" 2 "limit" "$rivulet" run "$fixture" --instructions 100
expect "run: cycle limit" 2 "limit" "$rivulet" run "$fixture" --cycles 100
expect "run: --set on a program without configuration" 2 "rivulet_config" "$rivulet" run "$fixture" --set way=5
expect "run: profile cannot be written" 2 "cannot be" "$rivulet" run "$fixture" --quiet --profile no/such/dir/p
expect "run: profile on a full device" 2 "(cannot|write)" "$rivulet" run "$fixture" --quiet --profile /dev/full
$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,--build-id=none -Wl,-T,"$here/fixture.ld" \
	-DWRONG "$here/fixture.c" -o other.elf
limited "$rivulet" run other.elf --quiet --profile other.prof >/dev/null
quiet_error=1 expect "run: exit status passed on" 9 "fixture" "$rivulet" run other.elf --quiet --profile other.prof
expect "info" 0 "good frames, 0 damaged" "$rivulet" info good.prof
expect "info: standard input is no profile" 2 "no profile" "$rivulet" info -
expect "compare: equal" 0 "equal: .* count by count" "$rivulet" compare good.prof good.prof
expect "report" 0 "mix" "$rivulet" report "$fixture" good.prof
expect "report: source lines" 0 "fixture.c:[0-9]+" "$rivulet" report "$fixture" good.prof
expect "report: inlined function" 0 "rotate, inlined in mix \(.*fixture.c:13\)" "$rivulet" report "$fixture" good.prof -d 4
expect "report: by function" 0 "(mix|rotate|start)$" "$rivulet" report --by function "$fixture" good.prof
expect "report: by line" 0 "fixture.c:6" "$rivulet" report --by line "$fixture" good.prof
expect "report: overlap with itself" 0 "overlap +100.00%" "$rivulet" report "$fixture" good.prof --exact good.prof --require-overlap 100
expect "report: exact profile of another build" 1 "is of build" "$rivulet" report "$fixture" good.prof --exact other.prof --require-overlap 100
expect "report: overhead of a run with itself" 0 "overhead +0.00%" "$rivulet" report "$fixture" good.prof --baseline good.prof \
	--require-overhead 0
bytes good.prof 0 $(($(stat -c %s good.prof) - 40)) >part.prof
expect "report: overlap required" 1 "the overlap is .* is required" "$rivulet" report --partial "$fixture" part.prof --exact good.prof \
	--require-overlap 100.01
expect "run: a limited run keeps its profile" 2 "limit of 6,000 instructions" "$rivulet" run "$fixture" --instructions 6000 --profile less.prof
expect "report: overhead required" 1 "the overhead is .* is required" "$rivulet" report "$fixture" good.prof --baseline less.prof \
	--require-overhead 1
expect "report: at most 100 columns" 0 "^[0-9]+$" awk 'length > 100 { print "too long: " $0; exit 1 } END { print NR }' <("$rivulet" report --top 0 "$fixture" good.prof)

# --- programs that are none
expect "elf: missing" 2 "none.elf: cannot be opened" "$rivulet" report none.elf good.prof
expect "elf: directory" 2 "directory" "$rivulet" report . good.prof
: >empty
expect "elf: empty file" 2 "empty" "$rivulet" report empty good.prof
expect "elf: text" 2 "not an ELF" "$rivulet" report "$here/run.sh" good.prof
expect "elf: the host's" 2 "64-bit ELF file \(.*\), expected 32-bit RISC-V" "$rivulet" report "$rivulet" good.prof
$tool-gcc -march=rv64imac -mabi=lp64 -ffreestanding -nostdlib -Wl,-e0 -x c - -o rv64.elf <<<'int f(void) { return 1; }'
expect "elf: 64-bit RISC-V" 2 "64-bit ELF file \(RISC-V\)" "$rivulet" report rv64.elf good.prof
$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -c -x c - -o object.o <<<'int f(void) { return 1; }'
expect "elf: object file" 2 "object file" "$rivulet" report object.o good.prof
size=$(stat -c %s "$fixture")
for at in 1 4 5 16 17 19 20 40 51 52 60 83 84 115 116 200 500 1000 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 41)) $((size - 40)) $((size - 1)); do
	[ "$at" -lt "$size" ] || continue
	bytes "$fixture" 0 "$at" >cut.elf
	expect "elf: cut to $at bytes, report" 2 "cut.elf: .*(cut off|damaged|not an ELF)" "$rivulet" report cut.elf good.prof
	expect "elf: cut to $at bytes, run" 2 "cut.elf" "$rivulet" run cut.elf --quiet
done
$tool-strip -o stripped.elf "$fixture"
expect "elf: stripped" 0 "0x8000[0-9a-f]{4}" "$rivulet" report stripped.elf good.prof
expect "elf: stripped, says so" 0 "is stripped" "$rivulet" report stripped.elf good.prof
$tool-strip -g -o nodebug.elf "$fixture"
expect "elf: without DWARF" 0 "no DWARF" "$rivulet" report nodebug.elf good.prof
expect "elf: without DWARF, functions" 0 "mix" "$rivulet" report nodebug.elf good.prof

# --- profiles that are none, or not whole
expect "profile: missing" 2 "none.prof: cannot be opened" "$rivulet" report "$fixture" none.prof
expect "profile: directory" 2 "directory" "$rivulet" report "$fixture" .
expect "profile: empty" 2 "no profile" "$rivulet" report "$fixture" empty
expect "profile: an ELF" 2 "no profile" "$rivulet" report "$fixture" "$fixture"
expect "profile: of another build" 2 "is of build" "$rivulet" report "$fixture" other.prof
expect "profile: of another build, forced" 1 "used because of --force" "$rivulet" report --force "$fixture" other.prof
quiet_error=1 expect "compare: different builds" 1 "builds differ" "$rivulet" compare good.prof other.prof
size=$(stat -c %s good.prof)
for at in 1 2 10 $((size / 3)) $((size / 2)) $((size - 20)) $((size - 2)) $((size - 1)); do
	bytes good.prof 0 "$at" >cut.prof
	[ "$at" -gt 33 ] && want=1 || want=2 # the header frame has 32 bytes
	expect "profile: cut to $at bytes" $want "(no profile|missing|ends inside)" "$rivulet" report "$fixture" cut.prof
	[ "$at" -gt 90 ] && expect "profile: cut to $at bytes, --partial" 0 "distinct paths" "$rivulet" report --partial "$fixture" cut.prof
	{ bytes good.prof 0 "$at"; printf '\007'; bytes good.prof $((at + 1)) "$size"; } >flipped.prof
	expect "profile: byte $at overwritten" 1 "(damaged frame at offset|the file ends inside)" "$rivulet" info flipped.prof
done
# every byte: told, never a crash, never a wrong total without a word
every_byte() {
	local name=$1 at got bad=0 first=
	shift
	chosen "$name" || return 0
	: >both
	for ((at = 0; at < size; at++)); do
		"$@" "$at"
		limited "$rivulet" report "$fixture" broken.prof >out 2>err
		got=$?
		if { [ $got -ne 1 ] && [ $got -ne 2 ]; } || ! grep -q '^rivulet: broken.prof: ' err; then
			bad=$((bad + 1))
			first=${first:-byte $at, exit status $got}
			cat out err >>both
		fi
	done
	verdict "$name ($size positions)" "$([ $bad -eq 0 ] || echo "$bad wrong, first $first")"
}
cut_at() {
	bytes good.prof 0 "$1" >broken.prof
}
flip_at() {
	local old
	old=$(bytes good.prof "$1" 1 | od -An -tu1)
	{ bytes good.prof 0 "$1"; printf "\\x$(printf %x $((${old:-0} ^ 0x55)))"; bytes good.prof $(($1 + 1)) "$size"; } >broken.prof
}
every_byte "profile: each byte cut" cut_at
every_byte "profile: each byte flipped" flip_at
{ echo "console text"; cat good.prof; echo "more text"; } >capture
expect "profile: in console text" 0 "mix" "$rivulet" report "$fixture" capture
expect "info: --text" 0 "more text" "$rivulet" info --text capture
cat good.prof good.prof >twice.prof
expect "profile: two in one file" 1 "(came twice|second profile)" "$rivulet" info twice.prof

# --- further commands, one file each
. "$here/programs.sh"
for part in "$here"/*.cases; do
	[ -e "$part" ] && . "$part"
done

echo "$passed passed, $failed failed$([ $skipped -gt 0 ] && echo ", $skipped not chosen")"
[ $failed -eq 0 ]
