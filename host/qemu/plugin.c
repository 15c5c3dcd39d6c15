/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A plugin of qemu that forms traces as the trace unit does, one for each processor (a thread of the program), and counts
 * equal ones. qemu calls it for each block that it executes; a block has one transfer of control at most, at its end, so
 * where the next block begins is the outcome of the last one's branch.
 *
 *   block ──► next block     branch: taken or not; backward, indirect, 63 outcomes: the trace ends (docs/trace-unit.md, 5)
 *         ──► elsewhere      a fault, a signal: the trace ends with TRAP before the block, whose instructions are unknown
 *
 * Debian's qemu-user has no header for plugins, so what is used of the interface is declared here: version 1, as qemu
 * 7.1 to 8.2 have it. Arguments: out=FILE.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/record.h"
#include "host/qemu/capture.h"
#include "isa/isa.h"

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t qemu_plugin_id_t;
struct qemu_info { /* the beginning of qemu_info_t */
	const char *target_name;
};
enum { CALLBACK_READS_NOTHING = 0 };
typedef void plugin_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void plugin_executed(unsigned cpu, void *data);
typedef void plugin_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result);
typedef void plugin_ended(qemu_plugin_id_t id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, plugin_translated *translated);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, plugin_executed *executed, int reads, void *data);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id, plugin_returned *returned);
typedef void plugin_left(qemu_plugin_id_t id, unsigned cpu);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id, plugin_left *left);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, plugin_ended *ended, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t n);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_start_code(void);
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(
    qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

enum block_end { END_PLAIN, END_SYSTEM_CALL, END_BRANCH, END_JUMP, END_INDIRECT };

struct block {
	uint64_t start, last, behind, target;
	uint32_t insns;
	uint8_t end;            /* enum block_end */
	_Atomic uint32_t guess; /* slot of the trace that ended with it last, of any thread */
};

struct trace_slot { /* hist 0: free */
	uint64_t start, hist, count;
	uint32_t insns, reason;
};

enum { PROCESSORS = 4096 };
struct processor {
	struct block *before; /* the block that began last; NULL: none */
	uint64_t start, hist;
	uint32_t insns; /* of the trace, up to the block that began last */
	uint64_t executed, unknown;
	struct trace_slot *slots;
	size_t room, used;
};

static struct processor *processors[PROCESSORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *out_name;
static unsigned set;
static bool is_child;
static pid_t owner;

static void give_up(const char *why)
{
	fprintf(stderr, "rivulet: inside qemu: %s\n", why);
	_exit(125);
}

static size_t slot_of(const struct processor *p, uint64_t start, uint64_t hist, uint32_t insns, uint32_t reason)
{
	uint64_t x = (start ^ hist * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
	size_t at = (x ^ x >> 31) & (p->room - 1);
	while (p->slots[at].hist != 0 && (p->slots[at].start != start || p->slots[at].hist != hist ||
					     p->slots[at].insns != insns || p->slots[at].reason != reason))
		at = (at + 1) & (p->room - 1);
	return at;
}

static void widen(struct processor *p)
{
	struct processor old = *p;
	p->room = old.room == 0 ? 4096 : 2 * old.room;
	p->slots = calloc(p->room, sizeof *p->slots);
	if (p->slots == NULL)
		give_up("out of memory");
	for (size_t i = 0; i < old.room; i++) {
		const struct trace_slot *s = &old.slots[i];
		if (s->hist != 0)
			p->slots[slot_of(p, s->start, s->hist, s->insns, s->reason)] = *s;
	}
	free(old.slots);
}

/* The slot of the trace under way. A block mostly ends the same trace as the last time. */
static struct trace_slot *slot_for(struct processor *p, uint32_t reason)
{
	struct block *b = p->before;
	const uint32_t guess = b == NULL ? 0 : atomic_load_explicit(&b->guess, memory_order_relaxed);
	if (guess < p->room) {
		struct trace_slot *s = &p->slots[guess];
		if (s->start == p->start && s->hist == p->hist && s->insns == p->insns && s->reason == reason)
			return s;
	}
	if (2 * p->used >= p->room)
		widen(p);
	const size_t at = slot_of(p, p->start, p->hist, p->insns, reason);
	struct trace_slot *s = &p->slots[at];
	if (s->hist == 0) {
		*s = (struct trace_slot){p->start, p->hist, 0, p->insns, reason};
		p->used++;
	}
	if (b != NULL)
		atomic_store_explicit(&b->guess, (uint32_t)at, memory_order_relaxed);
	return s;
}

/* The trace ends, and has the instructions that are counted for it; what comes begins at `next`. */
static void end_trace(struct processor *p, enum trace_reason reason, uint64_t next)
{
	if (p->insns > 0)
		slot_for(p, reason)->count++;
	p->start = next;
	p->hist = 1;
	p->insns = 0;
}

/* The block before is over, and the next one is at `next`. */
static void finish_block(struct processor *p, uint64_t next)
{
	const struct block *b = p->before;
	const bool jumps = b->end == END_JUMP && next == b->target;
	const bool taken = jumps || (b->end == END_BRANCH && next == b->target && next != b->behind);
	if (b->end != END_INDIRECT && !taken && (next != b->behind || b->end == END_JUMP)) {
		end_trace(p, TRACE_TRAP, next);
		p->unknown += b->insns;
		return;
	}
	p->insns += b->insns;
	if (b->end == END_BRANCH)
		p->hist = p->hist << 1 | taken;
	if (taken && next <= b->last)
		end_trace(p, TRACE_BACKWARD, next);
	else if (b->end == END_INDIRECT)
		end_trace(p, TRACE_INDIRECT, next);
	else if (p->hist >> (CAPTURE_HIST - 1) != 0)
		end_trace(p, TRACE_FULL, next);
}

static void block_begins(unsigned cpu, void *data)
{
	struct block *b = data;
	struct processor *p = cpu < PROCESSORS ? processors[cpu] : NULL;
	if (p == NULL) {
		p = cpu < PROCESSORS ? calloc(1, sizeof *p) : NULL;
		if (p == NULL)
			give_up("too many threads, or out of memory");
		processors[cpu] = p;
	}
	if (p->before != NULL)
		finish_block(p, b->start);
	else
		end_trace(p, TRACE_TRAP, b->start);
	p->before = b;
	p->executed += b->insns;
}

static void block_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	const size_t count = qemu_plugin_tb_n_insns(tb);
	struct block *b = calloc(1, sizeof *b); /* for ever: the code that is translated names it */
	if (b == NULL)
		give_up("out of memory");
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	const size_t size = qemu_plugin_insn_size(last);
	uint64_t word = 0;
	memcpy(&word, qemu_plugin_insn_data(last), size < sizeof word ? size : sizeof word);
	struct isa_insn insn;
	isa_decode(word, set, &insn);
	*b = (struct block){
	    .start = qemu_plugin_tb_vaddr(tb), .last = qemu_plugin_insn_vaddr(last), .insns = (uint32_t)count};
	b->behind = b->last + size;
	if (insn.op == ISA_ECALL)
		b->end = END_SYSTEM_CALL;
	else if ((insn.class_bits & ISA_BRANCH) != 0)
		b->end = END_BRANCH;
	else if ((insn.class_bits & ISA_INDIRECT) != 0)
		b->end = END_INDIRECT;
	else if ((insn.class_bits & ISA_JUMP) != 0)
		b->end = END_JUMP;
	if (b->end == END_BRANCH || b->end == END_JUMP)
		b->target = isa_target(&insn, b->last);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_begins, CALLBACK_READS_NOTHING, b);
}

/* The first system call that returns in a child is the one that made it: until there the counts are the parent's. */
static void call_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result)
{
	(void)id, (void)number, (void)result;
	if (getpid() == owner)
		return;
	owner = getpid();
	is_child = true;
	for (size_t i = 0; i < PROCESSORS; i++) {
		struct processor *p = processors[i];
		if (p == NULL)
			continue;
		memset(p->slots, 0, p->room * sizeof *p->slots);
		p->used = p->insns = 0;
		p->executed = p->unknown = 0;
		if (i == cpu && p->before != NULL) /* the block that made the call was the parent's */
			end_trace(p, TRACE_TRAP, p->before->behind);
		p->before = NULL;
	}
}

/* It ended in a system call, at the end of its block, or was ended in the middle of one. */
static void finish(struct processor *p)
{
	if (p->before == NULL)
		return;
	if (p->before->end == END_SYSTEM_CALL)
		p->insns += p->before->insns;
	else
		p->unknown += p->before->insns;
	end_trace(p, TRACE_OFF, 0);
	p->before = NULL;
}

/* A thread: its number is another one's then. */
static void thread_ended(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	if (cpu < PROCESSORS && processors[cpu] != NULL)
		finish(processors[cpu]);
}

static void program_ended(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	char name[4096];
	snprintf(name, sizeof name, is_child ? "%s.%d" : "%s", out_name, (int)getpid());
	char part[4200];
	snprintf(part, sizeof part, "%s.part", name);
	FILE *out = fopen(part, "wb");
	struct capture_header h = {.magic = CAPTURE_MAGIC, .start_code = qemu_plugin_start_code()};
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < PROCESSORS; i++) {
		struct processor *p = processors[i];
		if (p == NULL)
			continue;
		finish(p);
		h.executed += p->executed;
		h.unknown += p->unknown;
		h.count += p->used;
	}
	bool good = out != NULL && fwrite(&h, sizeof h, 1, out) == 1;
	for (size_t i = 0; i < PROCESSORS && good; i++) {
		const struct processor *p = processors[i];
		for (size_t k = 0; p != NULL && k < p->room && good; k++) {
			const struct trace_slot *s = &p->slots[k];
			const struct capture_trace t = {s->start, s->hist, s->count, s->insns, s->reason};
			good = s->hist == 0 || fwrite(&t, sizeof t, 1, out) == 1;
		}
	}
	if (out == NULL || fclose(out) != 0 || !good || rename(part, name) != 0)
		fprintf(stderr, "rivulet: %s: cannot be written\n", name);
	pthread_mutex_unlock(&lock);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	set = ISA_EXT_I | ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D | ISA_EXT_C;
	if (info->target_name != NULL && strstr(info->target_name, "64") != NULL)
		set |= ISA_RV64;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "out=", 4) == 0)
			out_name = strdup(argv[i] + 4);
	}
	if (out_name == NULL) {
		fprintf(stderr, "rivulet: inside qemu: out=FILE is missing\n");
		return -1;
	}
	owner = getpid();
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, call_returned);
	qemu_plugin_register_vcpu_exit_cb(id, thread_ended);
	qemu_plugin_register_atexit_cb(id, program_ended, NULL);
	return 0;
}
