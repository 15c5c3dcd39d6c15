# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The inputs of all parts: programs from fixture.c and hot.c (hot.c says what it does), their profiles and records, whole and damaged.

# compile_hot NAME OPTION...: NAME.elf from hot.c
compile_hot() {
	local name=$1
	shift
	$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -fno-pie -fno-optimize-sibling-calls -Wl,--build-id=none \
		-I"$here/../.." -Wl,-T,"$here/fixture.ld" "$@" "$here/hot.c" -o "$name.elf"
}
# hot NAME OPTION...: the same, with NAME.prof and NAME.rvr
hot() {
	compile_hot "$@" && limited "$rivulet" run "$1.elf" --quiet --profile "$1.prof" --records "$1.rvr" 2>/dev/null
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

# the fixture's profile: whole, cut off, with a wrong byte; of another build
limited "$rivulet" run "$fixture" --profile good.prof --quiet >/dev/null
size=$(stat -c %s good.prof)
bytes good.prof 0 $((size - 40)) >part.prof
{ bytes good.prof 0 $((size - 1)); printf '\007'; } >flipped.prof
$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -Wl,--build-id=none -I"$here/../.." -Wl,-T,"$here/fixture.ld" \
	-DWRONG "$here/fixture.c" -o other.elf
limited "$rivulet" run other.elf --quiet --profile other.prof >/dev/null 2>&1
# files that are no program or profile, and programs of which something is missing
: >empty
$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -c -x c - -o object.o <<<'int f(void) { return 1; }'
$tool-strip -o stripped.elf "$fixture"
$tool-strip -g -o nodebug.elf "$fixture"
# a switch: the jump table is found, with each of its targets
$tool-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -fno-pie -Wl,-e0x80000000 -I"$here/../.." -Wl,-T,"$here/fixture.ld" -x c - -o switch.elf <<'CODE'
int side(int);
__attribute__((noinline)) int side(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int choose(int x)
{
	switch (x) {
	case 0: return side(1) * 3;
	case 1: return side(5) + 7;
	case 2: return side(9) ^ 2;
	case 3: return side(2) << 4;
	case 4: return side(8) - 1;
	case 5: return side(6) | 64;
	case 6: return side(7) * 11;
	}
	return 0;
}
CODE
