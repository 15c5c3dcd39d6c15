# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# What the cases share: further kinds of expectations, and hot.elf with its profiles and records (hot.c says what it does).

# compile_hot NAME OPTION...: NAME.elf from hot.c
compile_hot() {
	local name=$1
	shift
	$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -fno-pie -fno-optimize-sibling-calls -Wl,--build-id=none \
		-Wl,-T,"$here/fixture.ld" "$@" "$here/hot.c" -o "$name.elf"
}
# hot NAME OPTION...: the same, with NAME.prof and NAME.rvr
hot() {
	compile_hot "$@" && limited "$rivulet" run "$1.elf" --quiet --profile "$1.prof" --records "$1.rvr" 2>/dev/null
}
# json NAME FILTER EXPECTED COMMAND...: standard output is JSON, UTF-8, and the jq FILTER gives EXPECTED
json() {
	local name=$1 filter=$2 want=$3 got
	shift 3
	chosen "$name" || return 0
	limited "$@" >out 2>err </dev/null
	if ! iconv -f utf-8 -t utf-8 out >/dev/null 2>&1; then
		verdict "$name" "no UTF-8"
		return
	fi
	got=$(jq -r "$filter" out 2>both)
	[ "$got" = "$want" ]
	verdict "$name" "$([ "$got" = "$want" ] || echo "got '$got', expected '$want'")"
}
# columns NAME MAX COMMAND...: no line of its output is longer
columns() {
	local name=$1 max=$2
	shift 2
	chosen "$name" || return 0
	limited "$@" >both 2>err </dev/null
	local long
	long=$(LC_ALL=C.UTF-8 awk -v max="$max" 'length > max' both | head -1)
	verdict "$name" "$([ -z "$long" ] || echo "too long: $long")$([ -s both ] || echo "no output")"
}

hot hot
hot sampled -DSAMPLE
hot again -DSAMPLE -DSEED=1234
hot slower -DSLOWER
hot slower-sampled -DSLOWER -DSAMPLE
hot long -DTIMES=20000
# long.rvr has several blocks: cut off in the middle, and with damage there
size=$(stat -c %s long.rvr)
bytes long.rvr 0 $((size / 2)) >cut.rvr
{ bytes long.rvr 0 $((size / 2)); printf '\252\125\252\125'; bytes long.rvr $((size / 2 + 4)) "$size"; } >garbled.rvr
# the same file with its second and third quarter exchanged
{ bytes long.rvr 0 $((size / 4)); bytes long.rvr $((size / 2)) $((size / 4)); bytes long.rvr $((size / 4)) $((size / 4)); bytes long.rvr $((size / 4 * 3)) "$size"; } >mixed.rvr
head -c 4000 "$rivulet" >noise
# number FILTER COMMAND...: a number out of its JSON
number() {
	local filter=$1
	shift
	limited "$@" 2>/dev/null </dev/null | jq "$filter"
}
