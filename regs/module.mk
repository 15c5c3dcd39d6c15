# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += regs/table.c
LIB_SRCS += regs/write.c
TESTS += check_regs

$(B)/bin/regs-gen: $(B)/host/regs/gen.o $(B)/host/regs/table.o $(B)/host/regs/write.o
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@

regs: $(B)/bin/regs-gen ## make the register headers, the SVD file and the manual page from regs/trace_regs.def
	$< verilog > rtl/trace/rivulet_regs.vh
	$< bits > rtl/trace/rivulet_reg_bits.vh
	$< values > rtl/trace/rivulet_reg_values.vh
	$< lanes > rtl/trace/rivulet_reg_lanes.vh
	$< model > model/trace/reg_bits.c
	$< c > common/rivulet_regs.h
	$< svd > docs/rivulet.svd
	$< manual > docs/registers.md
.PHONY: regs
