/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "sw/probe/probe.h"
#include "common/frame.h"
#include "common/joined.h"
#include "sw/probe/hash.h"
#include "sw/probe/registers.h"
#include "sw/probe/switch.h"

#define VERSION 1
#define SOURCE_INSERTED 2
#define WAY_EVERY_COUNT 4 /* stream: nothing is left out */
#define START_BASE 0x80000000u
/* Flags, start, history, count: the longest entry. */
#define ENTRY_MAX (1 + 10 + 10 + 10)

extern struct rivulet_probe_process rivulet_probe_process __attribute__((weak)); /* on Linux only */
extern volatile uint32_t rivulet_probe_switch __attribute__((weak));             /* with --switch */
struct rivulet_probe_root rivulet_probe_root;
__attribute__((weak)) const uint32_t rivulet_probe_buckets = RIVULET_PROBE_BUCKETS;
__attribute__((weak)) uint32_t rivulet_probe_ready;

__attribute__((weak)) const char rivulet_probe_name[] = "program";

__attribute__((weak)) void rivulet_probe_put(const void *bytes, size_t size)
{
	(void)bytes;
	(void)size;
}

__attribute__((weak)) void rivulet_probe_before(void) {}
__attribute__((weak)) void rivulet_probe_cleared(void) {}
static uint64_t first_cycle;

static uint64_t cycles_now(void)
{
	return rivulet_probe_cycles != NULL ? rivulet_probe_cycles() : 0;
}
__attribute__((weak)) void rivulet_probe_begin(struct rivulet_probe_node *node)
{
	(void)node;
}

void rivulet_probe_register(struct rivulet_probe_node *node)
{
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		if (n == node)
			return;
	}
	rivulet_probe_begin(node);
	if (rivulet_probe_root.nodes == NULL) {
		first_cycle = cycles_now();
		if (rivulet_probe_join != NULL)
			rivulet_probe_join();
		rivulet_probe_root.switched = &rivulet_probe_switch;
		if (rivulet_probe_switch_begin != NULL)
			rivulet_probe_switch_begin();
	}
	node->next = rivulet_probe_root.nodes;
	uintptr_t size = (uintptr_t)node->count * node->width, at = (uintptr_t)node->counters;
	if (rivulet_probe_root.nodes == NULL || at - size < rivulet_probe_root.low)
		rivulet_probe_root.low = at - size;
	if (rivulet_probe_root.nodes == NULL || at + 2 * size > rivulet_probe_root.high)
		rivulet_probe_root.high = at + 2 * size;
	rivulet_probe_root.nodes = node;
	if (rivulet_probe_open_pool != NULL)
		rivulet_probe_open_pool();
	rivulet_probe_root.ready = rivulet_probe_ready = RIVULET_PROBE_READY;
	if (node->next == NULL && rivulet_probe_early != NULL)
		rivulet_probe_early();
}

void rivulet_probe_clear(struct rivulet_probe_node *node)
{
	volatile uint8_t *at = node->counters;
	for (size_t i = 0; i < (size_t)node->count * node->width; i++)
		at[i] = 0;
}

static volatile struct rivulet_probe_slot *slot_of(const volatile struct rivulet_probe_bucket *b)
{
	return (b->count & RIVULET_PROBE_OWNS) != 0 ? &b->table->slots[b->path % RIVULET_PROBE_SLOTS] : NULL;
}

static uint64_t bucket_count(const volatile struct rivulet_probe_bucket *b)
{
	const volatile struct rivulet_probe_slot *slot = slot_of(b);
	return (b->count & ~RIVULET_PROBE_OWNS) + (slot != NULL ? slot->count : 0);
}

static void reset(struct rivulet_probe_root *root, uint32_t (*used)(unsigned, uint32_t *))
{
	for (struct rivulet_probe_node *n = root->nodes; n != NULL; n = n->next)
		rivulet_probe_clear(n);
	for (unsigned level = 0; used != NULL && level < RIVULET_PROBE_LEVELS; level++) {
		uint32_t first, count = used(level, &first);
		for (uint32_t i = first; i < first + count; i++) {
			volatile struct rivulet_probe_bucket *b = &root->pool[i];
			volatile struct rivulet_probe_slot *slot = slot_of(b);
			b->count &= RIVULET_PROBE_OWNS;
			if (slot != NULL)
				slot->count = 0;
		}
	}
	root->dropped = 0;
}

void rivulet_probe_reset(void)
{
	reset(&rivulet_probe_root, rivulet_probe_used);
	if (rivulet_probe_threads != NULL)
		rivulet_probe_clear_threads();
	rivulet_probe_cleared();
	if (rivulet_probe_switch_begin != NULL)
		rivulet_probe_switch_begin();
	if (rivulet_probe_left_clear != NULL)
		rivulet_probe_left_clear();
	if (&rivulet_probe_process == NULL)
		return;
	for (struct rivulet_probe_part *p = rivulet_probe_process.parts; p != NULL; p = p->next)
		reset(p->root, p->used);
	for (struct rivulet_probe_kept *k = rivulet_probe_process.kept; k != NULL; k = k->next) {
		for (uint32_t i = 0; i < k->count; i++)
			((volatile uint64_t *)k->counters)[i] = 0;
	}
}

struct sender {
	struct frame frame;
	uint8_t coded[FRAME_CODED_MAX];
	uint8_t sequence;
	bool open; /* a frame of entries has been begun */
	uint64_t before, entries, total;
	unsigned stack; /* number of the one that is being sent */
};

static void begin(struct sender *s, uint8_t type)
{
	frame_begin(&s->frame, type, s->sequence++);
}

static void end(struct sender *s)
{
	rivulet_probe_put(s->coded, frame_end(&s->frame, s->coded));
}

uint64_t rivulet_probe_program(void)
{
	uint64_t sum = 0;
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL; n = n->next) {
		uint64_t id = n->id[0] | (uint64_t)n->id[1] << 32;
		id ^= id << 13;
		id ^= id >> 7;
		id ^= id << 17;
		sum += id;
	}
	return sum;
}

static void send_header(struct sender *s, unsigned mode)
{
	struct frame *f = &s->frame;
	size_t length = 0;
	const volatile char *name =
	    rivulet_probe_name; /* volatile: else compilers make a call of strlen() of the loop */
	begin(s, FRAME_HEADER);
	frame_leb(f, VERSION);
	frame_leb(f, SOURCE_INSERTED);
	frame_leb(f, 8 * sizeof(void *));
	frame_leb(f, 32);
	frame_leb(f, mode);
	frame_leb(f, WAY_EVERY_COUNT);
	frame_leb(f, 1);
	frame_leb(f, 0);
	for (unsigned i = 0; i < 4; i++)
		frame_byte(f, 0);
	while (name[length] != '\0' && length < 100)
		length++;
	frame_leb(f, length);
	for (size_t i = 0; i < length; i++)
		frame_byte(f, (uint8_t)name[i]);
	if (rivulet_probe_program() != 0)
		frame_leb(f, rivulet_probe_program());
	end(s);
}

static void send_entry(struct sender *s, uint64_t id, uint64_t number, uint64_t count)
{
	if (count == 0)
		return;
	if (s->open && frame_room(&s->frame) < ENTRY_MAX) {
		end(s);
		s->open = false;
	}
	if (!s->open) {
		begin(s, FRAME_ENTRIES);
		s->before = START_BASE;
		s->open = true;
	}
	frame_byte(&s->frame, 0);
	frame_leb(&s->frame, frame_zigzag((int64_t)(id - s->before) / 2));
	frame_leb(&s->frame, number + 1);
	frame_leb(&s->frame, count);
	s->before = id;
	s->entries++;
	s->total += count;
}

uint64_t rivulet_probe_read(const struct rivulet_probe_node *n, uint32_t i)
{
	const volatile uint8_t *at = (const volatile uint8_t *)n->counters + (size_t)i * n->width;
	uint64_t sum = 0;
	for (unsigned k = 0, all = rivulet_probe_threads != NULL ? rivulet_probe_threads() : 0; k <= all; k++) {
		const volatile void *own = k == 0 ? at : at + rivulet_probe_distance(k - 1);
		sum += n->width == 8 ? *(const volatile uint64_t *)own : *(const volatile uint32_t *)own;
	}
	return sum;
}

static uint64_t join(const uint32_t words[2])
{
	return words[0] | (uint64_t)words[1] << 32;
}

/* The bucket that was counted at the cut before this part of a path; NULL: there is none, or it found no room. */
static const struct rivulet_probe_bucket *before(
    const struct rivulet_probe_bucket *pool, const struct rivulet_probe_bucket *b, int *lost)
{
#if UINTPTR_MAX > UINT32_MAX
	const int64_t context = joined_context_64(b->path);
	*lost = context == -1;
	return context == 0 || *lost ? NULL : &pool[-2 - context];
#else
	const uintptr_t context = b->path >> JOINED_SHIFT_32;
	*lost = context == UINTPTR_MAX >> JOINED_SHIFT_32;
	return context == 0 || *lost ? NULL : &pool[(context - 1) / JOINED_STEP_32];
#endif
}

static uint64_t history_of(const struct rivulet_probe_bucket *b)
{
#if UINTPTR_MAX > UINT32_MAX
	const uint64_t number = joined_number_64(b->path);
#else
	const uintptr_t mask = b->table->joined ? ((uintptr_t)1 << JOINED_SHIFT_32) - 1 : UINTPTR_MAX;
	const uint64_t number = (b->path & mask) - JOINED_BASE_32;
#endif
	return (uint64_t)b->table->function << 32 | number;
}

/* common/joined.h: from the last part back to the first, so that nothing is kept. */
static void send_bucket(struct sender *s, const struct rivulet_probe_part *p, const struct rivulet_probe_bucket *b)
{
	const uint64_t id = join(b->table->id) ^ join(p->salt);
	const struct rivulet_probe_bucket *part = b, *earlier;
	uint64_t key = 0;
	unsigned parts = 0;
	int lost = 0;
	while (b->table->joined && !lost && (earlier = before(p->root->pool, part, &lost)) != NULL) {
		part = earlier;
		if (bucket_count(part) == 0) /* it was counted before all counters were cleared: by a parent */
			lost = 1;
		else
			key ^= joined_turn(joined_mix(history_of(part)), parts++);
	}
	key ^= joined_turn(lost ? id ^ JOINED_LOST : id, parts);
	send_entry(s, parts == 0 ? key : JOINED_START(key), history_of(b), bucket_count(b));
}

static void send_part(struct sender *s, const struct rivulet_probe_part *p, int several)
{
	const uint64_t salt = join(p->salt), before = s->total;
	for (const struct rivulet_probe_node *n = p->root->nodes; n != NULL; n = n->next) {
		for (uint32_t i = 0; i < n->count; i++)
			send_entry(s, join(n->id) ^ salt, i, p->read(n, i));
	}
	for (unsigned level = 0; p->used != NULL && level < RIVULET_PROBE_LEVELS; level++) {
		uint32_t first, count = p->used(level, &first);
		for (uint32_t i = first; i < first + count; i++) {
			const struct rivulet_probe_bucket *b = &p->root->pool[i];
			if (b->table != NULL)
				send_bucket(s, p, b);
		}
	}
	if (several)
		send_entry(s, RIVULET_PROBE_LIBRARY_ID, salt, s->total - before);
}

/* The program alone, or with all that it has loaded. */
static void send_parts(struct sender *s)
{
	if (&rivulet_probe_process == NULL ||
	    (rivulet_probe_process.parts == NULL && rivulet_probe_process.kept == NULL)) {
		const struct rivulet_probe_part own = {
		    NULL, &rivulet_probe_root, {0, 0}, rivulet_probe_used, rivulet_probe_read};
		send_part(s, &own, 0);
		return;
	}
	const struct rivulet_probe_part *first = rivulet_probe_process.parts;
	const int several = rivulet_probe_process.kept != NULL || first->next != NULL;
	for (const struct rivulet_probe_part *p = first; p != NULL; p = p->next)
		send_part(s, p, several);
	for (const struct rivulet_probe_kept *k = rivulet_probe_process.kept; k != NULL; k = k->next) {
		const uint64_t before = s->total;
		for (uint32_t i = 0; i < k->count; i++)
			send_entry(s, k->id, i, k->counters[i]);
		send_entry(s, RIVULET_PROBE_LIBRARY_ID, join(k->salt), s->total - before);
	}
}

/* What is counted, and what found no room; of all parts. */
static unsigned find_mode(uint64_t *dropped)
{
	unsigned mode = rivulet_probe_root.nodes != NULL ? rivulet_probe_root.nodes->mode : 0;
	*dropped = rivulet_probe_root.dropped;
	if (&rivulet_probe_process == NULL)
		return mode;
	for (const struct rivulet_probe_part *p = rivulet_probe_process.parts; p != NULL; p = p->next) {
		if (mode == 0 && p->root->nodes != NULL)
			mode = p->root->nodes->mode;
		*dropped += p->root != &rivulet_probe_root ? p->root->dropped : 0;
	}
	return mode == 0 && rivulet_probe_process.kept != NULL ? rivulet_probe_process.kept->mode : mode;
}

/* ---- stacks of calls that had not ended ---- */
#define LEB_MAX 10

static void begin_part(struct sender *s, unsigned part)
{
	if (s->open)
		end(s);
	begin(s, FRAME_STACK);
	frame_leb(&s->frame, part);
	frame_leb(&s->frame, s->stack);
	s->open = true;
}

static void send_registers(struct sender *s, const struct rivulet_probe_stack *stack)
{
	for (unsigned i = 1; i < 32; i++) {
		uint32_t sum = stack->sums >> i & 1;
		if (i == 1 || sum != (stack->sums >> (i - 1) & 1) || frame_room(&s->frame) < LEB_MAX) {
			begin_part(s, FRAME_STACK_REGISTERS);
			frame_leb(&s->frame, i | sum << 5);
		}
		frame_leb(&s->frame, stack->x[i]);
	}
}

static void send_words(struct sender *s, const struct rivulet_probe_stack *stack)
{
	unsigned skip = 0, sum_before = 0;
	bool any = false;
	for (size_t i = 0; i < stack->word_count; i++) {
		uintptr_t value = stack->words[i];
		unsigned sum = stack->sum != NULL && stack->sum[i] != 0;
		if (value == 0 && any && i + 1 < stack->word_count) { /* what is not sent in between is 0 */
			skip++;
			continue;
		}
		if (!any || sum != sum_before || frame_room(&s->frame) < 2 * LEB_MAX) {
			begin_part(s, sum ? FRAME_STACK_SUMS : FRAME_STACK_WORDS);
			frame_leb(&s->frame, stack->x[2] + i * sizeof value);
			skip = 0;
		}
		frame_leb(&s->frame, skip);
		frame_leb(&s->frame, value);
		any = true;
		skip = 0;
		sum_before = sum;
	}
}

/* r may lie outside of an object's counters by what its counts are at r + x: by less than their size. */
static bool near(const struct rivulet_probe_node *n, uintptr_t at)
{
	uintptr_t size = (uintptr_t)n->count * n->width;
	return at - (uintptr_t)n->counters + size < 3 * size;
}

/* Where the counters are that registers or words may be addresses of. */
static void send_objects(struct sender *s, const struct rivulet_probe_stack *stack, uintptr_t distance)
{
	uintptr_t candidates[64]; /* different values are few; more of them are of locals */
	unsigned count = 0;
	bool any = false;
	for (size_t i = 0; i < 32 + stack->word_count && count < 64; i++) {
		uintptr_t at = (i < 32 ? stack->x[i] : stack->words[i - 32]) - distance;
		bool candidate = at >= rivulet_probe_root.low && at < rivulet_probe_root.high;
		for (unsigned k = 0; k < count && candidate; k++)
			candidate = candidates[k] != at;
		if (candidate)
			candidates[count++] = at;
	}
	for (const struct rivulet_probe_node *n = rivulet_probe_root.nodes; n != NULL && count > 0; n = n->next) {
		unsigned k = 0;
		while (k < count && count < 64 && !near(n, candidates[k]))
			k++;
		if (k == count)
			continue;
		if (!any || frame_room(&s->frame) < 2 * LEB_MAX)
			begin_part(s, FRAME_STACK_OBJECTS);
		frame_leb(&s->frame, n->id[0] | (uint64_t)n->id[1] << 32);
		frame_leb(&s->frame, (uintptr_t)n->counters);
		any = true;
	}
}

static void send_stack(struct sender *s, const struct rivulet_probe_stack *stack)
{
	/* of the thread that sends; not of those that longjmp() left before */
	uintptr_t distance = rivulet_probe_own != NULL ? (uintptr_t)rivulet_probe_own() : 0;
	begin_part(s, FRAME_STACK_BEGIN);
	frame_leb(&s->frame, stack->kind);
	frame_leb(&s->frame, stack->count);
	frame_leb(&s->frame, stack->pc);
	frame_leb(&s->frame, (uintptr_t)rivulet_probe_write);
	frame_leb(&s->frame, distance);
	frame_leb(&s->frame, stack->back_pc);
	frame_leb(&s->frame, stack->back_sp);
	send_registers(s, stack);
	send_words(s, stack);
	send_objects(s, stack, distance);
	end(s);
	s->open = false;
	s->stack++;
}

static void send_stacks(struct sender *s)
{
	const struct rivulet_probe_stack *stack;
	for (unsigned i = 0; rivulet_probe_stack != NULL && (stack = rivulet_probe_stack(i)) != NULL; i++)
		send_stack(s, stack);
	for (unsigned i = 0; rivulet_probe_left != NULL && (stack = rivulet_probe_left(i)) != NULL; i++)
		send_stack(s, stack);
}

/* It ended, nothing is known of what ran untraced; and whether all of it was counted. */
static void send_switched(struct sender *s)
{
	struct rivulet_probe_switched switched;
	rivulet_probe_switch_read(&switched);
	for (unsigned i = 0; i < 3; i++)
		frame_leb(&s->frame, 0);
	frame_leb(&s->frame, switched.offs);
	frame_leb(&s->frame, switched.on);
	frame_leb(&s->frame, switched.all);
}

void rivulet_probe_write(void)
{
	static struct sender sender;
	static uintptr_t x[32];
	struct sender *s = &sender;
	if (rivulet_probe_here != NULL) {
		uintptr_t pc = rivulet_probe_registers(x);
		x[0] = 0;
		rivulet_probe_here(x, pc);
	}
	uint64_t dropped, cycles = cycles_now() - first_cycle;
	rivulet_probe_before();
	s->sequence = 0;
	s->entries = s->total = 0;
	s->stack = 0;
	send_header(s, find_mode(&dropped));
	send_parts(s);
	if (s->open)
		end(s);
	s->open = false;
	send_stacks(s);
	begin(s, FRAME_END);
	frame_leb(&s->frame, s->entries);
	frame_leb(&s->frame, s->total);
	frame_leb(&s->frame, dropped);
	frame_leb(&s->frame, &rivulet_probe_left_lost != NULL ? rivulet_probe_left_lost : 0);
	frame_leb(&s->frame, cycles);
	for (unsigned i = 0; i < 3; i++)
		frame_leb(&s->frame, 0);
	if (rivulet_probe_switch_read != NULL)
		send_switched(s);
	end(s);
}
