/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * A plugin of qemu that forms traces as the trace unit does, one for each processor (a thread of the program), and
 * counts equal ones. qemu calls it for each block that it executes; a block has one transfer of control at most, at its
 * end, so where the next block begins is the outcome of the last one's branch.
 *
 *   block ──► next block     branch: taken or not; backward, indirect, 63 outcomes: the trace ends (docs/trace-unit.md,
 *                            5)
 *         ──► elsewhere      a fault, a signal: the trace ends with TRAP before the block, whose instructions are
 *                            unknown
 *         ──► other code     a file's code goes on in code that was made at run time: the trace ends with GAP behind it
 *
 * All that is counted lies in memory shared with the command (host/qemu/capture.h), so that it is there however the
 * program ends. Arguments: memory=FILE, program=N (plugin_exec.c), of a system code=FILE, log=FILE (plugin_system.c).
 */
#define _GNU_SOURCE /* RTLD_DEFAULT, O_CLOEXEC */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "common/record.h"
#include "host/qemu/plugin.h"
#include "isa/isa.h"

PLUGIN_EXPORT int qemu_plugin_version = 1;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv);

enum { CALL_EXECVE = 221, CALL_EXECVEAT = 281 };
struct capture_file *capture;
struct processor *processors[PROCESSORS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char memory_name[256];
struct plugin_state plugin;
static bool ordered;
static unsigned full_at = CAPTURE_HIST - 1; /* the bit of a history that ends its trace */
static uint32_t process;
static volatile bool forked;
static bool continues; /* this process was another program; until its first processor is there */

_Noreturn void capture_give_up(enum capture_failure why)
{
	if (capture != NULL)
		atomic_store(&capture->failure, (uint32_t)why);
	_exit(125);
}

/* ---------------------------------------------------------------- keys and order */

static size_t place_of(const struct processor *p, uint64_t start, uint64_t hist, uint32_t insns, uint32_t reason)
{
	const uint64_t x = (start ^ hist * UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
	size_t at = (x ^ x >> 31) & (p->room - 1);
	for (; p->table[at] != 0; at = (at + 1) & (p->room - 1)) {
		const struct capture_key *k = &p->keys[p->table[at] - 1];
		if (k->start == start && k->hist == hist && k->insns == insns && k->reason == reason)
			break;
	}
	return at;
}

static void widen(struct processor *p)
{
	free(p->table);
	p->room = p->room == 0 ? 1024 : 2 * p->room;
	p->table = calloc(p->room, sizeof *p->table);
	if (p->table == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	const uint32_t count = atomic_load_explicit(&p->shared.keys, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		const struct capture_key *k = &p->keys[i];
		p->table[place_of(p, k->start, k->hist, k->insns, k->reason)] = i + 1;
	}
}

/* The key of the trace under way. */
static uint32_t search_key(struct processor *p, uint32_t reason)
{
	const struct capture_state *r = &p->shared.now;
	const uint32_t count = atomic_load_explicit(&p->shared.keys, memory_order_relaxed);
	if (2 * (size_t)count >= p->room)
		widen(p);
	const size_t at = place_of(p, r->start, r->hist, r->insns, reason);
	if (p->table[at] == 0) {
		if (count == CAPTURE_KEYS_MAX)
			capture_give_up(CAPTURE_NO_KEYS);
		p->keys[count] = (struct capture_key){r->start, r->hist, 0, r->insns, reason};
		atomic_store_explicit(&p->shared.keys, count + 1, memory_order_release);
		p->table[at] = count + 1;
	}
	return p->table[at] - 1;
}

/* Nobody takes what is counted any more: the program runs on without. */
static bool reader_gone(void)
{
	return atomic_load(&capture->reader_gone) != 0 || (kill((pid_t)capture->reader, 0) != 0 && errno == ESRCH);
}

/* Waits for room in the ring. False: nobody makes any. */
static bool await_reader(const struct capture_region *r, uint64_t at)
{
	const struct timespec pause = {.tv_nsec = 50000};
	for (unsigned i = 1; at - atomic_load_explicit(&r->taken, memory_order_acquire) >= CAPTURE_RING; i++) {
		if (i % 256 == 0 && reader_gone())
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* False: there is no room, and nobody makes any: order ends here. */
static __attribute__((noinline)) bool find_room(struct processor *p, uint64_t at)
{
	ordered = await_reader(&p->shared, at);
	p->ring_full = atomic_load_explicit(&p->shared.taken, memory_order_acquire) + CAPTURE_RING;
	return ordered;
}

void push_run(struct processor *p, uint32_t key)
{
	struct capture_region *r = &p->shared;
	if (!ordered)
		return;
	if (r->times > 0) {
		const uint64_t at = atomic_load_explicit(&r->pushed, memory_order_relaxed);
		if (__builtin_expect(at == p->ring_full, 0) && !find_room(p, at))
			return;
		atomic_store_explicit(
		    &p->ring[at & (CAPTURE_RING - 1)], r->last | (uint64_t)r->times << 32, memory_order_relaxed);
		atomic_store_explicit(&r->pushed, at + 1, memory_order_release);
	}
	r->last = key;
	r->times = 1;
}

/* ---------------------------------------------------------------- traces */

void end_trace(struct processor *p, enum trace_reason reason, uint64_t next)
{
	struct capture_state *now = &p->shared.now;
	if (now->insns > 0) {
		const uint32_t key = search_key(p, reason);
		p->keys[key].count++;
		p->ended = key + 1;
		if (ordered)
			push_trace(p, key);
	}
	now->start = next;
	now->hist = 1;
	now->insns = 0;
}

/* The block before did not go on as its last instruction says, or not in the same file. */
static void leave_block(struct processor *p, uint64_t next)
{
	struct capture_state *r = &p->shared.now;
	const struct block *b = p->before;
	const uint64_t at = CAPTURE_ADDRESS(next);
	const bool taken = (b->end == END_BRANCH || b->end == END_JUMP) && at == CAPTURE_ADDRESS(b->target);
	if (plugin.whole_system && system_leaves(p, next))
		return;
	if (taken || (at == CAPTURE_ADDRESS(b->behind) && b->end != END_JUMP)) {
		if (b->end == END_BRANCH)
			r->hist = r->hist << 1 | taken;
		r->insns += b->insns;
		end_trace(p, TRACE_GAP, next);
	} else if (b->end == END_SYSTEM_CALL && p->returned) { /* a signal came behind a system call */
		r->insns += b->insns;
		end_trace(p, TRACE_TRAP, next);
	} else {
		end_trace(p, TRACE_TRAP, next);
		p->shared.unknown += b->insns;
	}
}

bool finish_block(struct processor *p, uint64_t next)
{
	const struct block *b = p->before;
	struct capture_state *r = &p->shared.now;
	const bool jumps = b->end == END_JUMP && next == b->target;
	const bool taken = jumps || (b->end == END_BRANCH && next == b->target && next != b->behind);
	if (b->end < END_INDIRECT && !taken && (next != b->behind || b->end == END_JUMP)) {
		leave_block(p, next);
		return false;
	}
	if (b->end == END_INDIRECT && b->faults && handler_begins(next)) {
		end_trace(p, TRACE_TRAP, next);
		p->shared.unknown += b->insns;
		return false;
	}
	r->insns += b->insns;
	if (b->end == END_BRANCH)
		r->hist = r->hist << 1 | taken;
	if (taken && next <= b->last)
		end_trace(p, TRACE_BACKWARD, next);
	else if (b->end >= END_INDIRECT)
		end_trace(p, b->end == END_INDIRECT ? TRACE_INDIRECT : TRACE_XRET, next);
	else if (r->hist >> full_at != 0)
		end_trace(p, TRACE_FULL, next);
	else if (b->alone)
		end_trace(p, TRACE_GAP, next);
	return true;
}

/* ---------------------------------------------------------------- the shared memory */

/* Opens it for a moment only: the program may close all files, or use their numbers. */
static void *map_beginning(void)
{
	const int file = open(memory_name, O_RDWR | O_CLOEXEC);
	void *at = file < 0
		       ? MAP_FAILED
		       : mmap(NULL, CAPTURE_REGIONS_AT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
	if (file >= 0)
		close(file);
	return at == MAP_FAILED ? NULL : at;
}

/* What lies further on in the same memory is mapped from what is mapped: a daemon that has changed its user or its root
 * can open nothing any more. mremap() of no bytes makes a second mapping, which begins at the same place of the memory
 * and may be longer than the first; what is before the part that is wanted goes at once. STRIDE is what fits into
 * addresses beside a program, so a part that is far away takes steps:
 *
 *   capture │────────│
 *           │──── one stride ────│  └─ its last page, from which the next step begins
 */
#define MEMORY_PAGE UINT64_C(4096)
#define MEMORY_STRIDE (UINT64_C(1) << 43)
static void *map_further(uint64_t offset, uint64_t size)
{
	char *from = (char *)capture;
	while (from != NULL && offset > 0) {
		const uint64_t step = offset < MEMORY_STRIDE ? offset : MEMORY_STRIDE;
		const uint64_t kept = step == offset ? size : MEMORY_PAGE;
		char *wide = mremap(from, 0, step + kept, MREMAP_MAYMOVE);
		if (wide != MAP_FAILED)
			munmap(wide, step);
		if (from != (char *)capture)
			munmap(from, MEMORY_PAGE);
		from = wide == MAP_FAILED ? NULL : wide + step;
		offset -= step;
	}
	return from;
}

struct processor *new_processor(unsigned cpu)
{
	const uint32_t number = cpu < PROCESSORS ? atomic_fetch_add(&capture->regions, 1) : CAPTURE_REGIONS_MAX;
	if (number >= CAPTURE_REGIONS_MAX)
		capture_give_up(CAPTURE_NO_REGIONS);
	pthread_mutex_lock(&lock);
	struct processor *p = map_further(CAPTURE_REGIONS_AT + number * CAPTURE_REGION_SIZE, CAPTURE_REGION_SIZE);
	pthread_mutex_unlock(&lock);
	if (p == NULL && reader_gone()) {
		void *own = mmap(NULL, CAPTURE_REGION_SIZE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		p = own == MAP_FAILED ? NULL : own;
		atomic_fetch_add(&capture->uncounted, 1);
	}
	if (p == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	if (forked || continues) { /* the first of a child: the others are its parent's */
		p->shared.continues = continues;
		forked = continues = false;
		process = number;
	}
	p->keys = (struct capture_key *)((char *)p + CAPTURE_KEYS_AT);
	p->ring = (_Atomic uint64_t *)((char *)p + CAPTURE_RING_AT);
	p->ring_full = CAPTURE_RING;
	p->nodes = (struct capture_node *)((char *)p + CAPTURE_NODES_AT);
	p->states = (struct capture_state *)((char *)p + CAPTURE_STATES_AT);
	p->shared.node = p->shared.nodes = (uintptr_t)p->nodes;
	atomic_store(&p->shared.node_count, 1);
	p->shared.process = process;
	p->shared.program = program_number;
	p->shared.pid = (uint32_t)getpid();
	p->shared.cpu = cpu;
	p->thread = pthread_self();
	p->shared.now.hist = 1;
	silent_begin(p);
	widen(p);
	atomic_store_explicit(&p->shared.state, CAPTURE_LIVE, memory_order_release);
	processors[cpu] = p;
	return p;
}

bool block_begins_anew(struct processor *p, struct block *b)
{
	const enum trace_reason broken = b->check ? system_begins(p, b) : TRACE_NONE;
	bool regular = false;
	if (broken != TRACE_NONE)
		end_trace(p, broken, b->start);
	else if (p->before == NULL)
		end_trace(p, TRACE_TRAP, b->start);
	else if (!(regular = finish_block(p, b->start)) && plugin.whole_system)
		system_entry(b);
	p->before = b;
	p->returned = false;
	return regular;
}

/* ---------------------------------------------------------------- system calls, threads, ends */

static struct processor *processor_of(unsigned cpu)
{
	return cpu < PROCESSORS ? processors[cpu] : NULL;
}

static void call_begins(qemu_plugin_id_t id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
    uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)a5, (void)a6, (void)a7, (void)a8;
	struct processor *p = processor_of(cpu);
	maps_called(number, a3);
	exec_called(number);
	handler_set(number, a2, (plugin.set & ISA_RV64) != 0);
	if (number != CALL_EXECVE && number != CALL_EXECVEAT)
		return;
	if (p != NULL)
		atomic_store(&p->shared.replaced, CAPTURE_REPLACED);
	if (number == CALL_EXECVE)
		exec_follow(p, AT_FDCWD, a1, a2, a3);
	else
		exec_follow(p, (int32_t)a1, a2, a3, a4);
}

static void in_child(void)
{
	forked = true;
}

/* The first system call that returns in a child of fork() is the one that made it: until there nothing was counted.
 * The parent's regions are shared, and the parent runs on: where its tables are may have changed since, so they are
 * never freed here. */
static void call_returned(qemu_plugin_id_t id, unsigned cpu, int64_t number, int64_t result)
{
	(void)id, (void)number, (void)result;
	struct processor *p = processor_of(cpu);
	if (forked) {
		for (size_t i = 0; i < PROCESSORS; i++) {
			if (processors[i] != NULL)
				munmap(processors[i], CAPTURE_REGION_SIZE);
			processors[i] = NULL;
		}
		silent_processor = NULL;
		forget_roots();
		new_processor(cpu);
	} else if (p != NULL) {
		p->returned = true;
		if (atomic_load_explicit(&p->shared.replaced, memory_order_relaxed) != 0)
			atomic_store(&p->shared.replaced, CAPTURE_SAME);
	}
}

/* It ended in a system call, at the end of its block, or was ended in the middle of one. whole: at its end. */
static void finish(struct processor *p, bool whole)
{
	if (p->before != NULL) {
		if (whole || p->before->end == END_SYSTEM_CALL)
			p->shared.now.insns += p->before->insns;
		else
			p->shared.unknown += p->before->insns;
		end_trace(p, TRACE_OFF, 0);
		p->before = NULL;
	}
	give_state(p);
}

/* A thread: its number is another one's then. */
static void thread_ended(qemu_plugin_id_t id, unsigned cpu)
{
	(void)id;
	struct processor *p = processor_of(cpu);
	if (p == NULL || forked || plugin.whole_system)
		return;
	edges_settle(p);
	take_state(p);
	finish(p, false);
}

static void program_ended(qemu_plugin_id_t id, void *data)
{
	(void)id, (void)data;
	for (size_t i = 0; i < PROCESSORS && !forked; i++) {
		if (processors[i] == NULL)
			continue;
		edges_settle(processors[i]);
		take_state(processors[i]);
		finish(processors[i], plugin.whole_system && system_ends(processors[i]));
		atomic_store_explicit(&processors[i]->shared.state, CAPTURE_ENDED, memory_order_release);
	}
}

void plugin_register(qemu_plugin_id_t id)
{
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	if (!plugin.whole_system) {
		qemu_plugin_register_vcpu_syscall_cb(id, call_begins);
		qemu_plugin_register_vcpu_syscall_ret_cb(id, call_returned);
	}
	qemu_plugin_register_vcpu_exit_cb(id, thread_ended);
	qemu_plugin_register_atexit_cb(id, program_ended, NULL);
}

/* qemu asks for the version before it calls anything. 9.0 and later take none below 2. */
__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new") != NULL)
		qemu_plugin_version = 2;
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info *info, int argc, char **argv)
{
	plugin.set = ISA_EXT_I | ISA_EXT_M | ISA_EXT_A | ISA_EXT_F | ISA_EXT_D | ISA_EXT_C | ISA_EXT_S;
	if (info->target_name != NULL && strstr(info->target_name, "64") != NULL)
		plugin.set |= ISA_RV64;
	plugin.whole_system = info->system_emulation;
	plugin.interface_version = info->version.cur;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "memory=", 7) == 0)
			snprintf(memory_name, sizeof memory_name, "%s", argv[i] + 7);
	}
	capture = map_beginning();
	if (capture == NULL || capture->magic != CAPTURE_MAGIC ||
	    !exec_take_arguments(argc, argv, (plugin.set & ISA_RV64) != 0) ||
	    (plugin.whole_system && !system_take_arguments(argc, argv))) {
		fprintf(stderr, "rivulet: inside qemu: %s: cannot be used\n",
		    memory_name[0] == '\0' ? "memory=FILE" : memory_name);
		return -1;
	}
	if (capture->system != 0 && !plugin.whole_system) {
		atomic_store(&capture->no_system, 1);
		return -1;
	}
	continues = atomic_load(&capture->installed) != 0; /* else it is the first */
	ordered = capture->order != 0;
	plugin.edges_alone = capture->edges != 0;
	if (plugin.edges_alone)
		full_at = CAPTURE_EDGES_HIST - 1;
	atomic_store(&capture->installed, 1 + (uint32_t)qemu_plugin_version);
	pthread_atfork(NULL, NULL, in_child);
	if (!plugin.whole_system && plugin.edges_alone)
		silent_install(id);
	plugin_register(id);
	return 0;
}
