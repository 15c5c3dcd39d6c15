/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Traces over the bytecodes of Lua 5.4 (docs/machines.md), part of its lvm.c by tests/vm/lua.patch. LUA_VM=NAME in the
 * environment writes NAME.machine and NAME.rvr, and NAME.log if it is built with LUA_VM_LOG; without it records are
 * made and dropped. Each function has places of its own, in the order in which they are called first, so that they are
 * the same in every run, and a function that was collected gives its places to no other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ldebug.h"
#include "lopnames.h"
#define RIVULET_VM 1
#define RIVULET_VM_LENGTH 4
#include "sw/vm/records.h"

#define FIRST_PLACE 0x10000u

static struct rivulet_vm unit;
static struct rivulet_vm_records file;
static FILE *machine_file, *record_file;
#ifdef LUA_VM_LOG
static FILE *log_file;
#endif
static unsigned next_place = FIRST_PLACE;

static int write_records(void *context, const void *bytes, size_t size)
{
	return fwrite(bytes, 1, size, context) == size ? 0 : -1;
}

static void drop_record(void *taker, const struct record *record)
{
	(void)taker;
	(void)record;
}

static void finish_files(void)
{
	if (!rivulet_vm_records_end(&file) || fclose(record_file) != 0 || fclose(machine_file) != 0)
		fprintf(stderr, "lua: the records could not be written\n");
#ifdef LUA_VM_LOG
	fclose(log_file);
#endif
}

static FILE *create_file(const char *name, const char *ending)
{
	char path[4096];
	snprintf(path, sizeof path, "%s%s", name, ending);
	FILE *created = fopen(path, "wb");
	if (created == NULL) {
		perror(path);
		exit(2);
	}
	return created;
}

static void begin_files(void)
{
	const char *name = getenv("LUA_VM");
	unit.record = drop_record;
	if (name == NULL)
		return;
	machine_file = create_file(name, ".machine");
	record_file = create_file(name, ".rvr");
#ifdef LUA_VM_LOG
	log_file = create_file(name, ".log");
#endif
	fprintf(machine_file, "rivulet machine 1\nbits %u\n", 8 * (unsigned)sizeof(uintptr_t));
	rivulet_vm_records_begin(&file, "lua", write_records, record_file);
	unit.record = rivulet_vm_records_put;
	unit.taker = &file;
	atexit(finish_files);
}

/* What a bytecode does with the pc, and the index that it names; -1: none. */
static const char *kind_of(const Proto *p, int at, int *target)
{
	const Instruction i = p->code[at];
	const OpCode op = GET_OPCODE(i);
	*target = -1;
	switch (op) {
	case OP_JMP:
		*target = at + 1 + GETARG_sJ(i);
		return "jump";
	case OP_LFALSESKIP:
		*target = at + 2;
		return "jump";
	case OP_TFORPREP:
		*target = at + 1 + GETARG_Bx(i);
		return "jump";
	case OP_FORLOOP:
	case OP_TFORLOOP:
		*target = at + 1 - GETARG_Bx(i);
		return "branch";
	case OP_FORPREP:
		*target = at + 2 + GETARG_Bx(i);
		return "branch";
	case OP_CALL:
	case OP_TFORCALL:
		return "call-any";
	case OP_TAILCALL:
		return "jump-any";
	case OP_RETURN:
	case OP_RETURN0:
	case OP_RETURN1:
		return "return";
	default: /* arithmetic skips the call of a metamethod behind it, a test the jump behind it */
		if ((op >= OP_ADDI && op <= OP_SHR) || (op >= OP_EQ && op <= OP_TESTSET)) {
			*target = at + 2;
			return "branch";
		}
		return "next";
	}
}

static void write_function(lua_State *L, CallInfo *ci, const Proto *p)
{
	const char *source = p->source == NULL ? "?" : getstr(p->source), *slash = strrchr(source, '/');
	lua_Debug ar = {.i_ci = ci};
	lua_getinfo(L, "n", &ar);
	const bool is_file = *source == '@';
	const char *base = slash != NULL ? slash + 1 : source + is_file;
	fprintf(machine_file, "source %.200s\nfunction %x ", is_file ? source + 1 : "", p->place);
	if (p->linedefined == 0)
		fprintf(machine_file, "main");
	else
		fprintf(machine_file, "%s", ar.name == NULL ? "function" : ar.name);
	fprintf(machine_file, "@%.60s:%d\n", is_file ? base : "chunk", p->linedefined);
	for (int at = 0; at < p->sizecode; at++) {
		const Instruction i = p->code[at];
		int target;
		const char *kind = kind_of(p, at, &target);
		fprintf(machine_file, "%x 4 %d %s ", p->place + 4 * (unsigned)at, luaG_getfuncline(p, at), kind);
		if (target >= 0)
			fprintf(machine_file, "%x ", p->place + 4 * (unsigned)target);
		fprintf(machine_file, "%s %d %d %d\n", opnames[GET_OPCODE(i)], GETARG_A(i), GETARG_B(i), GETARG_C(i));
	}
}

/* Gives a function its places, when it is called first. */
static void place_function(lua_State *L, CallInfo *ci, Proto *p)
{
	if (next_place == FIRST_PLACE)
		begin_files();
	p->place = next_place;
	next_place += 4u * (unsigned)p->sizecode;
	if (machine_file != NULL)
		write_function(L, ci, p);
}

static uintptr_t place_in(const CallInfo *ci)
{
	const Proto *p = clLvalue(s2v(ci->func))->p;
	return p->place + 4u * (uintptr_t)(ci->u.l.savedpc - 1 - p->code);
}

static const CallInfo *innermost_function(const CallInfo *ci)
{
	while (ci != NULL && !isLua(ci))
		ci = ci->previous;
	return ci;
}

/* luaV_execute() begins within a bytecode of another one (a metamethod, a finaliser): its place, or 0. */
static uintptr_t enter_function(const CallInfo *ci)
{
	const CallInfo *caller = unit.open ? innermost_function(ci->previous) : NULL;
	if (caller == NULL)
		return 0;
	const uintptr_t place = place_in(caller);
	(void)RIVULET_VM_ENTER(&unit, place);
	return place;
}

/* An error leaves the bytecode that runs. */
void lua_vm_throw(lua_State *L)
{
	const CallInfo *ci = unit.open ? innermost_function(L->ci) : NULL;
	if (ci != NULL)
		RIVULET_VM_FAIL(&unit, place_in(ci));
}

/* In luaV_execute(): places of the function that runs. */
#define VM_PLACE(at) (vm_places + (uintptr_t)(at))
#ifdef LUA_VM_LOG
static void log_place(uintptr_t place)
{
	const uint32_t word = (uint32_t)place;
	if (log_file != NULL)
		fwrite(&word, sizeof word, 1, log_file);
}
/* A bytecode is in the log when it has ended, or where it leaves its function. */
#define VM_LOCALS                                                                                                      \
	uintptr_t vm_places = 0;                                                                                       \
	const Instruction *vm_last = NULL;
#define VM_ENDED() (vm_last != NULL ? (log_place(VM_PLACE(vm_last)), (void)(vm_last = NULL)) : (void)0)
#define VM_BEGINS(at) (VM_ENDED(), (void)(vm_last = (at)))
#else
#define VM_LOCALS uintptr_t vm_places = 0;
#define VM_ENDED() ((void)0)
#define VM_BEGINS(at) ((void)0)
#endif
#define VM_GO_ON(at)                                                                                                   \
	{                                                                                                              \
		if (l_unlikely(cl->p->place == 0))                                                                     \
			place_function(L, ci, cl->p);                                                                  \
		vm_places = cl->p->place - (uintptr_t)cl->p->code;                                                     \
		RIVULET_VM_AT(&unit, VM_PLACE(at));                                                                    \
	}
#define VM_GO_BACK(at) RIVULET_VM_AT(&unit, VM_PLACE(at)) /* behind a call of a function of C */
#define VM_LEAVES() (VM_ENDED(), RIVULET_VM_INDIRECT(&unit, VM_PLACE(pc - 1)))
/* The bytecode before pc goes to target if taken. */
#define VM_BRANCH(target, taken) RIVULET_VM_BRANCH(&unit, VM_PLACE(pc - 1), VM_PLACE(pc), VM_PLACE(target), taken)
#define VM_BRANCHED(from, target) /* the same when pc may have changed since `from` */                                 \
	RIVULET_VM_BRANCH(&unit, VM_PLACE((from)-1), VM_PLACE(from), VM_PLACE(target), pc != (from))
#define VM_JUMP(from, target) RIVULET_VM_JUMP(&unit, VM_PLACE(from), VM_PLACE(target))
#define VM_SKIP() (VM_BRANCH(pc + 1, true), pc++)
#define VM_NO_SKIP() /* in the bytecode behind one that did not */                                                     \
	RIVULET_VM_BRANCH(&unit, VM_PLACE(pc - 2), VM_PLACE(pc - 1), VM_PLACE(pc), false)
