# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += isa/isa.c
LIB_SRCS += isa/table.c
LIB_SRCS += isa/encode.c
LIB_SRCS += isa/registers.c
LIB_SRCS += isa/format.c
LIB_SRCS += isa/parse.c
TESTS += check_isa check_isa_classes check_isa_sets
isa-ops: ## add to isa/ops.def what isa/insns.def has and it lacks
	isa/make-ops isa/insns.def isa/ops.def >isa/ops.new && mv isa/ops.new isa/ops.def
.PHONY: isa-ops

# The instruction table against binutils: every 16-bit encoding and a million 32-bit words, for both widths. The words are
# the text of an object that says which extensions it has.
ISA_OBJDUMP := $(B)/bin/isa-objdump
ISA_WORK := $(B)/tests/isa
ISA_JUDGED := mafdc_zicsr_zifencei_zba_zbb_zbs_zbkb
$(ISA_OBJDUMP): $(B)/host/tests/isa_objdump.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@
check-isa-objdump: $(ISA_OBJDUMP) ## the disassembler against objdump: every 16-bit encoding, two million words, RV32 and RV64
	@mkdir -p $(ISA_WORK)
	@echo '.byte 0' >$(ISA_WORK)/seed.s
	@set -e; cd $(ISA_WORK); for w in 32 64; do \
		$(abspath $(ISA_OBJDUMP)) write $$w >words$$w.bin; \
		riscv64-unknown-elf-as -march=rv$${w}i$(ISA_JUDGED) seed.s -o seed$$w.o; \
		riscv64-unknown-elf-objcopy --strip-all --update-section .text=words$$w.bin seed$$w.o words$$w.o; \
		riscv64-unknown-elf-objdump -d -z -M no-aliases --adjust-vma=0x80000000 words$$w.o >words$$w.dis; \
		$(abspath $(ISA_OBJDUMP)) compare $$w words$$w.dis; \
		rm -f words$$w.*; \
	done
	@riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32 -std=c11 -O2 -ffreestanding -nostdlib -I. -Wall -Wextra -Werror -r \
		$(wildcard isa/*.c) -o $(ISA_WORK)/firmware.o
	@! riscv64-unknown-elf-nm -u $(ISA_WORK)/firmware.o | grep -vE ' (memcpy|memset)$$' || \
		{ echo "isa/ is not freestanding" >&2; exit 1; }
.PHONY: check-isa-objdump
