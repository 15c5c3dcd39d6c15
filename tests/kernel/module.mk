# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Memory protection and the kernel: docs/kernel.md.
TESTS += check_model_pmp

# Slices are short and odd, so that switches fall everywhere.
KERNEL_FOUR := json:SLOT_PROFILE:1 qsort:SLOT_PROFILE:1 huffman:0:1 regex:0:1
$(eval $(call KERNEL_IMAGE,four,3001,$(KERNEL_FOUR)))
$(eval $(call KERNEL_IMAGE,alone1,3001,json:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,alone2,3001,- qsort:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,two,1201,hello:SLOT_PROFILE:2 hello:SLOT_PROFILE+SLOT_SAVE_LAST:2))
$(eval $(call KERNEL_IMAGE,attack,5003,attack:0:500 sha256:SLOT_PROFILE:1 queens:0:1))
$(eval $(call KERNEL_IMAGE,fault,4001,fault:SLOT_PROFILE:7 queens:0:1 fault:0:7 hello:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,switch00,100000,switch:0:1 switch:0:1))
$(eval $(call KERNEL_IMAGE,switch01,100000,switch:0:1 switch:SLOT_PROFILE:1))
$(eval $(call KERNEL_IMAGE,switch11,100000,switch:SLOT_PROFILE:1 switch:SLOT_PROFILE:1))

CHECKS += check-kernel
check-kernel: $(TB)/lockstep $(RIVULET) $(KERNEL_IMAGES) ## the kernel in lockstep: processes, faults, attacks; profiles as of each program alone
	@tests/kernel/check.sh $(B)
.PHONY: check-kernel
