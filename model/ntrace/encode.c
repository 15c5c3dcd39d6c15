/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "model/ntrace/private.h"

#define ICNT_BITS 22
#define ICNT_FULL 20
#define NO_OUTCOME 1u
#define OWNERSHIP 2
#define DIRECT 3
#define INDIRECT 4
#define ERROR 8
#define SYNC 9
#define DIRECT_SYNC 11
#define INDIRECT_SYNC 12
#define FULL 27
#define INDIRECT_HIST 28
#define INDIRECT_HIST_SYNC 29
#define REPEAT 30
#define STOP 33

/* The wires of rivulet_ntrace_encode.v in one cycle. */
struct wires {
	const struct ntrace_event *ev;
	bool at_error, at_first, at_odd, at_own, at_main;
	bool pops, pushes, jump, outcome, direct, trap, stop, straight, upgraded;
	bool count_full, hist_full, at_hist, at_process, at_event;
	bool again, tells_now, hold, wants, flush, look, main_now, sends_event, full_address, history, still;
	unsigned halves;
	uint32_t icnt;
	uint64_t place;
};

static uint64_t address_ones(const struct ntrace *t)
{
	return ntrace_ones(t->config.xlen - 1);
}

/* What the oldest event is, and which part of it comes next. */
static void decode_event(const struct ntrace *t, struct wires *w)
{
	const struct ntrace_encode *e = &t->encode;
	const struct ntrace_event *ev = w->ev = &t->queue.data;
	const bool valid = t->queue.valid, history = ntrace_history(t);
	w->at_error = valid && ev->lost && !e->sent_error;
	w->at_first = valid && ev->first && !e->sent_first && !w->at_error;
	w->at_odd = valid && ev->odd && !e->sent_odd;
	w->at_own = t->config.with_owner && valid && ev->own && !e->sent_own && !w->at_odd;
	w->at_main = valid && !w->at_error && !w->at_first && !w->at_odd && !w->at_own;
	w->pops = ev->kind == NTRACE_RETURN || ev->kind == NTRACE_SWAP;
	w->pushes = ev->kind == NTRACE_CALL || ev->kind == NTRACE_JUMP_CALL || ev->kind == NTRACE_SWAP;
	w->jump =
	    ev->kind == NTRACE_JUMP || ev->kind == NTRACE_JUMP_CALL || (w->pops && !ntrace_stack_hit(t, ev->next));
	w->outcome = history && (ev->kind == NTRACE_TAKEN || ev->kind == NTRACE_NOT_TAKEN);
	w->direct = !history && ev->kind == NTRACE_TAKEN;
	w->trap = ev->kind == NTRACE_TRAP;
	w->stop = ev->kind == NTRACE_TRACE_STOP;
	w->straight =
	    t->sync.due && (ev->kind == NTRACE_PLAIN || (w->outcome && (e->hist >> (t->config.hist - 1) & 1) == 0));
	w->upgraded = t->sync.due && (w->jump || w->direct);
}

/* What the counters would be, for one more of the branch message before. */
static void count_event(const struct ntrace *t, struct wires *w)
{
	const struct ntrace_encode *e = &t->encode;
	const struct ntrace_event *ev = w->ev;
	const bool retires = w->at_main && !w->trap && !w->stop && ev->kind != NTRACE_LOST;
	w->halves = (e->sent_odd ? 0 : ev->acc) + (retires ? (ev->wide ? 2u : 1u) : 0);
	w->icnt = (e->icnt + w->halves) & (uint32_t)ntrace_ones(ICNT_BITS);
	w->place = w->at_main ? ev->next : ev->pc;
	w->still = e->ref == ev->next;
	w->again = w->at_main && (w->jump || w->direct) && !t->sync.due &&
		   ntrace_same_branch(t, w->icnt, ev->next, w->direct, w->still) && ntrace_repeats(t);
}

/* What comes next: I-CNT that is full, HIST that is full, Ownership behind a synchronising message, the event. */
static void choose(const struct ntrace *t, struct wires *w)
{
	const struct ntrace_encode *e = &t->encode;
	const struct ntrace_repeat *r = &t->repeat;
	const bool tells = w->jump || w->direct || w->trap || w->stop || w->straight;
	w->count_full = (e->icnt >> ICNT_FULL & 1) != 0;
	w->hist_full = (e->hist >> t->config.hist & 1) != 0;
	w->at_hist = w->hist_full && !w->count_full;
	w->at_process = e->own_due && !w->count_full && !w->hist_full;
	w->at_event = t->queue.valid && !w->count_full && !w->hist_full && !e->own_due &&
		      !(w->at_main && w->pops && ntrace_returns(t) && !t->stack.ready);
	w->tells_now = w->at_event && (w->at_error || w->at_first || w->at_odd || (w->at_main && tells && !w->again));
	w->hold = t->config.with_repeat && w->at_hist && (!r->pending || (ntrace_same_hist(t) && ntrace_repeats(t)));
	w->wants = w->count_full || (w->at_hist && !w->hold) || w->at_process || w->tells_now;
	w->flush = r->pending && ((w->wants && !(r->held && w->count_full)) || (r->held && !ntrace_repeats(t)));
	w->look = !w->flush && w->at_event;
	w->main_now = w->look && w->at_main;
	w->sends_event = w->look && w->tells_now;
	w->full_address = w->at_first || (w->at_main && (w->straight || w->upgraded));
	w->history = ntrace_history(t) && (e->hist != NO_OUTCOME || (w->at_main && w->outcome));
}

static struct ntrace_start sync_message(const struct wires *w, uint8_t parts)
{
	uint8_t tcode = SYNC;
	if (w->history)
		tcode = INDIRECT_HIST_SYNC;
	else if (w->jump)
		tcode = INDIRECT_SYNC;
	else if (w->direct)
		tcode = DIRECT_SYNC;
	return (struct ntrace_start){tcode, 2, w->history || w->jump ? 3 : 2, parts};
}

/* The message of the part of the event. */
static struct ntrace_start event_message(const struct ntrace *t, const struct wires *w)
{
	const uint8_t time = ntrace_timed(t) ? NTRACE_PART(TIME) : 0, hist = w->history ? NTRACE_PART(HIST) : 0;
	const uint8_t all = (uint8_t)(NTRACE_PART(ICNT) | NTRACE_PART(ADDR) | hist | time);
	const uint8_t indirect = w->history ? INDIRECT_HIST : INDIRECT;
	const bool history = ntrace_history(t);
	if (w->at_error)
		return (struct ntrace_start){ERROR, 0, 2, NTRACE_PART(ICNT)};
	if (w->at_first) {
		const uint8_t code = w->ev->lost ? 7 : w->ev->debug ? 3 : 5;
		return (struct ntrace_start){SYNC, code, 2, (uint8_t)(NTRACE_PART(ICNT) | NTRACE_PART(ADDR) | time)};
	}
	if (w->at_odd || w->trap)
		return (struct ntrace_start){indirect, w->at_odd ? 3 : 2, 1, all};
	if (w->stop)
		return (struct ntrace_start){STOP, (uint8_t)((history ? 1 : 0) << 4 | (w->ev->debug ? 0 : 4)), 3,
		    (uint8_t)(NTRACE_PART(ICNT) | (history ? NTRACE_PART(HIST) : 0) | time)};
	if (t->sync.due)
		return sync_message(w, all);
	if (w->direct)
		return (struct ntrace_start){DIRECT, 0, 0, (uint8_t)(NTRACE_PART(ICNT) | time)};
	return (struct ntrace_start){indirect, 0, 1, all};
}

static struct ntrace_start message_of(const struct ntrace *t, const struct wires *w)
{
	const struct ntrace_repeat *r = &t->repeat;
	if (w->flush && !r->held)
		return (struct ntrace_start){REPEAT, r->one ? 1 : 2, 0, NTRACE_PART(COUNT)};
	if (w->flush)
		return (struct ntrace_start){
		    FULL, r->one ? 1 : 2, 2, (uint8_t)(NTRACE_PART(PATTERN) | (r->one ? 0 : NTRACE_PART(COUNT)))};
	if (w->count_full)
		return (struct ntrace_start){FULL, 0, 2, NTRACE_PART(ICNT)};
	if (w->hist_full)
		return (struct ntrace_start){FULL, 1, 2, NTRACE_PART(HIST)};
	if (w->at_process)
		return (struct ntrace_start){OWNERSHIP, 0, 0, NTRACE_PART(OWNER)};
	return event_message(t, w);
}

/* I-CNT, HIST, addresses, times; what of the event is done. */
static void update_counters(struct ntrace *t, const struct wires *w)
{
	struct ntrace_encode *e = &t->encode;
	const struct ntrace_event *ev = w->ev;
	const bool plain_direct = w->direct && !t->sync.due;
	if (w->sends_event && !w->at_error && !(w->at_main && (w->stop || plain_direct))) {
		e->addr = w->place ^ (w->full_address ? 0 : e->ref);
		e->ref = w->place;
		e->addr_left = (t->config.xlen - 2) / 6;
	}
	if (w->sends_event && !w->at_error) {
		e->stamp = (ev->time - (w->full_address ? 0 : e->stamp_last)) & ntrace_ones(t->config.time_bits);
		e->stamp_last = ev->time;
	}
	if (w->look && (w->at_odd || w->at_main))
		e->icnt = w->again ? 0 : w->icnt;
	if (w->main_now && w->outcome)
		e->hist = e->hist << 1 | (ev->kind == NTRACE_TAKEN);
	if (w->main_now && w->again)
		e->hist = NO_OUTCOME;
	if (w->look && w->at_error) {
		e->icnt = 0;
		e->hist = NO_OUTCOME;
	}
	if (w->look) {
		e->sent_error = true;
		e->sent_first = e->sent_first || w->at_first;
		e->sent_odd = e->sent_odd || w->at_odd;
		e->sent_own = e->sent_own || w->at_own;
	}
	if (w->main_now)
		e->sent_error = e->sent_first = e->sent_odd = e->sent_own = false;
}

static void update_owner(struct ntrace *t, const struct wires *w)
{
	struct ntrace_encode *e = &t->encode;
	const bool contexts = t->config.context_bits > 0, wanted = ntrace_owner(t);
	if (!t->config.with_owner)
		return;
	if (!w->flush && w->at_process) {
		const uint64_t context = e->own_whole ? e->owner >> 2 : 0;
		e->ownership = context << 5 | (e->owner & 3) << 2 | (uint64_t)e->own_whole << 1;
		e->own_due = e->own_whole = false;
	}
	if (w->look && (w->at_first || w->at_own)) {
		e->own_whole = contexts && (e->own_whole || w->at_first || e->owner >> 2 != w->ev->owner >> 2);
		e->owner = w->ev->owner;
		e->own_due = wanted;
	}
	if (w->sends_event && w->full_address) {
		e->own_due = wanted;
		e->own_whole = contexts;
	}
}

/* A byte of the message leaves: what was sent is shifted out. */
static void shift_part(struct ntrace *t)
{
	struct ntrace_encode *e = &t->encode;
	bool ended;
	switch (ntrace_pack_next(t, &ended)) {
	case NTRACE_PART_ICNT:
		e->icnt >>= 6;
		break;
	case NTRACE_PART_PATTERN:
		t->repeat.pattern >>= 6;
		break;
	case NTRACE_PART_COUNT:
		t->repeat.count >>= 6;
		break;
	case NTRACE_PART_OWNER:
		e->ownership >>= 6;
		break;
	case NTRACE_PART_ADDR: {
		const bool fill = t->config.with_extend && t->regs.extend && (e->addr >> (t->config.xlen - 2) & 1) != 0;
		e->addr = e->addr >> 6 | (fill ? address_ones(t) & ~(address_ones(t) >> 6) : 0);
		e->addr_left--;
		break;
	}
	case NTRACE_PART_HIST:
		e->hist = ended ? NO_OUTCOME : e->hist >> 6;
		break;
	case NTRACE_PART_TIME:
		e->stamp >>= 6;
		break;
	default:
		break;
	}
}

static struct ntrace_chunk chunk_of(uint64_t value)
{
	return (struct ntrace_chunk){(uint8_t)(value & 63), value >> 6 == 0};
}

/* trTeInstExtendAddrMSB: bits that are all equal up to the top one may be left out. */
static struct ntrace_chunk address_chunk(const struct ntrace *t)
{
	const struct ntrace_encode *e = &t->encode;
	const unsigned bits = t->config.xlen - 1, top = bits - (bits - 1) / 6 * 6;
	struct ntrace_chunk chunk = chunk_of(e->addr);
	if (!t->config.with_extend)
		return chunk;
	if (e->addr_left == 0)
		return (struct ntrace_chunk){(uint8_t)(chunk.low & ntrace_ones(top)), true};
	if (t->regs.extend && (chunk.low >> 5 & 1) != 0)
		chunk.last = e->addr >> 6 == address_ones(t) >> 6;
	return chunk;
}

struct ntrace_chunk ntrace_encode_chunk(const struct ntrace *t, enum ntrace_part part)
{
	switch (part) {
	case NTRACE_PART_ICNT:
		return chunk_of(t->encode.icnt);
	case NTRACE_PART_PATTERN:
		return chunk_of(t->repeat.pattern);
	case NTRACE_PART_COUNT:
		return chunk_of(t->repeat.count);
	case NTRACE_PART_OWNER:
		return chunk_of(t->encode.ownership);
	case NTRACE_PART_ADDR:
		return address_chunk(t);
	case NTRACE_PART_HIST:
		return chunk_of(t->encode.hist);
	default:
		return chunk_of(t->encode.stamp);
	}
}

static bool encode_ready(struct ntrace *t)
{
	struct wires w = {0};
	decode_event(t, &w);
	count_event(t, &w);
	choose(t, &w);
	const bool sends = w.flush || w.wants, hold_now = !w.flush && w.hold;
	const bool synchronises = w.sends_event && w.full_address;
	const struct ntrace_repeat_in repeated = {.hold = hold_now,
	    .repeat = w.main_now && w.again,
	    .branch = w.main_now && (w.jump || w.direct) && !t->sync.due && !w.again,
	    .other = sends,
	    .flush = w.flush,
	    .direct = w.direct,
	    .still = w.still,
	    .hist = t->encode.hist,
	    .icnt = w.icnt,
	    .target = w.ev->next};
	if (sends) {
		const struct ntrace_start start = message_of(t, &w);
		t->did.tcode = start.tcode;
		ntrace_pack_start(t, &start);
	}
	t->did.again = w.main_now && w.again;
	t->did.hold = hold_now;
	const uint64_t link = (w.ev->pc + (w.ev->wide ? 2 : 1)) & address_ones(t);
	ntrace_stack(t, synchronises, w.main_now && w.pushes && ntrace_returns(t),
	    w.main_now && w.pops && ntrace_returns(t), link);
	ntrace_repeat(t, &repeated);
	update_counters(t, &w);
	update_owner(t, &w);
	if (hold_now)
		t->encode.hist = NO_OUTCOME;
	ntrace_sync(t, sends, w.look && (w.at_odd || w.at_main), w.halves, synchronises);
	return w.main_now;
}

bool ntrace_encode(struct ntrace *t, bool byte_ready)
{
	if (!t->pack.busy)
		return encode_ready(t);
	if (byte_ready)
		shift_part(t);
	ntrace_stack(t, false, false, false, 0);
	ntrace_sync(t, false, false, 0, false);
	return false;
}

bool ntrace_encode_idle(const struct ntrace *t)
{
	const struct ntrace_encode *e = &t->encode;
	return !t->pack.busy && !t->repeat.pending && !e->own_due && (e->icnt >> ICNT_FULL & 1) == 0 &&
	       (e->hist >> t->config.hist & 1) == 0;
}

void ntrace_encode_reset(struct ntrace *t)
{
	struct ntrace_encode *e = &t->encode;
	e->icnt = 0;
	e->hist = NO_OUTCOME;
	e->sent_error = e->sent_first = e->sent_odd = e->sent_own = false;
	e->own_due = e->own_whole = false;
	t->sync = (struct ntrace_sync){0};
	t->repeat.pending = t->repeat.held = t->repeat.last = false;
	t->pack.busy = false;
	t->stack.depth = t->stack.next = 0;
}
