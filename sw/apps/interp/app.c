/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* A bytecode interpreter: assembles and runs real programs, and notices broken ones. */
#include "app.h"

#include <string.h>

#include "programs.h"
#include "vm.h"

struct plan {
	int32_t size[PROGRAM_COUNT];
	int32_t seed, seeds; /* first seed, and how many: each program runs with each */
};
static const struct plan train = {{60, 8, 24, 12, 5}, 7, 1};
static const struct plan ref = {{1500, 16, 140, 150, 27}, 1001, 2};

static struct vm vm;

static int run(const struct program *program, int32_t size, int32_t seed)
{
	int failed = app_check(program->name, (uint32_t)vm_assemble(&vm, program->source), 0);
	memset(vm.memory, 0, sizeof vm.memory);
	vm.memory[0] = size;
	vm.memory[1] = seed;
	vm.out = 0;
	failed += app_check(program->name, (uint32_t)vm_run(&vm), VM_OK);
	return failed + app_check(program->name, (uint32_t)vm.out, (uint32_t)program->native(size, seed));
}

static int check_broken(void)
{
	static const struct {
		const char *source;
		int assembles, runs;
	} broken[] = {{"push 1 add halt", 0, VM_ESTACK}, {"push 1 push 0 div halt", 0, VM_EDIVIDE},
	    {"push 5000 fetch halt", 0, VM_EMEMORY}, {"loop: push 1 jump loop", 0, VM_ESTACK},
	    {"f: call f", 0, VM_ESTACK}, {"push 1 drop", 0, VM_ECODE}, {"jump nowhere", 2, 0}, {"push x", 2, 0},
	    {"fly", 1, 0}};
	int failed = 0;
	for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
		int wrong = vm_assemble(&vm, broken[i].source);
		failed += app_check("broken program assembles", (uint32_t)wrong, (uint32_t)broken[i].assembles);
		if (!wrong)
			failed += app_check("broken program runs", (uint32_t)vm_run(&vm), (uint32_t)broken[i].runs);
	}
	return failed;
}

int app_main(int input)
{
	const struct plan *plan = input == APP_TRAIN ? &train : &ref;
	int failed = check_broken();
	for (int32_t seed = plan->seed; seed < plan->seed + plan->seeds; seed++)
		for (unsigned i = 0; i < PROGRAM_COUNT; i++)
			failed += run(&programs[i], plan->size[i] - (seed - plan->seed), seed);
	return failed;
}
