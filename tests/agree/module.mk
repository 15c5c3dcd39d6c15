# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# One program, several ways. A part of its own: tests/agree/part_NAME.
AGREE_PROBE = $(patsubst %,$(B)/sw/obj/sw/probe/%.o,probe soc trap cycles cycles_hooks)
CHECKS += check-agree
check-agree: $(RIVULET) $(CYCLES_JUDGE) $(WAITS_JUDGE) $(PATHS_JUDGE) $(BENCH_APPS:%=$(B)/sw/%.elf) $(AGREE_PROBE) ## every application on train input: records, inserted code and the golden model say the same, number by number
	@CC="$(SW_CC)" FLAGS="$(SW_CFLAGS)" LINK="$(SW_LDFLAGS)" OBJS="$(sort $(SW_LIB_OBJS))" tests/agree/run $(B) $(BENCH_APPS)
.PHONY: check-agree
CHECKS += check-agree-kernel
check-agree-kernel: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(KERNEL_OBJS) $(USER_OBJS) ## processes that count their own cycles: switched by the kernel as alone
	@CC="$(SW_CC)" FLAGS="$(SW_CFLAGS)" USER="$(USER_LDFLAGS)" PROGRAMS="$(USER_OBJS)" WORK=$(KERNEL_WORK) tests/agree/kernel $(B) "$(KERNEL_OBJS)"
.PHONY: check-agree-kernel
CHECKS += check-agree-linux64
check-agree-linux64: $(RIVULET) ## inserted cycles on RV64 Linux, under qemu
	@tests/agree/linux64 $(B)
.PHONY: check-agree-linux64
bench-cycles: $(RIVULET) $(BENCH_APPS:%=$(B)/sw/%.elf) $(AGREE_PROBE) ## overhead of inserted cycle counting, ref input; writes bench/cycles.md
	@bench/cycles $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(BENCH_APPS)
.PHONY: bench-cycles
CHECKS += check-agree-hostile
check-agree-hostile: $(RIVULET) ## programs that tear the parallel stack of inserted cycles: right, or a word
	@tests/agree/hostile/run $(B)
.PHONY: check-agree-hostile
CHECKS += check-agree-random
check-agree-random: $(RIVULET) $(CYCLES_JUDGE) $(SW_LIB_OBJS) $(AGREE_PROBE) ## random programs of calls: records say what the golden model attributes
	@CC="$(SW_CC)" FLAGS="$(SW_CFLAGS) -Wno-infinite-recursion" LINK="$(SW_LDFLAGS)" OBJS="$(sort $(SW_LIB_OBJS))" tests/agree/random_calls $(B) $(or $(AGREE_SEEDS),2 3 4 5 7)
.PHONY: check-agree-random
