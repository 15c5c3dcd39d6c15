/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Records become a phases file in memory; a phases file becomes intervals, phases and hot paths. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/rivulet_regs.h"
#include "host/cmd/load_records.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/phases.h"
#include "host/cmd/profiled.h"
#include "host/cmd/progress.h"
#include "host/cmd/stream.h"
#include "host/phases/feed.h"
#include "isa/isa.h"

static int emit_phases_file(void *context, const void *bytes, size_t size)
{
	struct phases_bytes *out = context;
	if (out->used + size > out->room) {
		const size_t room = 2 * out->room + size + 65536;
		uint8_t *bigger = realloc(out->bytes, room);
		if (bigger == NULL)
			return 1;
		out->bytes = bigger;
		out->room = room;
	}
	memcpy(out->bytes + out->used, bytes, size);
	out->used += size;
	return 0;
}

struct making {
	const struct phases_making *how;
	bool timed; /* the input has cycles */
	struct phases_writer *writer;
	struct phases_feed feed;
	uint64_t told;  /* time of the last change that was noted */
	uint64_t spent; /* cycles of the records so far */
	const struct stream *stream;
	size_t noticed; /* changes of the firmware that were noted */
};

static const char *take_phases_record(void *context, const struct record *record, const struct record_place *place,
    const struct walk_config *config, uint64_t missing)
{
	struct making *m = context;
	struct record_place at = *place;
	m->spent += record->cycles;
	if (!m->timed)
		at.time = 0;
	else if (m->how->own_clock)
		at.time = m->spent;
	int error = PHASES_OK;
	/* those before this record left the port; it ends a trace that was going on */
	while (m->noticed < m->stream->change_count && m->stream->changes[m->noticed].cycle < place->time &&
	       error == PHASES_OK)
		error = phases_writer_firmware(m->writer, m->stream->changes[m->noticed++].cycle);
	if (error == PHASES_OK)
		error = phases_feed_record(&m->feed, record, &at, config, missing);
	return error == PHASES_OK ? NULL : phases_strerror(error);
}

/* At most one change for each sort: the first one that it tells. */
static void note_swap(void *context, const struct sorted_swap *swap)
{
	struct making *m = context;
	struct phases_place place;
	if (m->told == swap->time && swap->time != 0)
		return;
	m->told = swap->time;
	phases_writer_change(m->writer, swap->rose, swap->rose_count / (swap->sank_count + (swap->sank_count == 0)));
	if (!m->how->changes)
		return;
	phases_writer_place(m->writer, &place);
	complain("phase change near instruction %s: path %" PRIu32 " ran %s times in this period, path %" PRIu32 " %s",
	    with_commas(place.at[PHASES_INSTRUCTION]), swap->rose, with_commas(swap->rose_count), swap->sank,
	    with_commas(swap->sank_count));
}

/* What the file says of the run, and what a reader makes of it. */
static void describe_phases_run(struct phases_run *run, const struct profile *head, const struct remainder_shown *shown)
{
	const struct profile_end *end = &head->end;
	*run = (struct phases_run){.lost = end->lost, .unfit = shown->unfit};
	if (head->has_end && end->instructions > 0)
		*run = (struct phases_run){
		    .instructions = end->run_instructions > 0 ? end->run_instructions : end->instructions,
		    .cycles = end->run_cycles > 0 ? end->run_cycles : end->cycles,
		    .traced = end->instructions,
		    .traced_cycles = end->cycles,
		    .lost = end->lost,
		    .unfit = shown->unfit};
	run->uncounted = shown->uncounted;
	run->flags = ((head->header.ctrl & RV_CTRL_HANDLERS_MASK) != 0 ? PHASES_RUN_HANDLERS : 0u) |
		     (shown->damaged ? PHASES_RUN_DAMAGED : 0u) | (shown->counters ? PHASES_RUN_COUNTERS : 0u) |
		     (head->imported ? PHASES_RUN_IMPORTED : 0u);
}

void phases_remainder(struct phases_view *view)
{
	const struct phases_end *end = phases_end(view->file);
	const struct phases_run none = {0}, *run = end == NULL ? &none : &end->run;
	struct profile head = {
	    .has_header = true, .has_end = true, .imported = (run->flags & PHASES_RUN_IMPORTED) != 0};
	struct phases_damage damage;
	phases_total(view->file, &view->total);
	phases_damage(view->file, &damage);
	head.header.period = 1;
	head.header.ctrl = (run->flags & PHASES_RUN_HANDLERS) != 0 ? RV_CTRL_HANDLERS_MASK : 0;
	head.end = (struct profile_end){.instructions = run->traced,
	    .cycles = run->traced_cycles,
	    .run_instructions = run->instructions,
	    .run_cycles = run->cycles,
	    .lost = run->lost};
	struct remainder_shown shown = {.insns = view->total.at[PHASES_INSTRUCTION] - damage.instructions,
	    .unfit = run->unfit,
	    .damaged =
		(run->flags & PHASES_RUN_DAMAGED) != 0 || damage.chunks > 0 || damage.bytes > 0 || damage.no_end};
	shown.counters = (run->flags & PHASES_RUN_COUNTERS) != 0;
	shown.uncounted = run->uncounted;
	remainder_find(&view->remainder, &head, &shown);
}

int phases_make_file(const struct phases_making *how, struct phases_view *view, struct phases_bytes *out)
{
	struct phases_header header = {.cycles = !is_trace(view->input) && !is_untimed_file(view->input)};
	struct making m = {.how = how, .timed = header.cycles};
	struct profile head = {0};
	uint32_t build;
	const char *slash = strrchr(view->program, '/');
	if (!check_one_hart(view->input))
		return STATUS_FAILED;
	if (!header.cycles && how->layers != NULL && how->layers->table.clock == SORTED_CYCLES) {
		complain("%s: it has no cycles: --sort-clock=cycles would never sort", view->input);
		return STATUS_FAILED;
	}
	snprintf(header.program, sizeof header.program, "%s", slash != NULL ? slash + 1 : view->program);
	if (image_build(view->image, &build, NULL, 0) == IMAGE_OK)
		header.code_crc = build;
	int error = phases_writer_open(&m.writer, &header, how->layers, (int)how->level, emit_phases_file, out);
	if (error != PHASES_OK) {
		complain("%s: %s", view->input, phases_strerror(error));
		return STATUS_FAILED;
	}
	layers_on_swap(phases_writer_layers(m.writer), 0, note_swap, &m);
	phases_feed_open(&m.feed, m.writer, view->image);
	struct stream stream = {.name = view->input,
	    .program = view->program,
	    .image = view->image,
	    .partial = how->partial,
	    .force = how->force,
	    .quiet = view->quiet,
	    .take = take_phases_record,
	    .context = &m,
	    .head = &head};
	m.stream = &stream;
	int status = read_stream(&stream);
	struct remainder_shown shown = {
	    .insns = m.feed.instructions, .unfit = m.feed.failed, .damaged = stream.damaged};
	struct phases_run run;
	if (is_trace(view->input))
		shown_by_counters(&shown, view->image, NULL);
	remainder_find(&view->remainder, &head, &shown);
	describe_phases_run(&run, &head, &shown);
	phases_writer_run(m.writer, &run);
	if (status != STATUS_FAILED &&
	    (error = phases_writer_finish(m.writer, stream.ended ? PHASES_END_EXIT : PHASES_END_CUT)) != PHASES_OK) {
		complain("%s: %s", view->input, phases_strerror(error));
		status = STATUS_FAILED;
	}
	if (status != STATUS_FAILED && m.feed.failed > 0) {
		status = STATUS_NO;
		if (!view->quiet)
			complain("%s: %s of %s traces do not fit the program (the first at 0x%08" PRIx64 ": %s)",
			    view->input, with_commas(m.feed.failed), with_commas(m.feed.traces), (uint64_t)m.feed.at,
			    walk_strerror(m.feed.walk_error));
	}
	phases_feed_close(&m.feed);
	phases_writer_close(m.writer);
	return status;
}

static void look_at_block(void *context, const struct phases_block *block, struct interval_block *what)
{
	const struct phases_view *v = context;
	struct isa_insn insn = {0};
	uint64_t start = 0, at = block->address;
	if (image_function(v->image, at, &start) != NULL)
		what->function = start;
	for (uint32_t i = 0; i < block->instructions && image_insn(v->image, at, 0, &insn); i++)
		at += insn.length;
	what->branch = (insn.class_bits & ISA_BRANCH) != 0;
}

const char *const phases_heat_names[HEATS] = {
    "instructions", "cycles", "branches", "loads", "stores", "calls", "muldiv", "float"};

/* No instruction of a core that lacks these extensions. */
static bool needs_extension(const struct isa_insn *insn, unsigned extensions)
{
	const unsigned all = (insn->xlen == 64 ? ISA_ANY64 : ISA_ANY32);
	return isa_row_in(insn->row, all) && !isa_row_in(insn->row, all & ~extensions);
}

static bool counts_as_heat(enum phases_heat by, const struct isa_insn *insn)
{
	switch (by) {
	case HEAT_BRANCHES:
		return (insn->class_bits & ISA_BRANCH) != 0;
	case HEAT_LOADS:
		return (insn->class_bits & ISA_LOAD) != 0;
	case HEAT_STORES:
		return (insn->class_bits & ISA_STORE) != 0;
	case HEAT_CALLS:
		return (insn->class_bits & ISA_CALL) != 0;
	case HEAT_MULDIV:
		return needs_extension(insn, ISA_EXT_M);
	case HEAT_FLOAT:
		return needs_extension(insn, ISA_EXT_F | ISA_EXT_D);
	default:
		return true;
	}
}

/* One trip of a path. Cycles are those of the second trip of two, by the rules of the core and with the fastest
 * operands: most paths are those of loops. */
static uint64_t weigh_blocks(void *context, const uint32_t *blocks, uint32_t count)
{
	const struct phases_view *v = context;
	struct core_state state = CORE_START;
	uint64_t heat = 0;
	for (unsigned trip = v->heat_by == HEAT_CYCLES ? 0 : 1; trip < 2; trip++)
		for (uint32_t b = 0; b < count; b++) {
			const struct phases_block *block = phases_block(v->file, blocks[b]);
			const struct phases_block *next = phases_block(v->file, blocks[b + 1 < count ? b + 1 : 0]);
			struct isa_insn insn;
			uint64_t at = block->address;
			for (uint32_t i = 0; i < block->instructions && image_insn(v->image, at, block->context, &insn);
			     i++) {
				struct core_insn facts;
				const uint64_t behind = at + insn.length;
				if (v->heat_by == HEAT_CYCLES) {
					core_facts(v->core, &insn, at, &facts);
					const bool taken = i + 1 == block->instructions && next->address != behind;
					const unsigned cycles = core_next(v->core, &state, &facts, taken, 0);
					heat += trip == 1 ? cycles : 0;
				} else {
					heat += counts_as_heat(v->heat_by, &insn);
				}
				at = behind;
			}
		}
	return heat;
}

/* A trip may be longer than the last interval, which then has none; if it is longer than others too, labels are not of
 * what they were made for. */
static bool fits_clusters(const struct phases_view *v)
{
	const uint32_t count = v->clusters->lengths.count;
	if (v->intervals.count == count || v->intervals.count + 1 == count)
		return true;
	complain("%s: its %" PRIu32 " intervals are %" PRIu32 " of this run: they are shorter than its paths",
	    v->clusters->prefix, count, v->intervals.count);
	return false;
}

/* Intervals, segments and grammar. */
static int find_run_phases(struct phases_view *v, uint32_t intervals)
{
	struct segments_config config;
	struct progress progress;
	segments_config_default(&config);
	progress_begin(&progress, v->quiet ? NULL : v->input);
	const struct intervals_watch watch = {look_at_block, v, progress_show, &progress};
	int error = v->clusters != NULL ? intervals_make_of(&v->intervals, v->file, &v->clusters->lengths, &watch)
					: intervals_make(&v->intervals, v->file, intervals, &watch);
	progress_end(&progress);
	if (error == PHASES_OK && v->clusters != NULL)
		error = fits_clusters(v)
			    ? segments_of_labels(&v->segments, &v->intervals, &v->total, v->clusters->label)
			    : PHASES_EVALUE;
	else if (error == PHASES_OK)
		error = segments_make(&v->segments, &v->intervals, &v->total, &config);
	if (error == PHASES_OK)
		error = phase_grammar_make(&v->grammar, &v->segments);
	return error == PHASES_OK ? phase_repetitions_make(&v->repetitions, &v->grammar, &v->segments, &v->intervals)
				  : error;
}

static void forget_phases(struct phases_view *v)
{
	phase_repetitions_free(&v->repetitions);
	phase_grammar_free(&v->grammar);
	segments_free(&v->segments);
	intervals_free(&v->intervals);
}

#define MIXED 0.1      /* of the instructions, elsewhere than their phases say: finer intervals are tried */
#define SHORTEST 1000u /* instructions of an interval, so that its vector says something */
#define SYMBOL                                                                                                         \
	0.0025 /* what a symbol of the grammar may cost: it explains a quarter of a per cent of the run, or more */

/* What people read, and what it leaves unexplained, as one number: the less the better. */
static double description_length(const struct phases_view *v, const struct intervals *seen)
{
	const uint32_t symbols = v->grammar.count > 0 ? v->grammar.symbols : v->segments.count;
	return segments_apart(&v->segments, &v->intervals, seen) + SYMBOL * symbols;
}

/* A run whose phases are shorter than an interval looks like one phase that is mixed of all: short intervals see
 * them. */
static int try_finer(struct phases_view *v)
{
	struct phases_view fine = *v;
	fine.intervals = (struct intervals){0};
	fine.segments = (struct segments){0};
	fine.grammar = (struct phase_grammar){0};
	fine.repetitions = (struct phase_repetitions){0};
	if (v->total.at[PHASES_INSTRUCTION] < (uint64_t)PHASES_FINE * SHORTEST ||
	    segments_apart(&v->segments, &v->intervals, &v->intervals) <= MIXED)
		return PHASES_OK;
	int error = find_run_phases(&fine, PHASES_FINE);
	if (error == PHASES_OK && description_length(&fine, &fine.intervals) < description_length(v, &fine.intervals)) {
		forget_phases(v);
		*v = fine;
	} else {
		forget_phases(&fine);
	}
	return error;
}

int phases_analyse(struct phases_view *v, uint32_t intervals)
{
	detector_limits_default(&v->limits);
	phases_total(v->file, &v->total);
	int error = find_run_phases(v, intervals == 0 ? PHASES_COARSE : intervals);
	if (error == PHASES_OK && intervals == 0 && v->clusters == NULL)
		error = try_finer(v);
	if (error == PHASES_OK)
		error = heat_make(&v->heat, v->file, &v->intervals, &v->segments,
		    v->heat_by == HEAT_INSTRUCTIONS ? NULL : weigh_blocks, v);
	if (error != PHASES_OK)
		complain("%s: %s", v->input, phases_strerror(error));
	return error == PHASES_OK ? STATUS_OK : STATUS_FAILED;
}

void phases_view_free(struct phases_view *v)
{
	heat_free(&v->heat);
	forget_phases(v);
	phases_close(v->file);
}
