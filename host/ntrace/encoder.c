/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* N-Trace 1.0, sections 8 to 10 of the standard: from instructions to messages. */
#include "host/ntrace/encoder.h"

#include <string.h>

#define REPEAT_LIMIT ((1u << NTRACE_REPEAT_BITS) - 1)
#define OUTCOMES (NTRACE_HIST_BITS - 1u) /* of a full register */
#define ALL_TAKEN UINT32_MAX
#define NONE_TAKEN (UINT64_C(1) << OUTCOMES)
#define COUNT_LIMIT ((1u << NTRACE_ICNT_BITS) / OUTCOMES) /* registers of equal outcomes in one message */

static size_t ntrace_write_message(struct ntrace_encoder *e, struct ntrace_message *m, uint8_t *bytes)
{
	m->source = (uint16_t)e->options.source;
	return ntrace_write(&e->options.layout, m, bytes);
}

static bool is_sync(unsigned tcode)
{
	return tcode == NTRACE_SYNC || tcode == NTRACE_DIRECT_SYNC || tcode == NTRACE_INDIRECT_SYNC ||
	       tcode == NTRACE_INDIRECT_HIST_SYNC;
}

static void stamp_message(struct ntrace_encoder *e, struct ntrace_message *m)
{
	if (!e->options.timestamps)
		return;
	m->has |= NTRACE_HAS_TIME;
	m->time = e->now - e->told;
	if (e->options.layout.time_xor)
		m->time = e->now ^ e->told;
	if (is_sync(m->tcode))
		m->time = e->now;
	e->told = e->now;
}

static void ntrace_send(struct ntrace_encoder *e, struct ntrace_message m)
{
	uint8_t bytes[NTRACE_MESSAGE_MAX];
	stamp_message(e, &m);
	size_t size = ntrace_write_message(e, &m, bytes);
	e->messages++;
	e->base.sink(e->base.context, bytes, size);
}

/* Encoders before 1.0 count branches that all went the same way: RCODE 8 and 9. */
static bool counts_outcomes(const struct ntrace_encoder *e, uint64_t hist)
{
	return e->options.layout.sifive_counts && (hist == ALL_TAKEN || hist == NONE_TAKEN);
}

/* What was only counted so far. */
static void ntrace_flush(struct ntrace_encoder *e)
{
	const bool counts = e->held_count > 0 && counts_outcomes(e, e->held);
	if (e->repeats > 0)
		ntrace_send(e, (struct ntrace_message){.tcode = NTRACE_REPEAT, .repeat = e->repeats});
	if (counts)
		ntrace_send(e, (struct ntrace_message){.tcode = NTRACE_FULL,
				   .rcode = e->held == ALL_TAKEN ? NTRACE_RCODE_TAKEN : NTRACE_RCODE_NOT_TAKEN,
				   .ecode = OUTCOMES * e->held_count});
	else if (e->held_count == 1)
		ntrace_send(e, (struct ntrace_message){.tcode = NTRACE_FULL, .rcode = 1, .hist = e->held});
	else if (e->held_count > 1)
		ntrace_send(e, (struct ntrace_message){
				   .tcode = NTRACE_FULL, .rcode = 2, .hist = e->held, .repeat = e->held_count});
	e->repeats = e->held_count = 0;
	e->last_size = 0;
}

/* Sends m, which carries I-CNT, and HIST if its kind has it. */
static void send_counts(struct ntrace_encoder *e, struct ntrace_message m, uint64_t address)
{
	bool history = m.tcode == NTRACE_INDIRECT_HIST || m.tcode == NTRACE_INDIRECT_HIST_SYNC ||
		       (m.tcode == NTRACE_STOP && m.cdf == 1);
	uint8_t bytes[NTRACE_MESSAGE_MAX];
	m.icnt = e->icnt;
	m.hist = e->hist;
	m.address = is_sync(m.tcode) ? address : address ^ e->reference;
	bool addressed = m.tcode != NTRACE_DIRECT && m.tcode != NTRACE_STOP;
	size_t size = ntrace_write_message(e, &m, bytes);
	bool same = e->options.repeat_branch && size == e->last_size && memcmp(bytes, e->last, size) == 0 &&
		    e->repeats < REPEAT_LIMIT && (!addressed || m.address == 0);
	if (same)
		e->repeats++;
	else {
		ntrace_flush(e);
		ntrace_send(e, m);
		bool branch = !is_sync(m.tcode) && m.tcode != NTRACE_STOP && m.btype == 0;
		e->last_size = branch ? size : 0;
		memcpy(e->last, bytes, size);
	}
	e->icnt = 0;
	e->hist = history ? 1 : e->hist;
	if (addressed)
		e->reference = address;
}

static void send_branch(struct ntrace_encoder *e, unsigned btype, uint64_t target)
{
	unsigned tcode = e->options.history && e->hist != 1 ? NTRACE_INDIRECT_HIST : NTRACE_INDIRECT;
	send_counts(e, (struct ntrace_message){.tcode = (uint8_t)tcode, .btype = (uint8_t)btype}, target);
}

static void ntrace_send_sync(struct ntrace_encoder *e, unsigned sync, uint64_t pc)
{
	unsigned tcode = e->options.history && e->hist != 1 ? NTRACE_INDIRECT_HIST_SYNC : NTRACE_SYNC;
	send_counts(e, (struct ntrace_message){.tcode = (uint8_t)tcode, .sync = (uint8_t)sync}, pc);
	e->depth = 0;
	e->halves = 0;
	e->before.constant = false; /* a decoder may begin here */
}

void ntrace_start(struct ntrace_encoder *e, uint64_t pc, unsigned sync)
{
	ntrace_send_sync(e, sync, pc);
}

void ntrace_stop(struct ntrace_encoder *e, unsigned evcode)
{
	struct ntrace_message m = {.tcode = NTRACE_STOP, .evcode = (uint8_t)evcode, .cdf = e->options.history};
	send_counts(e, m, 0);
}

void ntrace_trap(struct ntrace_encoder *e, unsigned btype, uint64_t handler)
{
	e->before.constant = false;
	send_branch(e, btype, handler);
}

/* An outcome of HTM; the register may be full then. */
static void ntrace_add_outcome(struct ntrace_encoder *e, bool taken)
{
	e->hist = e->hist << 1 | taken;
	if (e->hist >> (NTRACE_HIST_BITS - 1) == 0)
		return;
	const bool counts = counts_outcomes(e, e->hist), holds = e->options.repeated_history || counts;
	const bool same = holds && e->held_count > 0 && e->held == e->hist;
	if (!same || e->held_count == (counts ? COUNT_LIMIT : REPEAT_LIMIT)) {
		ntrace_flush(e);
		e->held = e->hist;
	}
	e->held_count++;
	e->hist = 1;
	if (!holds)
		ntrace_flush(e);
}

/* By the return stack or the instruction before, a decoder knows where insn goes. */
static bool is_inferred(struct ntrace_encoder *e, const struct standard_insn *insn, uint64_t next)
{
	const unsigned entries = e->options.stack > 0 ? 1u << e->options.stack : e->options.implicit_return;
	bool implicit = e->options.implicit_return > 0, inferred = false;
	uint64_t target;
	if (implicit && standard_pops(insn) && e->depth > 0) {
		e->depth--;
		inferred = e->stack[--e->top % NTRACE_STACK_MAX] == next;
	}
	if (implicit && standard_pushes(insn)) {
		e->stack[e->top++ % NTRACE_STACK_MAX] = insn->pc + insn->length;
		e->depth += e->depth < entries;
	}
	if (!inferred && e->options.sequential_jump && standard_sequential(&e->before, insn, &target))
		inferred = target == next;
	return inferred;
}

void ntrace_retire(struct ntrace_encoder *e, const struct standard_insn *insn, uint64_t next)
{
	unsigned halves = insn->length / 2;
	bool direct = insn->class == STANDARD_JUMP || insn->class == STANDARD_CALL;
	bool outcome = insn->class == STANDARD_BRANCH || (direct && e->options.all_jumps);
	bool taken = next != insn->pc + insn->length || direct;
	e->icnt += halves;
	e->halves += halves;
	if (outcome && e->options.history)
		ntrace_add_outcome(e, taken);
	else if (outcome && taken)
		send_counts(e, (struct ntrace_message){.tcode = NTRACE_DIRECT}, next);
	bool inferred = is_inferred(e, insn, next);
	if (standard_uninferable(insn) && !inferred)
		send_branch(e, 0, next);
	e->before = *insn;
	if (e->options.sync_halves > 0 && e->halves >= e->options.sync_halves)
		ntrace_send_sync(e, 2, next);
	else if (e->icnt >= e->options.icnt_limit) {
		ntrace_flush(e);
		ntrace_send(e, (struct ntrace_message){.tcode = NTRACE_FULL, .rcode = 0, .icnt = e->icnt});
		e->icnt = 0;
	}
}

/* ---- as any encoder ---- */

static void ntrace_encoder_start(struct standard_encoder *base, uint64_t pc)
{
	ntrace_start((struct ntrace_encoder *)base, pc, 5);
}

static void ntrace_encoder_retire(struct standard_encoder *base, const struct standard_insn *insn, uint64_t next)
{
	ntrace_retire((struct ntrace_encoder *)base, insn, next);
}

static void ntrace_encoder_trap(struct standard_encoder *base, uint64_t epc, uint64_t handler)
{
	(void)epc;
	ntrace_trap((struct ntrace_encoder *)base, 1, handler);
}

static void ntrace_encoder_stop(struct standard_encoder *base)
{
	ntrace_stop((struct ntrace_encoder *)base, 4);
}

static void ntrace_encoder_spend(struct standard_encoder *base, uint64_t cycles)
{
	((struct ntrace_encoder *)base)->now += cycles;
}

void ntrace_encoder_init(
    struct ntrace_encoder *e, const struct ntrace_options *options, standard_bytes *sink, void *context)
{
	*e = (struct ntrace_encoder){.base = {ntrace_encoder_start, ntrace_encoder_retire, ntrace_encoder_trap,
					 ntrace_encoder_stop, sink, context, NULL, false},
	    .options = *options,
	    .hist = 1};
	e->base.spend = options->timestamps ? ntrace_encoder_spend : NULL;
	if (e->options.icnt_limit == 0)
		e->options.icnt_limit = 1u << (NTRACE_ICNT_BITS - 1);
}
