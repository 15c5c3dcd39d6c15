# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += isa/isa.c
TESTS += check_isa

# The instruction table against binutils: every 16-bit encoding and 250 000 32-bit words.
ISA_OBJDUMP := $(B)/bin/isa-objdump
ISA_WORK := $(B)/tests/isa
$(ISA_OBJDUMP): $(B)/host/tests/isa_objdump.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@
check-isa-objdump: $(ISA_OBJDUMP) ## the disassembler against objdump: every 16-bit encoding, 250 000 words
	@mkdir -p $(ISA_WORK)
	@$(ISA_OBJDUMP) write >$(ISA_WORK)/words.s
	@riscv64-unknown-elf-gcc -march=rv32imc_zicsr_zifencei -mabi=ilp32 -c $(ISA_WORK)/words.s -o $(ISA_WORK)/words.o
	@riscv64-unknown-elf-objcopy --strip-all $(ISA_WORK)/words.o
	@riscv64-unknown-elf-objdump -d -z -M no-aliases --adjust-vma=0x80000000 $(ISA_WORK)/words.o >$(ISA_WORK)/words.dis
	@$(ISA_OBJDUMP) compare $(ISA_WORK)/words.dis
.PHONY: check-isa-objdump
