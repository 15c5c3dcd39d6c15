# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# CoreMark, which is not a part of this project: COREMARK is a folder with its sources. At 1 MHz a valid run (10 seconds) is 10 million cycles.
COREMARK ?=
COREMARK_ITERATIONS ?= 32
COREMARK_ARCH ?= rv32imc
# Without them the score of -O2 goes up and down by 1% with every halfword that is added to sw/hal.
COREMARK_ALIGN ?= -falign-functions=4 -falign-jumps=4 -falign-loops=4
COREMARK_FLAGS ?= -O2;-O3;-O3 -funroll-loops -finline-functions -finline-limit=1000
COREMARK_CC = $(SW_CC) -march=$(COREMARK_ARCH) -misa-spec=2.2 -mabi=ilp32 --specs=picolibc.specs
BENCH_HAL := $(addprefix $(B)/sw/obj/sw/hal/,start.o hal.o libc.o)
coremark: $(TB)/lockstep $(TB)/lockstep-cfg-slow $(BENCH_HAL) ## builds the CoreMark in COREMARK=FOLDER, runs it on the RTL, prints CoreMark/MHz (COREMARK_FLAGS="-O2;-O3", minutes)
	@test -n "$(COREMARK)" || { echo "coremark: COREMARK=FOLDER is expected, a checkout of CoreMark" >&2; exit 2; }
	@bench/coremark/run $(B) "$(COREMARK)" $(COREMARK_ITERATIONS) "$(COREMARK_CC)" "$(SW_LDFLAGS)" "$(COREMARK_FLAGS)" "$(COREMARK_ALIGN)" $(BENCH_HAL)
.PHONY: coremark
