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

# A program with a fault of its own, whose handler prints the ring: the dump comes back from the text of its console.
POSTMORTEM_DEMO := $(B)/tests/postmortem/dispatch.elf
$(POSTMORTEM_DEMO): $(B)/sw/obj/tests/postmortem/dispatch.o $(B)/sw/obj/name/hello.o $(SW_LIB_OBJS) sw/hal/link.ld
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
demo-postmortem: $(RIVULET) $(POSTMORTEM_DEMO) ## a program jumps to nowhere; what ran last, by the flight recorder of the trace unit
	@tests/postmortem/demo $(RIVULET) $(POSTMORTEM_DEMO) $(B)/tests/postmortem
CHECKS += check-demo-postmortem
check-demo-postmortem: $(RIVULET) $(POSTMORTEM_DEMO) ## the demonstration names the function and the line of its fault
	@tests/postmortem/demo --check $(RIVULET) $(POSTMORTEM_DEMO) $(B)/tests/postmortem
.PHONY: demo-postmortem check-demo-postmortem
