# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Rivulet authors
CMD_SRCS := $(wildcard host/cmd/*.c)
# The list of subcommands: the lines COMMAND(...) of their files, by rank.
COMMANDS := $(B)/gen/commands.def
$(COMMANDS): $(CMD_SRCS)
	@mkdir -p $(@D)
	sed -n 's/^\(COMMAND([0-9]*, [a-z]*, ".*")\);$$/\1/p' $^ | sort -t '(' -k 2n >$@
$(B)/host/host/cmd/commands.o $(B)/fuzz/obj/host/cmd/commands.o: $(COMMANDS)
host: $(RIVULET) ## build the rivulet command (build/bin/rivulet)
$(RIVULET): $(CMD_SRCS:%.c=$(B)/host/%.o) $(B)/librivulet.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_HOST) $^ -o $@ $(LIBS_HOST)

# One line for each case, then a count; CASE='name' is one of them, CASES="run report" those with one of the words in their name.
check-cmd: $(RIVULET) $(B)/tests/fixture.elf ## test the rivulet command from the shell; CASE='name' for one case, CASES="word ..." for some
	@tests/cmd/run $(RIVULET) $(B)/tests/cmd
CHECKS += check-conservation
check-conservation: $(RIVULET) ## each reader says what of a run it does not show, and why
	@tests/cmd/conservation $(RIVULET) $(B)/tests/conservation
.PHONY: host check-cmd check-conservation

# Manual pages: docs/man/rivulet-NAME.1 stands in the repository, so that it can be read and installed without a build.
man: $(RIVULET) ## make the manual pages docs/man/*.1 from the help of the command and docs/man/*.md
	@scripts/man $(RIVULET) docs/man
CHECKS += check-man
check-man: $(RIVULET) ## the manual pages are those that the command's help makes, and groff has nothing to say
	@tests/cmd/man $(RIVULET) $(B)/tests/man
.PHONY: man check-man

CHECKS += check-certain
check-certain: $(RIVULET) check-bound ## what programs ran, against gcov; MC/DC of 20 programs against clang 19; bounds of 23 programs (check-bound)
	@tests/coverage/run $(B) $(B)/tests/coverage
	@tests/coverage/object $(B) $(B)/tests/coverage-object
	@tests/mcdc/run $(B) $(B)/tests/mcdc
.PHONY: check-certain
