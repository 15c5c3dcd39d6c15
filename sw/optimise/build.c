/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Decides which traces are made and in which order, whether each is worth its cost, and which get patches. */
#include "sw/optimise/private.h"

#define JUMP_REACH 0xFE000u
#define DIVISION_RARE 16u /* where cost counts, a place that divides is tried if it is met so many times more rarely */
#define PATCH_CYCLES 4u   /* two jumps: into the cache, and out of it */
#define SEEN_SHARE 16u    /* at most 1/16 of the memory says which instructions were seen */

static uint32_t power_below(uint32_t value)
{
	uint32_t power = 1;
	while (power <= value / 2)
		power *= 2;
	return power;
}

/* A JAL reaches 1 MiB. It must reach from the cache to any place of the program and back, and also what branches at the
 * program's ends lead to. */
static bool within_reach(const struct optimise_config *config)
{
	for (unsigned i = 0; i < config->code_count; i++) {
		uint32_t first = config->code[i].base, last = first + config->code[i].size;
		if (config->range_start > first)
			first = config->range_start;
		if (config->range_end != 0 && config->range_end < last)
			last = config->range_end;
		if (first < last && (config->cache > first ? config->cache + config->cache_size - first
							   : last - config->cache) > JUMP_REACH)
			return false;
	}
	return true;
}

/* A bit for each place where an instruction can begin, as far as there is room: else several share one. */
static uint32_t seen_words(const struct optimise_config *config, size_t size)
{
	uint32_t most = power_below((uint32_t)(size / SEEN_SHARE / sizeof(uint32_t))), words = 1;
	while (words < most && (config->code_count != 1 || words * 64 < config->code->size))
		words *= 2;
	return words;
}

/* Instructions for which there is room beside all else. */
static uint32_t insn_room(const struct optimise *optimise, size_t size)
{
	size_t rest =
	    optimise->trace_room * sizeof *optimise->traces + optimise->decoded_room * sizeof *optimise->decoded +
	    optimise->weight_room * sizeof *optimise->weights + optimise->seed_room * sizeof *optimise->seeds +
	    optimise->patch_room * sizeof *optimise->patches + optimise->fix_room * sizeof *optimise->fixes +
	    optimise->seed_place_room * sizeof *optimise->seed_places + optimise->seen_room * sizeof *optimise->seen +
	    64;
	size_t room = (size - rest) / sizeof *optimise->insns;
	return room < 65536 ? (uint32_t)room : 65536;
}

/* Shares of the memory, in instructions of traces: the room for all else follows from it. */
int optimise_init(struct optimise *optimise, const struct optimise_config *config, void *memory, size_t size)
{
	*optimise = (struct optimise){.config = *config, .epoch = 1};
	if (config->cache % 4 != 0 || config->length == 0 || config->length > 200 || config->hot_share == 0 ||
	    !within_reach(config))
		return OPTIMISE_ECONFIG;
	size_t skip = (size_t)(-(uintptr_t)memory) % _Alignof(struct optimise_trace);
	uint8_t *at = (uint8_t *)memory + skip;
	if (size < skip + 4096)
		return OPTIMISE_EMEMORY;
	size -= skip;
	/* Per 8 instructions: 2 decoded ones, 2 weights, 1 seed and 2 places, 1/4 trace and patch, 3 fixes. Rooms that
	 * are powers of two leave something: more instructions. */
	size_t unit = 8 * sizeof(struct optimise_insn) + 2 * sizeof(struct optimise_decoded) +
		      2 * sizeof(struct optimise_weight) + sizeof(struct optimise_seed) + 2 * sizeof(uint16_t) +
		      sizeof(struct optimise_trace) / 4 + sizeof(struct optimise_patch) / 4 +
		      3 * sizeof(struct optimise_fix);
	optimise->seen_room = seen_words(config, size);
	size_t units = (size - optimise->seen_room * sizeof(uint32_t) - 256) / unit;
	if (units < 8)
		return OPTIMISE_EMEMORY;
	uint32_t n = units > 8191 ? 8191 : (uint32_t)units;
	optimise->decoded_room = power_below(2 * n);
	optimise->weight_room = power_below(2 * n);
	optimise->seed_place_room = power_below(2 * n);
	optimise->seed_room = n < optimise->seed_place_room / 4 * 3 ? n : optimise->seed_place_room / 4 * 3;
	optimise->trace_room = optimise->patch_room = n / 4;
	optimise->fix_room = 3 * n;
	optimise->insn_room = insn_room(optimise, size);
	if (optimise->insn_room < 2 * config->length + 2 + OPTIMISE_SPARE || optimise->trace_room == 0)
		return OPTIMISE_EMEMORY;
	/* the most aligned first */
	optimise->traces = (void *)at;
	at += optimise->trace_room * sizeof *optimise->traces;
	optimise->decoded = (void *)at;
	at += optimise->decoded_room * sizeof *optimise->decoded;
	optimise->insns = (void *)at;
	at += optimise->insn_room * sizeof *optimise->insns;
	optimise->weights = (void *)at;
	at += optimise->weight_room * sizeof *optimise->weights;
	optimise->seeds = (void *)at;
	at += optimise->seed_room * sizeof *optimise->seeds;
	optimise->patches = (void *)at;
	at += optimise->patch_room * sizeof *optimise->patches;
	optimise->fixes = (void *)at;
	at += optimise->fix_room * sizeof *optimise->fixes;
	optimise->seed_places = (void *)at;
	at += optimise->seed_place_room * sizeof *optimise->seed_places;
	optimise->seen = (void *)at;
	for (uint32_t i = 0; i < optimise->seen_room; i++)
		optimise->seen[i] = 0;
	for (uint32_t i = 0; i < optimise->decoded_room; i++)
		optimise->decoded[i].insn.pc = 1;
	for (uint32_t i = 0; i < optimise->weight_room; i++)
		optimise->weights[i].pc = 1;
	for (uint32_t i = 0; i < optimise->seed_place_room; i++)
		optimise->seed_places[i] = 0;
	optimise->fix_count = 1; /* 0 is none */
	return OPTIMISE_OK;
}

uint16_t optimise_fix(struct optimise *optimise, uint16_t next, uint8_t kind, uint8_t reg, int32_t value, bool *ok)
{
	if (optimise->fix_count == optimise->fix_room || optimise->fix_count == UINT16_MAX) {
		*ok = false;
		return 0;
	}
	optimise->fixes[optimise->fix_count] =
	    (struct optimise_fix){.kind = kind, .reg = reg, .next = next, .value = value};
	return (uint16_t)optimise->fix_count++;
}

const struct optimise_trace *optimise_trace_at(const struct optimise *optimise, uint32_t pc)
{
	if (!optimise_may_begin(optimise, pc))
		return NULL;
	for (const struct optimise_trace *trace = &optimise->traces[optimise->trace_count]; trace-- > optimise->traces;)
		if (trace->pc == pc)
			return trace;
	return NULL;
}

/* The same, if it need not be replaced. */
static const struct optimise_trace *good_trace_at(const struct optimise *optimise, uint32_t pc)
{
	const struct optimise_trace *trace = optimise_trace_at(optimise, pc);
	return trace == NULL || trace->old ? NULL : trace;
}

void optimise_close_gaps(struct optimise *optimise, struct optimise_trace *trace)
{
	struct optimise_insn *first = &optimise->insns[trace->first], *end = first + trace->count, *to = first;
	while (to < end && !(to->flags & OPTIMISE_GONE))
		to++;
	if (to == end)
		return;
	for (const struct optimise_insn *insn = to + 1; insn < end; insn++)
		if (!(insn->flags & OPTIMISE_GONE))
			*to++ = *insn;
	trace->count = (uint32_t)(to - first);
	/* too little is left for one more */
	for (; to < end; to++) {
		to->kind = KIND_PLAIN;
		to->flags = OPTIMISE_GONE;
		to->size = 0;
		to->link = 0;
	}
}

/* The hottest place where no trace begins yet, which was met at least so often; NULL: none. */
static struct optimise_seed *hottest(const struct optimise *optimise, uint32_t least)
{
	uint32_t rare = optimise->config.build_cycles != 0 ? least / DIVISION_RARE : least;
	struct optimise_seed *best = NULL, *end = optimise->seeds + optimise->seed_count;
	rare = rare == 0 ? 1 : rare;
	for (struct optimise_seed *s = optimise->seeds; s < end; s++) {
		if (s->flow < (s->divides ? rare : least) || s->done || s->flow < s->wanted)
			continue;
		if (best == NULL || s->flow > best->flow)
			best = s;
	}
	return best;
}

static void improve(struct optimise *optimise, struct optimise_trace *trace)
{
	unsigned passes = optimise->config.passes;
	bool products = (trace->traits & TRAIT_PRODUCT) != 0, stack = (trace->traits & TRAIT_STACK) != 0;
	/* the exit of a reciprocal leads behind its division: before that can change places with another */
	if (products && passes & OPTIMISE_RECIPROCAL)
		optimise_reciprocal(optimise, trace);
	if (products && passes & OPTIMISE_DIVIDE)
		optimise_divide(optimise, trace);
	if (stack && passes & OPTIMISE_STACK)
		optimise_stack(optimise, trace);
	/* loads from the stack and products may have become copies */
	if (trace->traits & (TRAIT_COPY | TRAIT_STACK | TRAIT_PRODUCT) && passes & OPTIMISE_RENAME)
		optimise_rename(optimise, trace);
	if (passes & OPTIMISE_FORWARD)
		optimise_forward(optimise, trace);
	if (passes & OPTIMISE_DEAD)
		optimise_dead(optimise, trace);
	if (passes & OPTIMISE_SLOTS)
		optimise_slots(optimise, trace);
}

/* Does a trace that was just made end with a return, or a jump that nobody knows? */
static bool leads_away(const struct optimise *optimise, const struct optimise_trace *lead)
{
	const struct optimise_insn *insns = &optimise->insns[lead->first];
	uint32_t i = lead->count;
	while (i > 0 && insns[i - 1].flags & OPTIMISE_GONE)
		i--;
	return i > 0 && insns[i - 1].kind == KIND_INDIRECT;
}

/* The program enters a trace by its first instruction of 4 bytes: either it begins with one, or a trace that begins
 * there leads into it. */
static void make_root(struct optimise *optimise, uint32_t main)
{
	uint32_t at = optimise->traces[main].pc, flow = optimise->traces[main].flow;
	for (unsigned n = 0; n < 16; n++) {
		const struct optimise_insn *insn = optimise_decode(optimise, at);
		if (insn == NULL || insn->kind == KIND_STOP || insn->kind == KIND_INDIRECT)
			return;
		if (insn->length == 4 && insn->kind != KIND_JUMP && insn->kind != KIND_CALL) {
			const struct optimise_trace *there = good_trace_at(optimise, at);
			if (there == NULL) {
				if (!optimise_follow(optimise, at, flow, true))
					return;
				there = &optimise->traces[optimise->trace_count - 1];
				/* one that ends with its function never comes there: it has to pay for itself */
				if (!optimise->config.leads_pay || !leads_away(optimise, there))
					optimise->traces[optimise->trace_count - 1].main = (uint16_t)(main + 1);
			}
			optimise->traces[there - optimise->traces].root = true;
			return;
		}
		if (insn->kind == KIND_EXIT) {
			const struct optimise_weight *w = optimise_weight(optimise, at);
			at = w->pc != 1 && w->taken > w->fall ? insn->target : at + insn->length;
		} else {
			at = insn->kind == KIND_JUMP || insn->kind == KIND_CALL ? insn->target : at + insn->length;
		}
	}
}

/*
 * A patch is right if no instruction that the program may have executed begins in its middle, nor ends there. No
 * compiler makes such code.
 *
 *	patch at pc     ├── 4 bytes ──┤
 *	way 1                  ├──── at pc + 2
 *	way 2    ├── 4 bytes ──┤       at pc - 2
 */
static bool overlapped(const struct optimise *optimise, uint32_t pc)
{
	bool ok;
	return optimise_seen(optimise, pc + 2) ||
	       (optimise_seen(optimise, pc - 2) && (optimise_word(optimise, pc - 2, &ok) & 3) == 3 && ok);
}

static bool patch(struct optimise *optimise, struct optimise_trace *trace)
{
	bool ok;
	uint32_t before = optimise_word(optimise, trace->pc, &ok);
	int32_t distance = (int32_t)(optimise_address(optimise, trace) - trace->pc);
	if (!ok || (before & 3) != 3 || overlapped(optimise, trace->pc) ||
	    optimise->patch_count == optimise->patch_room)
		return false;
	optimise->patches[optimise->patch_count++] = (struct optimise_patch){.pc = trace->pc,
	    .before = before,
	    .after = optimise_jump_word(distance),
	    .from = optimise->epoch,
	    .trace = (uint32_t)(trace - optimise->traces)};
	return true;
}

/* How often each trace is entered by others; the rest are entries from the program. */
static void count_entries(struct optimise *optimise)
{
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++)
		optimise->traces[i].outside = optimise->traces[i].flow;
	const struct optimise_insn *insn = &optimise->insns[optimise->built_insns],
				   *end = &optimise->insns[optimise->insn_count];
	for (; insn < end; insn++) {
		if (insn->link <= optimise->built_traces) /* 0: to the program */
			continue;
		uint32_t *outside = &optimise->traces[insn->link - 1].outside;
		*outside -= insn->flow < *outside ? insn->flow : *outside;
	}
}

/* What the patch of a trace costs: a jump into the cache at each entry from the program, and a jump out at the end and
 * at exits that lead to no trace. */
static uint64_t patch_cost(const struct optimise *optimise, const struct optimise_trace *trace)
{
	const struct optimise_insn *insn = &optimise->insns[trace->first], *last = insn + trace->count - 1;
	uint64_t cost = 2 * (uint64_t)trace->outside;
	for (; insn < last; insn++)
		if (insn->kind == KIND_EXIT && insn->link == 0)
			cost += 2 * (uint64_t)insn->flow;
	return last->kind == KIND_JUMP ? cost + 2 * (uint64_t)trace->end_flow : cost;
}

/* Cycles that the layout of all new traces saves, without traces where that is less than their patch costs. */
static uint64_t promise(const struct optimise *optimise)
{
	uint64_t saved = 0;
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++) {
		const struct optimise_trace *trace = &optimise->traces[i];
		uint64_t cost = trace->root ? patch_cost(optimise, trace) : 0;
		if (trace->saved > cost)
			saved += trace->saved - cost;
	}
	return saved;
}

/* A trace that leads into another has that one's savings, and a jump more. */
static bool pays(const struct optimise *optimise, const struct optimise_trace *trace)
{
	const struct optimise_trace *main = trace->main != 0 ? &optimise->traces[trace->main - 1] : trace;
	uint64_t cost = patch_cost(optimise, main) + (main != trace ? 2 * (uint64_t)main->outside : 0);
	return main->saved * 100 > cost * (100 + optimise->config.gain_percent);
}

static bool avoided(const struct optimise *optimise, uint32_t pc)
{
	for (unsigned i = 0; i < optimise->config.avoid_count; i++)
		if (optimise->config.avoid[i] == pc)
			return true;
	return false;
}

/*
 * By samples an earlier build may have refused a trace its patch for too few of them. It gets one if the program still
 * comes there outside of the cache, and if a whole pass saves more than the way in and out takes.
 */
static void patch_later(struct optimise *optimise, uint32_t least)
{
	for (uint32_t i = 0; i < optimise->built_traces && optimise->config.build_cycles == 0; i++) {
		struct optimise_trace *trace = &optimise->traces[i];
		if (trace->root || trace->lead || trace->old || trace->after >= trace->before ||
		    avoided(optimise, trace->pc))
			continue;
		const struct optimise_seed *seed = optimise_seed_at(optimise, trace->pc);
		uint32_t saved = trace->before - trace->after;
		if (seed != NULL && seed->root && seed->flow >= least &&
		    saved * 100 > PATCH_CYCLES * (100 + optimise->config.gain_percent))
			trace->root = patch(optimise, trace);
	}
}

/* Has an earlier build an instruction that jumps to the program or to an old trace, and can jump elsewhere? */
static bool jumps_out(const struct optimise *optimise, const struct optimise_insn *insn)
{
	bool leads = insn->link != 0 && !optimise->traces[insn->link - 1].old;
	return !leads && (optimise->config.passes & OPTIMISE_LINK) != 0 &&
	       (insn->kind == KIND_EXIT ? !(insn->flags & OPTIMISE_DIRECT) : insn->size == 4);
}

/* Exits and jumps find the traces that they go to. */
static void resolve_links(struct optimise *optimise)
{
	struct optimise_insn *insn = optimise->insns, *built = insn + optimise->built_insns,
			     *end = insn + optimise->insn_count;
	for (; insn < end; insn++) {
		if (insn->kind != KIND_EXIT && insn->kind != KIND_JUMP)
			continue;
		bool old = insn < built;
		insn->flags &= (uint8_t)~OPTIMISE_AGAIN;
		if (insn->flags & OPTIMISE_GONE || (old && !jumps_out(optimise, insn)))
			continue;
		const struct optimise_trace *to = optimise_trace_at(optimise, insn->target);
		uint16_t link = to == NULL ? 0 : (uint16_t)(to - optimise->traces + 1);
		if (old && link != insn->link)
			insn->flags |= OPTIMISE_AGAIN;
		insn->link = link;
	}
}

/* Removes the trace that was made last, which is the coldest. */
static void drop_last(struct optimise *optimise)
{
	optimise->full++;
	const struct optimise_trace *last = &optimise->traces[--optimise->trace_count];
	optimise->insn_count = last->first;
	for (uint32_t i = 0; i < optimise->insn_count; i++)
		if (optimise->insns[i].link > optimise->trace_count) {
			optimise->insns[i].link = last->before_it;
			optimise->insns[i].flags &= (uint8_t)~OPTIMISE_AGAIN;
		}
	/* its pc stays in the filter, which may say yes too often */
}

int optimise_build(struct optimise *optimise)
{
	optimise->epoch++;
	uint64_t share = optimise->total / optimise->config.hot_share;
	uint32_t least = share < UINT32_MAX ? (uint32_t)share : UINT32_MAX;
	least = least < optimise->config.least_flow ? optimise->config.least_flow : least;
	/* layout saves some tenths of a cycle for each instruction, divisions may save more: what is met more rarely
	 * than this is not even tried */
	least = least < optimise->config.build_cycles ? optimise->config.build_cycles : least;
	least = least == 0 ? 1 : least;
	struct optimise_seed *seed;
	optimise->built_traces = optimise->trace_count;
	optimise->built_insns = optimise->insn_count;
	optimise->built_patches = optimise->patch_count;
	optimise->built_bytes = (optimise->cache_used + 3) & ~3u;
	while ((seed = hottest(optimise, least)) != NULL) {
		seed->done = true;
		if (good_trace_at(optimise, seed->pc) == NULL && !avoided(optimise, seed->pc))
			optimise_follow(optimise, seed->pc, seed->flow, false);
	}
	uint32_t main_traces = optimise->trace_count;
	for (uint32_t i = optimise->built_traces; i < main_traces; i++) {
		const struct optimise_seed *s = optimise_seed_at(optimise, optimise->traces[i].pc);
		if (s != NULL && s->root)
			make_root(optimise, i);
	}
	resolve_links(optimise);
	count_entries(optimise);
	optimise->promised = promise(optimise);
	if (optimise->promised < optimise->config.least_saved) {
		optimise->unpaid += optimise->trace_count - optimise->built_traces;
		optimise->trace_count = optimise->built_traces;
		optimise->insn_count = optimise->built_insns;
	}
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++) {
		struct optimise_trace *trace = &optimise->traces[i];
		uint32_t before = trace->after; /* as the layout made it */
		improve(optimise, trace);
		trace->after = optimise_cost(optimise, trace);
		if (trace->after < before)
			trace->saved += (uint64_t)(before - trace->after) * trace->end_flow;
	}
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++) {
		struct optimise_trace *trace = &optimise->traces[i];
		if (trace->root && !pays(optimise, trace)) {
			trace->root = false;
			optimise->unpaid++;
		}
	}
	while (!optimise_layout(optimise) && optimise->trace_count > optimise->built_traces)
		drop_last(optimise);
	for (uint32_t i = optimise->built_traces; i < optimise->trace_count; i++)
		if (optimise->traces[i].root)
			optimise->traces[i].root = patch(optimise, &optimise->traces[i]);
	patch_later(optimise, least);
	return (int)optimise->trace_count;
}
