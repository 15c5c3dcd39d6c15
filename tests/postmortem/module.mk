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

# Programs with a fault of their own, whose handlers print the ring: the dump comes back from the text of the console.
POSTMORTEM_DEMOS := $(patsubst %,$(B)/tests/postmortem/%.elf,dispatch overflow watchdog)
$(POSTMORTEM_DEMOS): $(B)/tests/postmortem/%.elf: $(B)/sw/obj/tests/postmortem/%.o $(B)/sw/obj/tests/postmortem/fault.o $(B)/sw/obj/name/hello.o $(SW_LIB_OBJS) sw/hal/link.ld
	@mkdir -p $(@D)
	$(SW_CC) $(SW_CFLAGS) $(SW_LDFLAGS) $(filter %.o,$^) -o $@ -lm
demo-postmortem: $(RIVULET) $(POSTMORTEM_DEMOS) ## a jump to nowhere, a stack overflow, a watchdog that bites; what ran last, by the flight recorder of the trace unit
	@tests/postmortem/demo $(RIVULET) $(B)/tests/postmortem $(POSTMORTEM_DEMOS)
CHECKS += check-demo-postmortem
check-demo-postmortem: $(RIVULET) $(POSTMORTEM_DEMOS) ## the demonstration names the functions of its faults
	@tests/postmortem/demo --check $(RIVULET) $(B)/tests/postmortem $(POSTMORTEM_DEMOS)
CHECKS += check-postmortem-sources
check-postmortem-sources: $(RIVULET) $(B)/tests/postmortem/dispatch.elf ## a dump of the flight recorder from console, file, ELF core and gdb server says the same
	@tests/postmortem/sources $(RIVULET) $(B)/tests/postmortem $(B)/tests/postmortem/dispatch.elf
.PHONY: demo-postmortem check-demo-postmortem check-postmortem-sources
