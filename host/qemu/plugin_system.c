/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Whole systems. What qemu's interface for plugins does not have, its log says (-d in_asm,int), which comes by a
 * pipe and is read here: the privilege mode of each block, since qemu translates code for each mode anew,
 * and where each trap came:
 *
 *   block is translated ──► log "Priv: 3", its address         its mode, known before it runs for the first time
 *   trap                ──► log "hart:0, async:1, ..., epc:"    async: the block before is over, and epc behind it;
 *                                                               else what it has before epc ran
 *
 * The log is looked at where it must be: when a block is translated, runs for the first time, begins behind a trap as
 * it did before, or is not where the block before goes on. With -icount qemu ends blocks at devices: there each block's
 * last instruction says that it was reached. Without a log modes are not known, and of a block that a trap cut short
 * not how much of it ran. Addresses of traps are taken only if the block has them.
 *
 * Code is of a program if its bytes are those of the program's file; else it is other code, of which each block is
 * counted by itself.
 */
#define _GNU_SOURCE /* O_CLOEXEC, nanosleep() */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "host/qemu/plugin.h"
#include "isa/isa.h"

enum { HARTS = 512, TRAPS = 8, PENDING = 64, LOG_LINE = 4096 };

struct system_block {
	uint64_t address; /* where it is, all bits */
	uint64_t object;
	enum capture_mode mode;
	uint8_t logged_modes; /* bit n: a translation at its address was logged in mode n since its own began */
	uint8_t logged;       /* how many were */
	bool placed;          /* what is known is in the block's addresses */
	bool entry;           /* it has begun behind a trap */
	uint16_t offsets[];   /* of its instructions */
};

static struct {
	struct system_trap {
		uint64_t epc;
		bool interrupt, fetch; /* fetch: of the instruction behind the block */
	} all[TRAPS];
	unsigned count;
} traps[HARTS];

static const struct capture_code *code;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *pending[PENDING]; /* translated, and not yet in the log */
static unsigned pending_count;

/* ---------------------------------------------------------------- the log */

static struct {
	int file;
	char text[LOG_LINE];
	size_t left; /* of a line that is not whole */
	unsigned long mode;
	bool begun; /* the address of the block comes next */
} qemu_log = {.file = -1};

/* Threads that translate at the same address at the same time: the log does not say which of them a line means. Each
 * has its own in the log before it runs, so lines that agree are enough; behind as many lines as threads none is to
 * come. */
static void take_block_mode(uint64_t address, enum capture_mode mode)
{
	unsigned kept = 0, found = 0;
	for (unsigned i = 0; i < pending_count; i++)
		found += pending[i]->system->address == address;
	for (unsigned i = 0; i < pending_count; i++) {
		struct system_block *s = pending[i]->system;
		if (s->address == address) {
			s->logged_modes |= (uint8_t)(1u << mode);
			s->mode = s->logged_modes == 1u << mode ? mode : CAPTURE_MODE_UNKNOWN;
			s->logged++;
		}
		if (s->address != address || s->logged < found)
			pending[kept++] = pending[i];
	}
	pending_count = kept;
}

static void take_logged_trap(const char *words)
{
	unsigned long long hart, async, cause, epc;
	if (sscanf(words, "hart:%llu, async:%llu, cause:%llx, epc:%llx", &hart, &async, &cause, &epc) != 4 ||
	    hart >= HARTS)
		return;
	if (traps[hart].count == TRAPS) /* a handler that cannot run: the first ones count */
		traps[hart].count--;
	const bool fetch = cause == 1 || cause == 12 || cause == 20;
	traps[hart].all[traps[hart].count++] = (struct system_trap){epc, async != 0, async == 0 && fetch};
}

static void take_log_line(char *line)
{
	static const char trap[] = "riscv_cpu_do_interrupt: ";
	if (strncmp(line, "Priv: ", 6) == 0) {
		qemu_log.mode = strtoul(line + 6, NULL, 10);
		qemu_log.begun = true;
	} else if (qemu_log.begun && strncmp(line, "0x", 2) == 0) {
		qemu_log.begun = false;
		take_block_mode(strtoull(line, NULL, 16),
		    qemu_log.mode > CAPTURE_MACHINE ? CAPTURE_MODE_UNKNOWN : (enum capture_mode)qemu_log.mode);
	} else if (strncmp(line, trap, sizeof trap - 1) == 0)
		take_logged_trap(line + sizeof trap - 1);
}

/* Reads what has come, and waits for nothing. */
static void read_qemu_log(void)
{
	ssize_t got;
	while (qemu_log.file >= 0 &&
	       (got = read(qemu_log.file, qemu_log.text + qemu_log.left, sizeof qemu_log.text - qemu_log.left)) > 0) {
		char *line = qemu_log.text, *end;
		size_t left = qemu_log.left + (size_t)got;
		while ((end = memchr(line, '\n', left)) != NULL) {
			*end = '\0';
			take_log_line(line);
			left -= (size_t)(end + 1 - line);
			line = end + 1;
		}
		memmove(qemu_log.text, line, left);
		qemu_log.left = left == sizeof qemu_log.text ? 0 : left; /* no line is so long */
		atomic_store_explicit(&capture->log_read, 1, memory_order_relaxed);
	}
}

/* A system that traps for ever, and runs no block, writes and writes. When the pipe is full qemu waits for this thread,
 * maybe with locks of its own: who holds `lock' here must not wait for qemu. */
static void *empty_log(void *unused)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	for (;;) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		read_qemu_log();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

bool system_take_arguments(int argc, char **argv)
{
	struct stat status;
	int file = -1;
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "code=", 5) == 0)
			file = open(argv[i] + 5, O_RDONLY | O_CLOEXEC);
		else if (strncmp(argv[i], "log=", 4) == 0)
			qemu_log.file = open(argv[i] + 4, O_RDWR | O_NONBLOCK | O_CLOEXEC); /* it never ends */
	}
	if (file < 0)
		return false;
	void *at =
	    fstat(file, &status) == 0 ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
	close(file);
	if (at == MAP_FAILED)
		return false;
	code = at;
	const bool other = capture->system != ((plugin.set & ISA_RV64) != 0 ? 64u : 32u);
	atomic_store(&capture->other_width, other);
	pthread_t reader;
	if (qemu_log.file >= 0 && pthread_create(&reader, NULL, empty_log, NULL) != 0)
		return false;
	return code->magic == CAPTURE_CODE_MAGIC && !other;
}

/* ---------------------------------------------------------------- blocks */

/* The program that has these bytes there. */
static uint64_t block_object(const struct qemu_plugin_tb *tb, uint64_t start, uint64_t size)
{
	const size_t count = qemu_plugin_tb_n_insns(tb);
	for (uint64_t i = 0; i < code->count; i++) {
		const struct capture_segment *s = &code->segments[i];
		if (start - s->address >= s->size || size > s->size - (start - s->address))
			continue;
		const uint8_t *bytes = (const uint8_t *)code + s->bytes + (start - s->address);
		bool same = true;
		for (size_t n = 0; n < count && same; n++) {
			const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, n);
			const size_t length = qemu_plugin_insn_size(insn);
			const uint64_t word = plugin_word(insn, length);
			same = memcmp(bytes, &word, length < sizeof word ? length : sizeof word) == 0;
			bytes += length;
		}
		if (same)
			return s->object;
	}
	return CAPTURE_SYSTEM_OTHER;
}

void system_translated(struct block *b, const struct qemu_plugin_tb *tb)
{
	struct system_block *s = calloc(1, sizeof *s + b->insns * sizeof *s->offsets);
	if (s == NULL)
		capture_give_up(CAPTURE_NO_MEMORY);
	const uint64_t sign = b->start >> (CAPTURE_SPACE - 1), all = capture->system == 64 ? 0x1FFFF : 0;
	s->address = b->start;
	s->object = sign == 0 || sign == all ? block_object(tb, b->start, b->behind - b->start) : 0;
	s->mode = CAPTURE_MODE_UNKNOWN;
	for (uint32_t i = 0; i < b->insns; i++)
		s->offsets[i] = (uint16_t)(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i)) - b->start);
	b->system = s;
	b->alone = s->object == 0 || s->object == CAPTURE_SYSTEM_OTHER;
	b->check = true;
	pthread_mutex_lock(&lock);
	read_qemu_log();
	if (qemu_log.file >= 0 && pending_count < PENDING)
		pending[pending_count++] = b;
	pthread_mutex_unlock(&lock);
}

/* When it runs for the first time: its mode is in the log. If threads translated its address at once for different
 * modes, it is that of the block before, unless that returned from a trap or was left by one. */
static void place_block(struct block *b, const struct block *before, bool trapped)
{
	struct system_block *s = b->system;
	if (s->mode == CAPTURE_MODE_UNKNOWN && before != NULL && before->end != END_RETURN && !trapped)
		s->mode = before->system->mode;
	const uint64_t space = ((uint64_t)s->mode << 14 | s->object) << CAPTURE_SPACE;
	unsigned kept = 0;
	for (unsigned i = 0; i < pending_count; i++) {
		if (pending[i] != b)
			pending[kept++] = pending[i];
	}
	pending_count = kept;
	b->start = CAPTURE_ADDRESS(b->start) | space;
	b->last = CAPTURE_ADDRESS(b->last) | space;
	b->behind = CAPTURE_ADDRESS(b->behind) | space;
	b->target = CAPTURE_ADDRESS(b->target) | space;
	s->placed = true;
}

/* ---------------------------------------------------------------- traps */

/* The instructions of a block before this address; all of them: it is not in the block. */
static uint32_t insns_before(const struct block *b, uint64_t address)
{
	uint32_t n = 0;
	while (n < b->insns && CAPTURE_ADDRESS(b->start + b->system->offsets[n]) != CAPTURE_ADDRESS(address))
		n++;
	return n;
}

static bool may_go_on(const struct block *b, uint64_t address)
{
	const uint64_t at = CAPTURE_ADDRESS(address);
	if (b->end >= END_INDIRECT)
		return true;
	return (b->end != END_JUMP && at == CAPTURE_ADDRESS(b->behind)) ||
	       ((b->end == END_JUMP || b->end == END_BRANCH) && at == CAPTURE_ADDRESS(b->target));
}

/* What ran of the block before the address did. */
static bool cut_block(struct processor *p, uint64_t address)
{
	const uint32_t n = insns_before(p->before, address);
	if (n == p->before->insns)
		return false;
	p->shared.now.insns += n;
	return true;
}

/* Counts what ran of the block before until the trap. False: the trap cannot have been there. */
static bool trap_block(struct processor *p, const struct system_trap *t)
{
	const struct block *b = p->before;
	if ((t->interrupt || t->fetch) && may_go_on(b, t->epc)) {
		finish_block(p, CAPTURE_ADDRESS(t->epc) | (b->start & ~CAPTURE_ADDRESS(UINT64_MAX)));
		return true;
	}
	return !t->fetch && cut_block(p, t->epc);
}

/* Of the traps that came since the log was looked at, the last that can have been in the block before, or behind it:
 * another one behind that was taken before any block ran. */
static bool take_traps(struct processor *p)
{
	const uint32_t hart = p->shared.cpu;
	bool taken = false;
	if (hart >= HARTS)
		return false;
	for (unsigned i = traps[hart].count; i > 0 && !taken && p->before != NULL; i--)
		taken = trap_block(p, &traps[hart].all[i - 1]);
	traps[hart].count = 0;
	return taken;
}

enum trace_reason system_begins(struct processor *p, struct block *b)
{
	const bool broken = capture->breaks != 0 && p->before != NULL && !p->reached;
	p->reached = false;
	if (!broken && b->system->placed && !b->system->entry)
		return TRACE_NONE;
	pthread_mutex_lock(&lock);
	read_qemu_log();
	const bool trapped = take_traps(p);
	if (!b->system->placed)
		place_block(b, p->before, trapped);
	b->system->entry = b->system->entry || trapped;
	b->check = b->system->entry || capture->breaks != 0;
	pthread_mutex_unlock(&lock);
	if (trapped)
		return TRACE_TRAP;
	return broken && cut_block(p, b->start) ? TRACE_GAP : TRACE_NONE;
}

void system_entry(struct block *b)
{
	b->system->entry = true;
	b->check = true;
}

void system_reaches(unsigned cpu, void *data)
{
	(void)data;
	if (cpu < PROCESSORS && processors[cpu] != NULL)
		processors[cpu]->reached = true;
}

/* Without a trap qemu ends a block early where it must execute one instruction alone, and that begins the next one. */
bool system_leaves(struct processor *p, uint64_t next)
{
	pthread_mutex_lock(&lock);
	read_qemu_log();
	const bool trapped = take_traps(p);
	pthread_mutex_unlock(&lock);
	const bool cut =
	    !trapped && atomic_load(&capture->log_read) != 0 && !may_go_on(p->before, next) && cut_block(p, next);
	if (trapped || cut)
		end_trace(p, trapped ? TRACE_TRAP : TRACE_GAP, next);
	return trapped || cut;
}

/* qemu stops all processors between two blocks, and ends by itself, in a thread of its own. A program that ends it by
 * semihosting does so in a block, and others may be running. Of a branch it is not known where it goes: the last one of
 * a processor is left out. A jump has gone: its trace ends as any with it does. */
bool system_ends(struct processor *p)
{
	const struct block *b = p->before;
	bool own = false;
	for (size_t i = 0; i < PROCESSORS; i++)
		own = own || (processors[i] != NULL && pthread_equal(processors[i]->thread, pthread_self()));
	if (b == NULL)
		return false;
	pthread_mutex_lock(&lock);
	read_qemu_log();
	const bool trapped = take_traps(p), branch = !trapped && !own && b->end == END_BRANCH;
	const bool jump = !trapped && !own && b->end >= END_JUMP;
	pthread_mutex_unlock(&lock);
	if (jump)
		finish_block(p, b->target);
	if (branch) {
		p->shared.now.insns += b->insns - 1;
		p->shared.unknown++;
	}
	if (trapped || branch || jump) {
		end_trace(p, trapped ? TRACE_TRAP : TRACE_OFF, 0);
		p->before = NULL;
	}
	return !own;
}
