# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Tests of no one part.
TESTS += check_errors

# A small RISC-V program for check_image, check_account and check-cmd.
$(FIXTURE): tests/cmd/fixture.c tests/cmd/fixture.ld
	@mkdir -p $(@D)
	riscv64-unknown-elf-gcc -march=rv32imc -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -fno-pie -Wl,--build-id=none \
	    -I. -Wl,-T,tests/cmd/fixture.ld $< -o $@
