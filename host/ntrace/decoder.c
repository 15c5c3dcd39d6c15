/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* N-Trace 1.0, sections 9 to 11 of the standard: from messages to instructions. */
#include "host/ntrace/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define STACK_MAX NTRACE_STACK_MAX           /* a power of two: deeper, the oldest is lost */
#define STRAIGHT_MAX SIZED(1 << 22, 1 << 12) /* half-words between two outcomes: I-CNT has no more bits */
#define TEXT_MAX 256
#define RESERVED_HABIT 4 /* so often, a reserved TCODE is the encoder's and no damage */
#define SIFIVE_COUNT_MAX SIZED(1u << NTRACE_ICNT_BITS, 1u << 10)

enum place {
	PLACE_LOST,    /* no full address yet, or none since damage */
	PLACE_OUTSIDE, /* the address is known, but not what runs there */
	PLACE_KNOWN
};

struct outcomes {
	uint64_t hist;
	unsigned left;
};

struct ntrace_decoder {
	struct standard_decoder base;
	struct ntrace_options options;
	struct ntrace_reader reader;
	enum place place;
	uint64_t pc, reference;
	bool sure;     /* pc follows from the code, not from the return stack or a register */
	int64_t ahead; /* half-words that I-CNT was told of (above 0), or that were walked before it told (below) */
	uint64_t stack[STACK_MAX];
	unsigned top, depth;
	struct standard_insn before;
	struct ntrace_message branch; /* the last DB, IB or IBH; tcode 0: none */
	const char *wrong;            /* why a walk failed */
	bool fresh;                   /* nothing ran since the program came to pc */
	bool timed;                   /* time is that of the message before */
	bool stamped;                 /* messages have times: the last one with a full address had */
	bool found;                   /* the mode, by a message */
	bool ended;                   /* tracing has ended, or messages were lost, as the encoder said */
	uint64_t traps[2];            /* with B-TYPE 1; with 2 and 3: an encoder uses one or the other */
	uint8_t reserved[64];         /* messages of TCODEs that the standard does not have, up to RESERVED_HABIT */
	enum standard_class last;     /* of the instruction that ran last; STANDARD_TRAPS: none did */
	uint64_t time;
};

/* Nothing is known any more; what is not confirmed is dropped. */
static void ntrace_lose(struct ntrace_decoder *d, uint64_t offset, const char *why)
{
	standard_decoder_lose(&d->base, offset, why);
	d->place = PLACE_LOST;
	d->ended = false;
	d->ahead = 0;
	d->branch.tcode = 0;
}

/* ---------------------------------------------------------------- walking */

static void ntrace_push_return(struct ntrace_decoder *d, uint64_t address)
{
	d->stack[d->top++ % STACK_MAX] = address & d->base.ones;
	d->depth += d->depth < STACK_MAX;
}

static bool ntrace_pop_return(struct ntrace_decoder *d, uint64_t *address)
{
	if (d->depth == 0)
		return false;
	d->depth--;
	*address = d->stack[--d->top % STACK_MAX];
	return true;
}

/* Where an instruction goes that is no branch. */
static void ntrace_go_on(struct ntrace_decoder *d, const struct standard_insn *insn)
{
	uint64_t behind = (insn->pc + insn->length) & d->base.ones, target = 0;
	bool implicit = d->options.implicit_return != 0, popped = false;
	d->sure = true;
	if (insn->class == STANDARD_PLAIN) {
		d->pc = behind;
		return;
	}
	if (implicit && standard_pops(insn))
		popped = ntrace_pop_return(d, &target);
	if (implicit && standard_pushes(insn))
		ntrace_push_return(d, behind);
	if (insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL) {
		d->pc = insn->target;
		return;
	}
	d->sure = false;
	if (popped || (d->options.sequential_jump && standard_sequential(&d->before, insn, &target)))
		d->pc = target & d->base.ones;
	else
		d->place = PLACE_OUTSIDE;
}

/* Executes the instruction at pc. Half-words; 0: d->wrong. */
static int ntrace_step(struct ntrace_decoder *d, struct outcomes *outcomes, bool last_taken, int64_t wanted)
{
	const struct standard_insn *insn = standard_code_at(d->base.code, d->pc);
	bool jumps = d->options.all_jumps && (insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL);
	if (insn->length == 0) {
		d->wrong = "leaves the program's code";
		return 0;
	}
	if (insn->class == STANDARD_TRAPS) {
		d->wrong = "counts an instruction that cannot retire";
		return 0;
	}
	int halves = insn->length / 2;
	bool taken = last_taken && halves == wanted;
	if (insn->class == STANDARD_BRANCH || jumps) {
		if (outcomes->left > 0)
			taken = outcomes->hist >> --outcomes->left & 1;
		else if (d->options.history) {
			d->wrong = "meets a branch without an outcome";
			return 0;
		}
	}
	standard_flow_retire(&d->base.flow, insn);
	if (insn->class == STANDARD_BRANCH) {
		d->pc = taken ? insn->target : (insn->pc + insn->length) & d->base.ones;
		d->sure = true;
	} else
		ntrace_go_on(d, insn);
	d->before = *insn;
	d->last = insn->class;
	return halves;
}

/* Executes the block at pc, if it is not longer than wanted and nothing is wrong with it. Half-words; 0: it has to be
 * done step by step. */
static int ntrace_block(struct ntrace_decoder *d, struct outcomes *outcomes, bool last_taken, int64_t wanted)
{
	const struct standard_block *block = standard_code_block(d->base.code, d->pc);
	const enum standard_class class = block->class;
	const bool branches =
	    class == STANDARD_BRANCH || (d->options.all_jumps && (class == STANDARD_JUMP || class == STANDARD_CALL));
	const bool sequential = d->options.sequential_jump && (class == STANDARD_PLAIN || class > STANDARD_CALL);
	if (block->count == 0 || block->halves > wanted || sequential ||
	    (branches && outcomes->left == 0 && d->options.history))
		return 0;
	bool taken = last_taken && block->halves == wanted;
	if (branches && outcomes->left > 0)
		taken = outcomes->hist >> --outcomes->left & 1;
	standard_flow_run(&d->base.flow, block);
	d->before.constant = false;
	d->sure = true;
	d->last = class;
	if (class == STANDARD_BRANCH)
		d->pc = taken ? block->target : block->behind;
	else if (class == STANDARD_PLAIN)
		d->pc = block->behind;
	else if (class == STANDARD_JUMP)
		d->pc = block->target;
	else
		ntrace_go_on(d, standard_code_at(d->base.code, block->last));
	return block->halves;
}

static int ntrace_advance(struct ntrace_decoder *d, struct outcomes *outcomes, bool last_taken, int64_t wanted)
{
	const int halves = ntrace_block(d, outcomes, last_taken, wanted);
	return halves > 0 ? halves : ntrace_step(d, outcomes, last_taken, wanted);
}

static struct outcomes ntrace_outcomes_of(uint64_t hist)
{
	return (struct outcomes){.hist = hist, .left = hist == 0 ? 0 : 63 - (unsigned)__builtin_clzll(hist)};
}

/* I-CNT half-words, less those that were walked already. False: d->wrong. */
static bool ntrace_walk(struct ntrace_decoder *d, uint64_t icnt, uint64_t hist, bool direct)
{
	struct outcomes outcomes = ntrace_outcomes_of(hist);
	int64_t left = (int64_t)icnt + d->ahead;
	d->ahead = 0;
	d->wrong = left < 0 ? "counts less than its branches" : NULL;
	while (left > 0 && d->base.flow.stopped == 0) {
		if (d->place != PLACE_KNOWN) {
			d->wrong = "goes on behind a jump whose target is not told";
			return false;
		}
		int halves = ntrace_advance(d, &outcomes, direct, left);
		if (halves == 0)
			return false;
		left -= halves;
	}
	if (left < 0)
		d->wrong = "ends inside an instruction";
	else if (outcomes.left > 0 && d->base.flow.stopped == 0)
		d->wrong = "has outcomes of more branches than it passes";
	return d->wrong == NULL;
}

/* All outcomes of hist, up to and with their last branch. */
static bool walk_history(struct ntrace_decoder *d, uint64_t hist)
{
	struct outcomes outcomes = ntrace_outcomes_of(hist);
	int64_t straight = 0;
	d->wrong = hist == 0 ? "has a history without its stop bit" : NULL;
	while (outcomes.left > 0 && d->wrong == NULL && d->base.flow.stopped == 0) {
		unsigned before = outcomes.left;
		if (d->place != PLACE_KNOWN)
			d->wrong = "goes on behind a jump whose target is not told";
		else {
			int halves = ntrace_advance(d, &outcomes, false, STRAIGHT_MAX);
			d->ahead -= halves;
			straight = outcomes.left < before ? 0 : straight + halves;
			if (straight > STRAIGHT_MAX)
				d->wrong = "has outcomes, but its code goes on without a branch";
		}
	}
	return d->wrong == NULL;
}

/* ---------------------------------------------------------------- messages */

/* The walk goes on at address; without code there, what runs is not known. */
static void ntrace_arrive(struct ntrace_decoder *d, uint64_t address)
{
	d->pc = d->reference = address & d->base.ones;
	d->before.constant = false;
	d->last = STANDARD_TRAPS;
	bool inside = standard_has_code(&d->base, d->pc);
	d->fresh = true;
	if (d->place != PLACE_LOST && !inside)
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, d->pc);
	d->place = inside ? PLACE_KNOWN : PLACE_OUTSIDE;
}

/* The program came here by a trap (B-TYPE 1 to 3); *known: at which instruction. */
static void ntrace_tell_trap(struct ntrace_decoder *d, unsigned btype)
{
	if (d->place != PLACE_KNOWN)
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, STANDARD_NOWHERE);
	else if (btype != 0)
		standard_flow_put(&d->base.flow, btype == 2 ? STANDARD_EXCEPTION : STANDARD_INTERRUPT, d->pc);
}

static uint64_t hist_of(const struct ntrace_message *m)
{
	return (m->has & NTRACE_HAS_HIST) != 0 ? m->hist : 1;
}

/* I-CNT and HIST of a message, if it can be walked; outside of the image they are counted. False: d->wrong. */
static bool walk_message(struct ntrace_decoder *d, const struct ntrace_message *m, bool direct)
{
	uint64_t hist = hist_of(m);
	d->wrong = hist == 0 ? "has a history without its stop bit" : NULL;
	if (hist == 0)
		return false;
	d->fresh = d->fresh && m->icnt == 0 && d->ahead == 0;
	if (d->place == PLACE_KNOWN || (m->icnt == 0 && d->ahead == 0))
		return ntrace_walk(d, m->icnt, hist, direct);
	d->base.counts.outside += m->icnt + (d->ahead > 0 ? (uint64_t)d->ahead : 0);
	d->ahead = 0;
	return true;
}

/* Whether what ran last is what such a message is about; encoders before 1.0 send it in other places too. */
static bool ends_rightly(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool jumps = d->last >= STANDARD_CALL_INDIRECT && d->last <= STANDARD_TRAP_RETURN;
	const bool direct = d->last == STANDARD_BRANCH ||
			    (d->options.all_jumps && (d->last == STANDARD_JUMP || d->last == STANDARD_CALL));
	const bool alike = m->btype == 1, other = m->btype != 0 && d->traps[alike] > d->traps[!alike];
	d->traps[!alike] += m->btype != 0;
	if (other)
		d->wrong = "tells a trap as its encoder does not";
	else if (m->tcode == NTRACE_DIRECT)
		d->wrong = direct ? NULL : "ends at an instruction that is no branch";
	else if (m->btype != 0)
		d->wrong = d->place == PLACE_KNOWN ? NULL : "tells a trap behind a jump whose target is not told";
	else
		d->wrong =
		    jumps || d->options.layout.sifive_counts ? NULL : "ends at an instruction that is no such jump";
	return d->wrong == NULL;
}

static bool take_branch(struct ntrace_decoder *d, const struct ntrace_message *m, bool again)
{
	bool direct = m->tcode == NTRACE_DIRECT, left = d->place == PLACE_OUTSIDE;
	if (!walk_message(d, m, direct))
		return false;
	if (!left && d->base.flow.stopped == 0 && !ends_rightly(d, m))
		return false;
	if (direct)
		return true;
	if (left || m->btype != 0)
		ntrace_tell_trap(d, m->btype);
	ntrace_arrive(d, again ? d->reference : d->reference ^ m->address);
	return true;
}

static bool take_repeat(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const struct ntrace_message branch = d->branch;
	d->wrong = "repeats a branch, but none came before it";
	if (branch.tcode == 0)
		return false;
	for (uint64_t i = 0; i < m->repeat && d->base.flow.stopped == 0; i++) {
		if (!take_branch(d, &branch, true))
			return false;
	}
	return true;
}

static bool walk_times(struct ntrace_decoder *d, uint64_t hist, uint64_t times)
{
	for (uint64_t i = 0; i < times && d->base.flow.stopped == 0; i++) {
		if (!walk_history(d, hist))
			return false;
	}
	return true;
}

/* Ownership: {CONTEXT, V, PRV (2), FORMAT (2)}, behind each change of the mode and each full address. */
static void take_ownership(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	unsigned format = m->process & 3, mode = m->process >> 2 & 3;
	uint64_t context = m->process >> 5;
	if (format == 1) /* reserved */
		return;
	standard_decoder_enter(&d->base, mode, format == 2 ? &context : NULL);
	standard_flow_put(&d->base.flow, STANDARD_MODE, mode);
	if (format == 2)
		standard_flow_put(&d->base.flow, STANDARD_CONTEXT, context);
	if (d->place == PLACE_KNOWN && d->base.foreign) {
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, d->pc);
		d->place = PLACE_OUTSIDE;
	} else if (d->place == PLACE_OUTSIDE && d->fresh && standard_has_code(&d->base, d->pc))
		d->place = PLACE_KNOWN;
}

static bool take_full(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	bool counts =
	    d->options.layout.sifive_counts && (m->rcode == NTRACE_RCODE_NOT_TAKEN || m->rcode == NTRACE_RCODE_TAKEN);
	d->wrong = "has a reserved code";
	if (m->rcode > 2 && m->rcode < 8)
		return false;
	if (m->rcode == 0)
		d->ahead += (int64_t)m->icnt;
	d->base.counts.skipped += m->rcode > 2 && !counts;
	if (m->rcode == 0 || d->place != PLACE_KNOWN)
		return true;
	if (counts && m->ecode > SIFIVE_COUNT_MAX)
		d->wrong = "counts more branches than an encoder can";
	if (counts)
		return m->ecode <= SIFIVE_COUNT_MAX && walk_times(d, m->rcode == NTRACE_RCODE_TAKEN ? 3 : 2, m->ecode);
	return m->rcode > 2 || walk_times(d, m->hist, m->rcode == 2 ? m->repeat : 1);
}

static bool sync_restarts(unsigned sync)
{
	return sync == 1 || sync == 3 || sync == 5 || sync == 7 || sync == 9;
}

/* A message with a full address: what came before must lead there, and is confirmed by it. */
static bool take_sync(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	bool known = d->place == PLACE_KNOWN, broken = sync_restarts(m->sync);
	d->wrong = "begins tracing anew, though nothing has ended it before";
	if (known && broken && m->sync != 1)
		return false;
	d->wrong = "has a reserved reason";
	if (m->sync == 8 || (m->sync >= 10 && m->sync <= 13))
		return false;
	d->wrong = "begins tracing, but counts what came before";
	if (broken && m->sync != 1 && m->sync != 9 && m->icnt != 0)
		return false;
	d->wrong = "goes on, though tracing has ended";
	if (d->ended && !broken)
		return false;
	if ((known || (d->place == PLACE_OUTSIDE && !broken)) && !walk_message(d, m, m->tcode == NTRACE_DIRECT_SYNC))
		return false;
	if (known && d->place == PLACE_KNOWN && d->sure && m->btype == 0 && !broken && d->pc != m->address) {
		d->wrong = "has another address than the walk to it";
		return false;
	}
	if (broken || !known)
		standard_flow_put(&d->base.flow, STANDARD_BROKEN, STANDARD_NOWHERE);
	else if (m->btype != 0)
		ntrace_tell_trap(d, m->btype);
	return true;
}

static void ntrace_start_at(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	standard_flow_confirm(&d->base.flow);
	d->ended = false;
	d->ahead = 0;
	d->depth = 0;
	d->branch.tcode = 0;
	ntrace_arrive(d, m->address);
}

/* The end of tracing, said by the encoder. */
static void ntrace_end_at(struct ntrace_decoder *d)
{
	standard_flow_put(&d->base.flow, STANDARD_BROKEN, d->place == PLACE_KNOWN ? d->pc : STANDARD_NOWHERE);
	standard_flow_confirm(&d->base.flow);
	d->place = PLACE_LOST;
	d->ended = true;
	d->ahead = 0;
	d->branch.tcode = 0;
}

static bool is_ignored(const struct ntrace_decoder *d, const struct ntrace_message *m)
{
	return d->place == PLACE_LOST && (m->has & NTRACE_HAS_FADDR) == 0;
}

/* Kinds of the other mode, and times where there are none, are of a damaged message. */
static bool is_expected(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool full = m->tcode == NTRACE_FULL && (m->rcode == 1 || m->rcode == 2);
	const bool history = (m->has & NTRACE_HAS_HIST) != 0 || full;
	const bool branches = m->tcode == NTRACE_DIRECT || m->tcode == NTRACE_DIRECT_SYNC;
	const bool told = (m->has & NTRACE_HAS_TIME) != 0, sync = (m->has & NTRACE_HAS_FADDR) != 0;
	d->wrong = "is of the other trace mode";
	if (!d->options.find_mode && (d->options.history ? branches : history)) {
		d->options.find_mode = d->found; /* the one that said it may be the damaged one */
		return false;
	}
	d->wrong = "has a time, though none stood with the address before";
	if (!sync && told && !d->stamped && d->place != PLACE_LOST)
		return false;
	if (sync)
		d->stamped = told;
	return true;
}

/* False: d->wrong. */
static bool ntrace_dispatch(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	if (!is_expected(d, m))
		return false;
	switch (m->tcode) {
	case NTRACE_DIRECT:
	case NTRACE_INDIRECT:
	case NTRACE_INDIRECT_HIST:
		d->branch = *m;
		return take_branch(d, m, false);
	case NTRACE_REPEAT:
		return take_repeat(d, m);
	case NTRACE_FULL:
		return take_full(d, m);
	case NTRACE_STOP:
		d->wrong = "has a reserved form";
		if (m->cdf > 1)
			return false;
		if (d->place != PLACE_LOST && !walk_message(d, m, false))
			return false;
		ntrace_end_at(d);
		return true;
	case NTRACE_OWNERSHIP:
		take_ownership(d, m);
		return true;
	default:
		return take_sync(d, m);
	}
}

/* Section 8: absolute in messages with SYNC, else the difference to the message before. */
static void ntrace_take_time(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool absolute = (m->has & NTRACE_HAS_SYNC) != 0;
	if ((m->has & NTRACE_HAS_TIME) == 0 || (!absolute && !d->timed))
		return;
	if (absolute && d->timed)
		d->time = standard_later(d->time, m->time, d->options.layout.time_bits);
	else if (absolute)
		d->time = m->time;
	else if (d->options.layout.time_xor)
		d->time ^= m->time;
	else
		d->time += m->time;
	d->timed = true;
	standard_flow_put(&d->base.flow, STANDARD_TIME, d->time);
}

/* Until a message says it, no walk may depend on it: without outcomes no branch is taken in either mode. */
static void ntrace_find_mode(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool full = m->tcode == NTRACE_FULL && (m->rcode == 1 || m->rcode == 2);
	const bool history = (m->has & NTRACE_HAS_HIST) != 0 || full;
	if (!history && m->tcode != NTRACE_DIRECT && m->tcode != NTRACE_DIRECT_SYNC)
		return;
	d->options.history = history;
	d->options.find_mode = false;
	d->found = true;
}

static void ntrace_take_message(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	char text[TEXT_MAX];
	if (m->tcode == NTRACE_ERROR) {
		d->base.counts.overflows++;
		ntrace_end_at(d);
		ntrace_take_time(d, m);
		return;
	}
	if (is_ignored(d, m)) {
		d->base.counts.before++;
		d->base.counts.unknown += m->icnt;
		ntrace_take_time(d, m);
		return;
	}
	/* not before: what comes where no address is known may be half a message */
	if (d->options.find_mode)
		ntrace_find_mode(d, m);
	if (!ntrace_dispatch(d, m)) {
		snprintf(text, sizeof text, "%s %s", ntrace_name(m->tcode), d->wrong);
		ntrace_lose(d, m->offset, text);
	}
	if ((m->has & NTRACE_HAS_FADDR) != 0)
		ntrace_start_at(d, m);
	ntrace_take_time(d, m);
}

/* A message that is passed over: of a vendor, or of another part of Nexus, as data trace. Other kinds the standard does
 * not have, so one of them is a damaged message, unless it comes again and again. */
static void pass_over(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool vendor = m->tcode >= 56 && m->tcode <= 62, data = m->tcode >= 5 && m->tcode <= 7;
	const bool watch = (m->tcode >= 13 && m->tcode <= 15) || m->tcode == 34;
	uint8_t *seen = &d->reserved[m->tcode & 63];
	d->base.counts.skipped++;
	if (vendor || data || watch || *seen == RESERVED_HABIT)
		return;
	(*seen)++;
	ntrace_lose(d, m->offset, "a message is of a kind that the standard does not have");
}

/* A message of another source. Its first one begins its trace. */
static void pass_source(struct ntrace_decoder *d, const struct ntrace_message *m)
{
	const bool begins = (m->has & NTRACE_HAS_FADDR) != 0 && sync_restarts(m->sync);
	if (standard_new_source(&d->base, m->source) && !begins)
		ntrace_lose(d, m->offset, "a message is of a source of which there was none");
}

static void ntrace_feed(struct standard_decoder *base, const uint8_t *bytes, size_t size)
{
	struct ntrace_decoder *d = (struct ntrace_decoder *)base;
	struct ntrace_message message;
	for (size_t i = 0; i < size && base->flow.stopped == 0; i++) {
		enum ntrace_read got = ntrace_read(&d->reader, bytes[i], &message);
		if (got == NTRACE_DAMAGED) {
			ntrace_lose(d, d->reader.begin, d->reader.damage);
			d->timed = false; /* its difference is missing */
		}
		base->counts.messages += got == NTRACE_MESSAGE || got == NTRACE_SKIPPED;
		if (got == NTRACE_SKIPPED)
			pass_over(d, &message);
		if (got == NTRACE_MESSAGE && message.source != d->options.source)
			pass_source(d, &message);
		else if (got == NTRACE_MESSAGE)
			ntrace_take_message(d, &message);
	}
}

static void ntrace_move(struct standard_decoder *base, uint64_t offset, bool joins)
{
	struct ntrace_decoder *d = (struct ntrace_decoder *)base;
	if (!joins) {
		ntrace_lose(d, offset, "bytes are missing before this one");
		d->timed = false;
		ntrace_reader_init(&d->reader, &d->options.layout, true);
	}
	d->reader.offset = offset;
}

static void ntrace_finish(struct standard_decoder *base)
{
	struct ntrace_decoder *d = (struct ntrace_decoder *)base;
	if (ntrace_reader_rest(&d->reader) > 0)
		ntrace_lose(d, d->reader.begin, "the stream ends inside a message");
}

struct standard_decoder *ntrace_open(const struct image *image, const struct ntrace_options *options,
    standard_sink *sink, standard_teller *teller, void *context)
{
	struct ntrace_decoder *d = calloc(1, sizeof *d);
	if (d == NULL)
		return NULL;
	d->base.feed = ntrace_feed;
	d->base.finish = ntrace_finish;
	d->base.move = ntrace_move;
	d->options = *options;
	d->options.layout.xlen = image_xlen(image);
	ntrace_reader_init(&d->reader, &d->options.layout, options->wrapped);
	if (standard_decoder_open(&d->base, image, sink, teller, context) != 0) {
		standard_close(&d->base);
		return NULL;
	}
	return &d->base;
}
