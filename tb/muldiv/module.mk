# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Multiplier and divider of the core alone, each of the two multipliers, against the golden model.
MULDIV := $(TB)/muldiv
$(MULDIV)/judge-%: rtl/core/rivulet_muldiv.v tb/muldiv/rtl.cpp tb/muldiv/rtl.h $(B)/host/tb/muldiv/judge.o tb/muldiv/module.mk $(LIB) $(RUNTIME_OBJS)
	@$(call fresh_bench,$(MULDIV)/$*)
	@verilator --cc --exe --build -j 1 $(WITH_RUNTIME) -O3 --x-assign unique --x-initial unique -CFLAGS "-O1 -I$(CURDIR)" -Wall "-GMUL_FAST=1'd$*" \
		--top-module rivulet_muldiv --prefix Vmuldiv -o ../judge-$* --Mdir $(MULDIV)/$* rtl/core/rivulet_muldiv.v $(CURDIR)/tb/muldiv/rtl.cpp \
		$(CURDIR)/$(B)/host/tb/muldiv/judge.o $(CURDIR)/$(LIB) >$(MULDIV)/$*/log 2>&1 || { cat $(MULDIV)/$*/log; false; }
check-muldiv: $(MULDIV)/judge-0 $(MULDIV)/judge-1 ## multiplier and divider against the golden model, results and cycles, with each multiplier
	@$(MULDIV)/judge-0 0 $(SEED) 300000
	@$(MULDIV)/judge-1 1 $(SEED) 300000
CHECKS += check-muldiv
.PHONY: check-muldiv
