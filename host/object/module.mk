# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += host/object/object.c host/object/write.c host/object/archive.c host/object/edit.c host/object/apply.c host/object/transfer.c host/object/tables.c host/object/frames.c host/object/frames_rows.c host/object/anew.c host/object/compress.c host/object/rewrite.c

# Edits that change nothing of what a program does, over the C libraries, all applications and programs for Linux.
OBJECT_EDIT := $(B)/bin/object-edit
$(OBJECT_EDIT): $(B)/host/tests/object_edit.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-object
check-object: $(OBJECT_EDIT) $(B)/bin/rivulet $(SW_APPS:%=$(B)/sw/%.elf) ## objects and archives edited: the same bytes, or the same behaviour
	@tests/object/check $(B) "$(SW_CC)" "$(SW_CFLAGS)" "$(SW_LDFLAGS)" "$(sort $(SW_LIB_OBJS))" $(filter-out selftest,$(SW_APPS))
.PHONY: check-object
