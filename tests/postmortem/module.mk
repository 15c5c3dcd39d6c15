# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
# Faults in the applications, and what the flight recorder says ran last, judged by what retired.
POSTMORTEM_APPS := dijkstra fft huffman interp json kernels lz printf qsort queens regex sha256
POSTMORTEM_ELFS := $(POSTMORTEM_APPS:%=$(B)/sw/%.elf)
POSTMORTEM_JUDGE := $(B)/tests/postmortem/judge
$(POSTMORTEM_JUDGE): $(B)/host/tests/postmortem/judge.o $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)
CHECKS += check-postmortem
check-postmortem: $(POSTMORTEM_JUDGE) $(POSTMORTEM_ELFS) ## the flight recorder's last instructions are those that retired before a fault
	@$(POSTMORTEM_JUDGE) $(POSTMORTEM_ELFS)
.PHONY: check-postmortem
