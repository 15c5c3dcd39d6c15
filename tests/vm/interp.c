/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * sw/apps/interp with traces over its bytecodes, on bare metal (files by semihosting) or natively. It writes
 * interp.machine, interp.rvr and interp.log: each bytecode that ended, 4 bytes each, in order, by a way of its own.
 * Without VM_LOG it counts traces in the table of the firmware instead, and writes interp.prof: no order, no log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "programs.h"
#include "sw/run/app.h"
#include "sw/vm/records.h"
#include "vm.h"
#ifndef VM_LOG
#include "common/run_config.h"
#include "sw/trace/profile.h"
#endif

struct rivulet_vm vm_unit;
uintptr_t vm_base;

static FILE *machine, *record_file;
#ifdef VM_LOG
static struct rivulet_vm_records records;
static FILE *log_file;
static uint32_t pending; /* a bytecode that has begun; 0: none */
static uint64_t bytecodes;
#endif

#define PROGRAMS 32
#define SPACING 0x1000u

static const char *seen[PROGRAMS];

static const struct {
	const char *name;
	uint8_t bytes;
} ops[] = {
#define OP(name, bytes) {#name, bytes},
    VM_OPS(OP)
#undef OP
};

static int write_file(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : -1;
}

#ifdef VM_LOG
static void write_pending(void)
{
	if (pending == 0)
		return;
	fwrite(&pending, 1, sizeof pending, log_file);
	pending = 0;
	bytecodes++;
}

void vm_log(uintptr_t place)
{
	write_pending();
	pending = (uint32_t)place;
}
#endif

int vm_failed(int error)
{
#ifdef VM_LOG
	pending = 0;
#endif
	RIVULET_VM_FAIL(&vm_unit, 0);
	return error;
}

static const char *name_of(const char *source)
{
	for (unsigned i = 0; i < PROGRAM_COUNT; i++)
		if (programs[i].source == source)
			return programs[i].name;
	return "broken";
}

/* Each label of the source begins a function; the first one begins at the code's start. */
static void write_functions(const char *source, const char *name, const struct vm *vm, size_t at)
{
	size_t label_at = 0;
	bool any = false;
	for (const char *word = source; *(word += strspn(word, " \n\t")) != '\0';) {
		const size_t length = strcspn(word, " \n\t");
		if (word[length - 1] == ':' && label_at == at) {
			fprintf(machine, "function %lx %s.%.*s\n", (unsigned long)vm_place(at), name, (int)length - 1,
			    word);
			any = true;
		} else if (word[length - 1] != ':') {
			const uint8_t bytes = ops[vm->code[label_at]].bytes;
			label_at += 1u + bytes;
			word += length;
			if (bytes > 0)
				word += strspn(word, " \n\t");
			word += bytes > 0 ? strcspn(word, " \n\t") : 0;
			continue;
		}
		word += length;
	}
	if (at == 0 && !any)
		fprintf(machine, "function %lx %s\n", (unsigned long)vm_place(0), name);
}

static bool is_called(const struct vm *vm, size_t place)
{
	for (size_t at = 0; at < vm->code_size; at += 1u + ops[vm->code[at]].bytes)
		if (vm->code[at] == VM_call && (vm->code[at + 1] | (size_t)vm->code[at + 2] << 8) == place)
			return true;
	return place == 0;
}

static void write_code(const struct vm *vm, const char *source, const char *name)
{
	for (size_t at = 0; at < vm->code_size; at += 1u + ops[vm->code[at]].bytes) {
		const unsigned op = vm->code[at], bytes = ops[op].bytes;
		int32_t value = 0;
		for (unsigned i = 0; i < bytes; i++)
			value |= (int32_t)((uint32_t)vm->code[at + 1 + i] << 8 * i);
		if (is_called(vm, at))
			write_functions(source, name, vm, at);
		fprintf(machine, "%lx %u 0 ", (unsigned long)vm_place(at), 2 * (1 + bytes));
		const unsigned long target = (unsigned long)vm_place(value);
		if (op == VM_jump || op == VM_jz || op == VM_call)
			fprintf(machine, "%s %lx %s %lx\n", op == VM_jz ? "branch" : ops[op].name, target, ops[op].name,
			    target);
		else if (op == VM_ret)
			fprintf(machine, "return ret\n");
		else if (bytes > 0)
			fprintf(machine, "next %s %ld\n", ops[op].name, (long)value);
		else
			fprintf(machine, "next %s\n", ops[op].name);
	}
}

void vm_loaded(const struct vm *vm, const char *source)
{
	unsigned i = 0;
	while (i < PROGRAMS - 1 && seen[i] != NULL && seen[i] != source)
		i++;
	vm_base = (i + 1) * SPACING;
	if (seen[i] == NULL && machine != NULL)
		write_code(vm, source, name_of(source));
	seen[i] = source;
}

int interp_main(int input);
#define app_main interp_main
#include "sw/apps/interp/app.c"
#undef app_main

#ifndef VM_LOG
static void count_record(void *taker, const struct record *r)
{
	table_add(taker, (uint32_t)r->start, (uint32_t)r->hist, r->reason, 1, 0, r->insns);
}

static void put_frame(void *context, const void *bytes, size_t size)
{
	(void)write_file(context, bytes, size);
}

static int run_all(int input)
{
	static uint8_t memory[32768] __attribute__((aligned(8)));
	struct table table;
	record_file = fopen("interp.prof", "w");
	if (record_file == NULL || table_init(&table, memory, sizeof memory, 0) < 0)
		return 1;
	vm_unit = (struct rivulet_vm){.record = count_record, .taker = &table};
	const int failed = interp_main(input);
	const struct profile_info info = {.xlen = 32,
	    .hist = RIVULET_VM_HIST,
	    .way = RUN_EVERY,
	    .period = 1,
	    .name = "interp",
	    .extras = true,
	    .instructions = vm_unit.bytecodes};
	profile_send(&info, &table, put_frame, record_file);
	return failed + (fclose(record_file) != 0);
}
#else
static int run_all(int input)
{
	machine = fopen("interp.machine", "w");
	record_file = fopen("interp.rvr", "w");
	log_file = fopen("interp.log", "w");
	if (machine == NULL || record_file == NULL || log_file == NULL)
		return 1;
	fprintf(machine, "rivulet machine 1\nbits %u\n", 8 * (unsigned)sizeof vm_base);
	vm_unit = (struct rivulet_vm){.record = rivulet_vm_records_put, .taker = &records};
	rivulet_vm_records_begin(&records, "interp", write_file, record_file);
	int failed = interp_main(input);
	write_pending();
	failed += !rivulet_vm_records_end(&records) || vm_unit.bytecodes != bytecodes;
	return failed + (fclose(machine) != 0) + (fclose(record_file) != 0) + (fclose(log_file) != 0);
}
#endif

#ifdef __riscv
int app_main(int input)
{
	return run_all(input);
}
#else
int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got != expected)
		printf("interp: %s: got 0x%x, expected 0x%x\n", what, got, expected);
	return got != expected;
}

int main(void)
{
	return run_all(APP_REF) == 0 ? 0 : 1;
}
#endif
