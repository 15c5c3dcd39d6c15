# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
LIB_SRCS += $(addprefix host/ntrace/,message.c decoder.c encoder.c)
TESTS += check_ntrace

NTRACE_ENCODE := $(B)/bin/ntrace-encode
$(NTRACE_ENCODE): $(B)/host/tests/ntrace_encode.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
check-standards: $(RIVULET) $(NTRACE_ENCODE) ## N-Trace: an RV64 program under qemu, encoded, decoded, cut and damaged
	@tests/standards/run $(B) $(B)/tests/standards
CHECKS += check-standards
.PHONY: check-standards
