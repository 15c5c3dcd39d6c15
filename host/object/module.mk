# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/object/object.c
LIB_SRCS += host/object/write.c
LIB_SRCS += host/object/archive.c
LIB_SRCS += host/object/edit.c
LIB_SRCS += host/object/edit_put.c
LIB_SRCS += host/object/apply.c
LIB_SRCS += host/object/placing.c
LIB_SRCS += host/object/host_call.c
LIB_SRCS += host/object/order.c
LIB_SRCS += host/object/catches.c
LIB_SRCS += host/object/far.c
LIB_SRCS += host/object/mend.c
LIB_SRCS += host/object/transfer.c
LIB_SRCS += host/object/tables.c
LIB_SRCS += host/object/frames.c
LIB_SRCS += host/object/frames_rows.c
LIB_SRCS += host/object/frames_order.c
LIB_SRCS += host/object/frames_sort.c
LIB_SRCS += host/object/anew.c
LIB_SRCS += host/object/compress.c
LIB_SRCS += host/object/rewrite.c

# Edits that change nothing of what a program does, over the C libraries, all applications and programs for Linux.
OBJECT_EDIT := $(B)/bin/object-edit
$(OBJECT_EDIT): $(B)/host/tests/object_edit.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-object
check-object: $(OBJECT_EDIT) $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) ## objects and archives edited: the same bytes, or the same behaviour
	@tests/object/check $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest,$(SW_APPS))
.PHONY: check-object
