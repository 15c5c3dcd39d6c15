/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* E-Trace 2.0, chapter "Instruction Trace Algorithm", its figure of the delta trace: from instructions to packets. */
#include "host/etrace/encoder.h"

#include <string.h>

#define MAP_FULL 31u
#define ENDED 1u /* qual_status */
#define ENDED_BY_JUMP 3u

/* ---- packets ---- */

static void etrace_send(struct etrace_encoder *e, const struct etrace_packet *packet)
{
	uint8_t payload[ETRACE_PAYLOAD_MAX], bytes[ETRACE_FRAME_MAX];
	const struct etrace_layout *l = &e->options.layout;
	size_t size = etrace_write(l, packet, payload);
	const struct etrace_head head = {.source = e->options.source,
	    .index = (unsigned)e->packets++,
	    .timed = l->time_bytes > 0 || l->transport == ETRACE_RECORDS,
	    .time = e->current.time};
	size = etrace_frame(l, &head, payload, size, bytes);
	e->base.sink(e->base.context, bytes, size);
	e->since++;
}

static void etrace_clear(struct etrace_encoder *e)
{
	e->inferred = false;
	e->map = 0;
	e->branches = 0;
	e->right = 0;
	e->missed = e->last_missed = false;
}

static void send_map(struct etrace_encoder *e)
{
	struct etrace_packet p = {.kind = ETRACE_BRANCHES, .branches = e->branches, .map = e->map};
	if (e->right > 0)
		p = (struct etrace_packet){.kind = ETRACE_PREDICTED, .right = e->right, .wrong = true};
	etrace_send(e, &p);
	etrace_clear(e);
	e->open = false;
}

static void fill_flow(const struct etrace_encoder *e, struct etrace_packet *p, bool updiscon)
{
	uint64_t pc = e->current.insn.pc;
	bool cached = e->options.cache && e->jumped && !updiscon && e->state.cache[etrace_index(&e->state, pc)] == pc;
	p->kind = e->branches > 0 ? ETRACE_BRANCHES : ETRACE_ADDRESS;
	if (e->right > 0)
		p->kind = ETRACE_PREDICTED;
	else if (cached)
		p->kind = ETRACE_CACHED;
	p->has_address = p->kind != ETRACE_CACHED;
	p->index = etrace_index(&e->state, pc);
	p->address = e->options.full_address ? pc : pc - e->address;
	p->branches = e->branches;
	p->map = e->map;
	p->right = e->right;
	p->wrong = e->last_missed;
	p->updiscon = updiscon;
}

/* The address of the current step. */
static void send_address(struct etrace_encoder *e, bool updiscon, bool notify)
{
	struct etrace_packet p = {.notify = notify};
	fill_flow(e, &p, updiscon);
	p.irreport = e->jumped ? e->wrong_return : e->options.implicit_return && e->returned;
	p.irdepth = p.irreport ? e->state.depth : 0;
	etrace_send(e, &p);
	etrace_clear(e);
	e->address = e->current.insn.pc;
	if (e->options.cache && e->jumped)
		*etrace_place(&e->state, e->address) = e->address;
	e->open = e->jumped && !updiscon;
	e->reported = true;
}

static void etrace_send_sync(struct etrace_encoder *e, struct etrace_packet p)
{
	const struct etrace_step *c = &e->current;
	bool taken = !c->trap && c->insn.class == STANDARD_BRANCH && c->taken;
	p.not_taken = !taken;
	p.time = c->time;
	etrace_send(e, &p);
	etrace_clear(e);
	etrace_state_reset(&e->state, &e->options.layout);
	e->address = p.address;
	e->since = 0;
	e->due = e->open = e->returned = false;
	e->reported = true;
}

static void send_start(struct etrace_encoder *e)
{
	const struct etrace_step *c = &e->current;
	etrace_send_sync(
	    e, (struct etrace_packet){
		   .kind = ETRACE_START, .privilege = c->privilege, .address = c->insn.pc, .has_address = true});
}

/* of: the trap; handler: the current step is its handler's first. */
static void send_trap(struct etrace_encoder *e, const struct etrace_step *of, bool handler)
{
	uint64_t address = handler ? e->current.insn.pc : of->insn.pc;
	unsigned privilege = handler ? e->current.privilege : of->privilege;
	if (!handler && e->options.layout.form == ETRACE_FIRST)
		return;
	etrace_send_sync(e, (struct etrace_packet){.kind = ETRACE_TRAP,
				.privilege = privilege,
				.cause = of->cause,
				.interrupt = of->interrupt,
				.handler = handler,
				.address = address,
				.has_address = true});
}

/* ioptions: the standard leaves their order open; this is that of its reference model. */
static unsigned options_of(const struct etrace_options *o)
{
	const bool set[] = {
	    o->implicit_return, o->implicit_exception, o->full_address, o->cache, o->predictor, o->sequential_jump};
	const unsigned count = o->layout.form == ETRACE_ALIGNED ? 6 : 5;
	unsigned options = 0;
	for (unsigned i = 0; i < count; i++)
		options |= (unsigned)set[i] << i;
	return options;
}

static void send_support(struct etrace_encoder *e, bool enabled, unsigned status)
{
	const struct etrace_packet support = {
	    .kind = ETRACE_SUPPORT, .enabled = enabled, .status = status, .options = options_of(&e->options)};
	etrace_send(e, &support);
}

/* ---- steps ---- */

static void etrace_add_outcome(struct etrace_encoder *e)
{
	const struct etrace_step *c = &e->current;
	bool right = etrace_predict(&e->state, c->insn.pc) == c->taken;
	e->returned = false;
	if (e->options.predictor)
		etrace_train(&e->state, c->insn.pc, c->taken);
	if (e->right > 0) {
		e->right += right;
		e->last_missed = !right;
		return;
	}
	e->map |= (uint32_t)!c->taken << e->branches;
	e->branches++;
	e->missed = e->missed || !right;
	if (e->options.predictor && e->branches == MAP_FULL && !e->missed) {
		etrace_clear(e);
		e->right = MAP_FULL;
	}
}

static bool etrace_is_sequential(const struct etrace_encoder *e, const struct standard_insn *insn, uint64_t to)
{
	const struct etrace_step *p = &e->previous;
	uint64_t target;
	bool before = e->steps > 1 && !p->trap;
	return e->options.sequential_jump && before && standard_sequential(&p->insn, insn, &target) && target == to;
}

static bool is_wrong_return(const struct etrace_encoder *e, const struct etrace_step *step, uint64_t to)
{
	return e->options.implicit_return && !step->trap && step->insn.class == STANDARD_RETURN && e->state.depth > 0 &&
	       etrace_top(&e->state) != to;
}

/* What the current step leaves to the one behind it, at to. */
static void leave_step(struct etrace_encoder *e, uint64_t to)
{
	const struct etrace_step *c = &e->current;
	e->jumped = e->wrong_return = false;
	if (c->trap)
		return;
	e->jumped = standard_uninferable(&c->insn) && !etrace_is_sequential(e, &c->insn, to);
	if (!e->options.implicit_return)
		return;
	if (c->insn.class == STANDARD_CALL || c->insn.class == STANDARD_CALL_INDIRECT) {
		etrace_push(&e->state, c->insn.pc + c->insn.length);
		e->returned = false;
	}
	e->wrong_return = is_wrong_return(e, c, to);
	if (c->insn.class == STANDARD_RETURN && e->state.depth > 0 && !e->wrong_return) {
		etrace_pop(&e->state);
		e->returned = e->inferred = true;
		e->jumped = false;
	}
}

/* The current step, as no trap is in it and none came directly before. next: NULL at the end. */
static void take_plain(struct etrace_encoder *e, const struct etrace_step *next, bool sync)
{
	const struct etrace_step *c = &e->current;
	bool first = e->steps == 1, waiting = e->branches > 0 || e->right > 0 || e->open;
	bool other = next != NULL && !next->trap && next->privilege != c->privilege;
	bool trap = next != NULL && next->trap;
	if (first || e->previous.privilege != c->privilege || e->due)
		send_start(e);
	else if (e->jumped)
		send_address(e, trap || other || sync, false);
	else if (trap || next == NULL || ((sync || other) && waiting))
		send_address(e, false, false);
	else if (e->inferred && is_wrong_return(e, c, next->insn.pc))
		send_address(e, false, true); /* else it could be taken for an earlier return at the same depth */
	else if (e->right > 0 ? e->last_missed : e->branches == MAP_FULL)
		send_map(e);
}

/* next: the step behind the current one; NULL: the end. */
static void take_current(struct etrace_encoder *e, const struct etrace_step *next)
{
	const struct etrace_step *c = &e->current, *p = &e->previous;
	bool after_trap = e->steps > 1 && p->trap, first = e->steps == 1;
	bool reached = e->options.sync_packets > 0 && e->since >= e->options.sync_packets;
	uint64_t unused;
	bool sync = reached && next != NULL && !next->trap && !is_wrong_return(e, c, next->insn.pc) &&
		    (c->trap || !standard_sequential(&c->insn, &next->insn, &unused));
	bool told = false;
	e->reported = false;
	if (!c->trap && c->insn.class == STANDARD_BRANCH)
		etrace_add_outcome(e);
	if (after_trap && c->trap) {
		if (!e->told)
			send_trap(e, p, false);
	} else if (after_trap && e->told)
		send_start(e);
	else if (after_trap)
		send_trap(e, p, true);
	else if (c->trap) {
		told = (first || e->jumped || p->privilege != c->privilege) && e->options.layout.form != ETRACE_FIRST;
		if (told)
			send_trap(e, c, false);
	} else
		take_plain(e, next, sync);
	e->told = told;
	e->due = sync && !c->trap && (e->since >= e->options.sync_packets);
	if (next != NULL)
		leave_step(e, next->insn.pc);
}

static void put_step(struct etrace_encoder *e, const struct etrace_step *step)
{
	if (e->steps > 0) {
		take_current(e, step);
		e->previous = e->current;
	}
	e->current = *step;
	e->steps = e->steps < 2 ? e->steps + 1 : 2;
}

void etrace_start(struct etrace_encoder *e)
{
	e->steps = 0;
	e->jumped = e->due = e->told = e->open = e->returned = false;
	etrace_clear(e);
	send_support(e, true, 0);
}

void etrace_retire(struct etrace_encoder *e, const struct standard_insn *insn, uint64_t next, unsigned privilege)
{
	const struct etrace_step step = {
	    .insn = *insn, .taken = next != insn->pc + insn->length, .privilege = privilege, .time = e->now};
	put_step(e, &step);
}

void etrace_trap(struct etrace_encoder *e, uint64_t epc, bool interrupt, unsigned cause, unsigned privilege)
{
	const struct etrace_step step = {.insn = {.pc = epc},
	    .trap = true,
	    .interrupt = interrupt,
	    .cause = cause,
	    .privilege = privilege,
	    .time = e->now};
	put_step(e, &step);
}

void etrace_stop(struct etrace_encoder *e)
{
	if (e->steps == 0)
		return;
	take_current(e, NULL);
	send_support(e, false, e->open && e->reported ? ENDED_BY_JUMP : ENDED);
	e->steps = 0;
}

/* ---- as any encoder: machine mode, traps without a cause ---- */

#define MACHINE 3u

static unsigned machine_mode(const struct etrace_encoder *e)
{
	return MACHINE & ((1u << e->options.layout.privilege) - 1);
}

static void etrace_encoder_start(struct standard_encoder *base, uint64_t pc)
{
	(void)pc;
	etrace_start((struct etrace_encoder *)base);
}

static void etrace_encoder_retire(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	struct etrace_encoder *e = (struct etrace_encoder *)base;
	etrace_retire(e, insn, next, machine_mode(e));
}

static void etrace_encoder_trap(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	struct etrace_encoder *e = (struct etrace_encoder *)base;
	(void)handler; /* its first instruction says it */
	etrace_trap(e, epc, true, 0, machine_mode(e));
}

static void etrace_encoder_stop(struct standard_encoder *base)
{
	etrace_stop((struct etrace_encoder *)base);
}

static void etrace_encoder_spend(struct standard_encoder *base, uint64_t cycles)
{
	((struct etrace_encoder *)base)->now += cycles;
}

void etrace_encoder_init(
    struct etrace_encoder *e, const struct etrace_options *options, standard_bytes *sink, void *context)
{
	*e = (struct etrace_encoder){.base = {etrace_encoder_start, etrace_encoder_retire, etrace_encoder_trap,
					 etrace_encoder_stop, sink, context, etrace_encoder_spend, false},
	    .options = *options};
	etrace_state_reset(&e->state, &e->options.layout);
}
