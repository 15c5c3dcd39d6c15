# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# The unit in software (docs/machines.md): traces over the bytecodes of interpreters, held against logs of them.
VM_DIR := $(B)/tests/vm
VM_SRCS := tests/vm/interp.c $(wildcard sw/vm/*.c) $(filter-out %/app.c,$(wildcard sw/apps/interp/*.c))
VM_FLAGS := -DRIVULET_VM=1 -Isw/run -Isw/apps/interp
VM_DEPS := $(VM_SRCS) $(wildcard sw/vm/*.h sw/apps/interp/*.[ch]) common/record.h tests/vm/module.mk
$(VM_DIR)/interp: $(VM_DEPS) common/frame.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wshadow -Werror -I. -DVM_LOG $(VM_FLAGS) $(VM_SRCS) common/frame.c -o $@
# blocks and history of a small machine
$(VM_DIR)/interp.elf: $(VM_DEPS) $(SW_LIB_OBJS) $(B)/sw/obj/name/interp.o sw/hal/link.ld
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(VM_FLAGS) -DRIVULET_VM_HIST=32 -DRIVULET_VM_BLOCK=512 -DRIVULET_VM_BLOCKS=256 -DVM_LOG $(SW_LDFLAGS) -Wl,--defsym=__ram_size=1M \
	    $(VM_SRCS) $(SW_LIB_OBJS) $(B)/sw/obj/name/interp.o -o $@ -lm
# counts in the table alone: a profile, and what the traces cost
$(VM_DIR)/table.elf: $(VM_DEPS) $(SW_LIB_OBJS) $(B)/sw/obj/name/interp.o sw/hal/link.ld
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(VM_FLAGS) -DRIVULET_VM_HIST=32 $(SW_LDFLAGS) -Wl,--defsym=__ram_size=1M \
	    $(filter-out sw/vm/records.c,$(VM_SRCS)) $(SW_LIB_OBJS) $(B)/sw/obj/name/interp.o -o $@ -lm
$(VM_DIR)/judge: $(B)/host/tests/vm/judge.o $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-vm
check-vm: $(RIVULET) $(VM_DIR)/interp $(VM_DIR)/interp.elf $(VM_DIR)/table.elf $(VM_DIR)/judge $(B)/sw/interp.elf ## traces over the bytecodes of an interpreter: each one as its log has it
	@tests/vm/run $(B)
.PHONY: check-vm
vm-lua: $(RIVULET) $(VM_DIR)/judge ## traces over the bytecodes of Debian's Lua: each one as its log has it, and their cost; network
	@tests/vm/lua $(B)
.PHONY: vm-lua
