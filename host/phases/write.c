/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/phases/definitions.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define NONE UINT32_MAX
#define TIME_SPACING 65536u /* instructions between two times that are kept */
#define FEED 4096u          /* blocks between two looks at the chunk's size */
#define USUAL_LEVEL 15
/* Fewer blocks a repeated path than this: there is too little time for that level, at twenty million blocks a
 * second. */
#define BLOCKS_A_SYMBOL 7
#define QUICK_LEVEL 12
#define SHORT_LEVEL 19 /* of a run that is one chunk: there is time */

struct phases_writer {
	phases_emit *emit;
	void *context;
	int level;
	uint64_t emitted;
	struct layers *layers;
	enum sorted_clock clock; /* of its tables */
	ZSTD_CCtx *zstd;
	int error; /* the first; everything fails with it afterwards */

	/* blocks, and a hash table of them: number + 1 */
	struct phases_block *blocks;
	uint32_t *instructions;
	uint32_t block_count, block_room;
	uint32_t *block_table;
	unsigned block_bits;
	uint32_t blocks_written;

	/* the chunk under way */
	uint32_t epoch, chunk_number, in_group;
	struct phases_place begin, now; /* at its beginning; behind what is over */
	uint32_t *symbols, symbol_count, symbol_room;
	uint32_t paths_written, symbols_written; /* of this epoch, in chunks before */
	uint64_t defined;                        /* blocks of paths that are new in it */
	uint64_t *times, *marks;                 /* two and four numbers each, relative to those before */
	uint32_t time_count, time_room, mark_count, mark_room;
	uint64_t fed;                              /* instructions */
	uint64_t time_insn, time_cycle, mark_insn; /* the last ones written to this chunk; 0: none */
	uint64_t spaced_insn;                      /* the last one written at all */
	uint64_t latest_insn, latest_cycle;        /* the last one known */

	struct bytes prefix, raw, side, packed, out;
	struct definitions definitions;
	struct phases_end end;
	bool finished;
	bool short_run; /* it is over, and the chunk under way is its only one */
};

static int fail_phases(struct phases_writer *w, int error)
{
	if (w->error == PHASES_OK)
		w->error = error;
	return w->error;
}

static void write_repeat(void *context, const struct layers_repeat *repeat)
{
	struct phases_writer *w = context;
	if (repeat->level == 1) {
		w->now.at[PHASES_STRATUM] += repeat->trips;
		return;
	}
	if (repeat->level != 0 || w->error != PHASES_OK)
		return;
	if (w->symbol_count == w->symbol_room) {
		const uint32_t room = 2 * w->symbol_room + 4096;
		uint32_t *bigger = realloc(w->symbols, room * sizeof *bigger);
		if (bigger == NULL) {
			fail_phases(w, PHASES_ENOMEM);
			return;
		}
		w->symbols = bigger;
		w->symbol_room = room;
	}
	w->symbols[w->symbol_count++] = repeat->symbol;
	const struct layers_sums *sums = layers_sums(w->layers, 0, repeat->sequence);
	w->now.at[PHASES_INSTRUCTION] += repeat->trips * sums->instructions;
	w->now.at[PHASES_BLOCK] += repeat->trips * sums->blocks;
	w->now.at[PHASES_PATH] += repeat->trips;
	w->now.at[PHASES_REPEATED]++;
	if (repeat->is_new)
		w->defined += 1 + sums->blocks;
}

/* ---------------------------------------------------------------- definitions */

/* Times, marks and definitions of the chunk, coded, in w->side. */
static int make_side(struct phases_writer *w, const struct chunk_head *head)
{
	struct definitions *d = &w->definitions;
	w->side.used = 0;
	if (definitions_begin(d, w->block_count, head->first_block, head->paths) != PHASES_OK)
		return PHASES_ENOMEM;
	coder_write(&d->coder, &w->side);
	for (uint32_t i = 0; i < 2 * head->times; i++)
		code_number(&d->coder, &d->time, w->times[i]);
	for (uint32_t i = 0; i < 4 * head->marks; i++)
		code_number(&d->coder, &d->mark, w->marks[i]);
	for (uint32_t b = head->first_block; b < w->block_count; b++)
		code_block(d, &w->blocks[b]);
	for (uint32_t p = 0; p < head->paths; p++) {
		uint32_t count;
		const uint32_t *blocks = layers_sequence(w->layers, 0, head->first_path + p, &count);
		code_path(d, (uint32_t *)(uintptr_t)blocks, &count, w->block_count);
	}
	uint32_t next_path = head->first_path;
	for (uint32_t s = 0; s < head->defined; s++) {
		uint32_t path, trips;
		layers_symbol(w->layers, 0, head->first_symbol + s, &path, &trips);
		code_repeated(d, next_path, &path, &trips);
		next_path += path == next_path;
	}
	coder_finish(&d->coder);
	definitions_end(d);
	return w->side.failed ? PHASES_ENOMEM : PHASES_OK;
}

/* ---------------------------------------------------------------- chunks */

static int emit_section_bytes(struct phases_writer *w, const void *bytes, size_t size)
{
	if (w->emit(w->context, bytes, size) != 0)
		return fail_phases(w, PHASES_EWRITE);
	w->emitted += size;
	return PHASES_OK;
}

static int emit_section(struct phases_writer *w, enum section_type type, uint32_t number, const struct bytes *payload)
{
	struct section section = {.type = type, .number = number, .size = (uint32_t)payload->used};
	uint8_t head[SECTION_HEAD];
	if (payload->failed)
		return fail_phases(w, PHASES_ENOMEM);
	section.crc = section_crc(&section, payload->data, payload->used);
	section_write(&section, head);
	int error = emit_section_bytes(w, head, sizeof head);
	return error == PHASES_OK ? emit_section_bytes(w, payload->data, payload->used) : error;
}

/* Of the chunk under way: as the caller wants, or the usual. */
static int level_now(const struct phases_writer *w)
{
	const uint64_t blocks = w->now.at[PHASES_BLOCK] - w->begin.at[PHASES_BLOCK];
	if (w->level != 0)
		return w->level;
	if (w->short_run)
		return SHORT_LEVEL;
	return w->chunk_number > 0 && blocks < (uint64_t)BLOCKS_A_SYMBOL * w->symbol_count ? QUICK_LEVEL : USUAL_LEVEL;
}

/* Compresses from into to, with or without the prefix of the group. */
static int compress_bytes(
    struct phases_writer *w, const struct bytes *from, const struct bytes *prefix, struct bytes *to)
{
	const size_t bound = ZSTD_compressBound(from->used);
	if (bound > to->room) {
		uint8_t *bigger = realloc(to->data, bound);
		if (bigger == NULL)
			return fail_phases(w, PHASES_ENOMEM);
		to->data = bigger;
		to->room = bound;
	}
	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, level_now(w));
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_contentSizeFlag, 0);
	ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_windowLog, 20);
	if (prefix != NULL)
		ZSTD_CCtx_refPrefix(w->zstd, prefix->data, prefix->used);
	const size_t size = ZSTD_compress2(w->zstd, to->data, to->room, from->data, from->used);
	if (ZSTD_isError(size))
		return fail_phases(w, PHASES_ECODEC);
	to->used = size;
	return PHASES_OK;
}

/* The symbols of the chunk, width bytes each, in w->raw: 0 for one that was never seen before, else its number + 1. */
static int make_main(struct phases_writer *w, unsigned width)
{
	uint8_t some[4 * 256];
	uint32_t next = w->symbols_written;
	w->raw.used = 0;
	for (uint32_t i = 0; i < w->symbol_count;) {
		size_t used = 0;
		for (; i < w->symbol_count && used + width <= sizeof some; i++) {
			const uint32_t value = w->symbols[i] == next ? 0 : w->symbols[i] + 1;
			next += value == 0;
			for (unsigned b = 0; b < width; b++)
				some[used++] = (uint8_t)(value >> 8 * b);
		}
		bytes_add(&w->raw, some, used);
	}
	return w->raw.failed ? fail_phases(w, PHASES_ENOMEM) : PHASES_OK;
}

static unsigned symbol_width_of(uint32_t symbols)
{
	if (symbols < 1u << 8)
		return 1;
	if (symbols < 1u << 16)
		return 2;
	return symbols < 1u << 24 ? 3 : 4;
}

/* The cycle behind what is over: between the chunk's beginning and the last time that is known, in proportion. */
static uint64_t cycle_now(const struct phases_writer *w)
{
	const uint64_t insns = w->now.at[PHASES_INSTRUCTION] - w->begin.at[PHASES_INSTRUCTION];
	const uint64_t known = w->latest_insn - w->begin.at[PHASES_INSTRUCTION];
	const uint64_t cycles = w->latest_cycle - w->begin.at[PHASES_CYCLE];
	if (w->latest_insn <= w->now.at[PHASES_INSTRUCTION] || known == 0)
		return w->latest_cycle;
	return w->begin.at[PHASES_CYCLE] + (uint64_t)((double)cycles * (double)insns / (double)known);
}

/* Writes the chunk under way; the strata end with it. */
static int end_phases_chunk(struct phases_writer *w)
{
	if (w->error != PHASES_OK)
		return w->error;
	int error = layers_cut(w->layers, 1);
	if (error != LAYERS_OK)
		return fail_phases(w, PHASES_ENOMEM);
	if (w->symbol_count == 0 && w->mark_count == 0)
		return PHASES_OK;
	w->now.at[PHASES_CYCLE] = cycle_now(w);
	const uint32_t symbols_end = layers_symbols(w->layers, 0), paths_end = layers_sequences(w->layers, 0);
	struct chunk_head head = {.epoch = w->epoch,
	    .base = w->in_group,
	    .at = w->begin,
	    .symbols = w->symbol_count,
	    .width = (uint8_t)symbol_width_of(symbols_end),
	    .first_block = w->blocks_written,
	    .first_path = w->paths_written,
	    .first_symbol = w->symbols_written,
	    .blocks = w->block_count - w->blocks_written,
	    .paths = paths_end - w->paths_written,
	    .defined = symbols_end - w->symbols_written,
	    .times = w->time_count,
	    .marks = w->mark_count};
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		head.length.at[k] = w->now.at[k] - w->begin.at[k];
	if (w->in_group > 0 && symbol_width_of(w->symbols_written) != head.width)
		head.base = w->in_group = 0; /* the prefix has symbols of another width */
	if ((error = make_side(w, &head)) != PHASES_OK)
		return fail_phases(w, error);
	if (make_main(w, head.width) != PHASES_OK ||
	    compress_bytes(w, &w->raw, w->in_group > 0 ? &w->prefix : NULL, &w->packed) != PHASES_OK)
		return w->error;
	if (w->in_group == 0) {
		const struct bytes old = w->prefix;
		w->prefix = w->raw;
		w->raw = old;
	}
	head.side_size = (uint32_t)w->side.used;
	head.main_size = (uint32_t)w->packed.used;
	w->out.used = 0;
	chunk_head_write(&head, &w->out);
	bytes_add(&w->out, w->side.data, w->side.used);
	bytes_add(&w->out, w->packed.data, w->packed.used);
	if (emit_section(w, SECTION_CHUNK, w->chunk_number, &w->out) != PHASES_OK)
		return w->error;
	w->end.paths += head.paths;
	w->chunk_number++;
	w->in_group = (w->in_group + 1) % PHASES_GROUP;
	w->begin = w->now;
	w->symbol_count = 0;
	w->blocks_written = w->block_count;
	w->paths_written = paths_end;
	w->symbols_written = symbols_end;
	w->defined = 0;
	w->time_count = w->mark_count = 0;
	w->time_insn = w->time_cycle = w->mark_insn = 0;
	return PHASES_OK;
}

/* All paths are forgotten: their numbers begin anew. */
static int end_epoch(struct phases_writer *w)
{
	if (layers_cut(w->layers, 0) != LAYERS_OK)
		return fail_phases(w, PHASES_ENOMEM);
	if (end_phases_chunk(w) != PHASES_OK)
		return w->error;
	layers_clear(w->layers);
	w->epoch++;
	w->in_group = 0;
	w->paths_written = w->symbols_written = 0;
	return PHASES_OK;
}

static int look_at_stratum(struct phases_writer *w)
{
	if (w->error == PHASES_OK && (w->symbol_count >= PHASES_CHUNK_SYMBOLS || w->defined >= PHASES_CHUNK_DEFINED)) {
		end_phases_chunk(w);
		if (w->error == PHASES_OK && layers_bytes(w->layers) > PHASES_EPOCH_BYTES)
			end_epoch(w);
	}
	return w->error;
}

/* ---------------------------------------------------------------- the interface */

int phases_writer_open(struct phases_writer **writer, const struct phases_header *header,
    const struct layers_config *layers_config, int level, phases_emit *emit_function, void *context)
{
	struct layers_config usual;
	*writer = NULL;
	if (layers_config == NULL) {
		layers_config_default(&usual);
		layers_config = &usual;
	}
	if (layers_config->levels < 2 || level < 0 || level > 19 || header->build_id_size > sizeof header->build_id)
		return PHASES_EVALUE;
	struct phases_writer *w = calloc(1, sizeof *w);
	if (w == NULL)
		return PHASES_ENOMEM;
	w->emit = emit_function;
	w->context = context;
	w->level = level;
	w->clock = layers_config->table.clock;
	w->block_bits = SIZED(12, 4);
	w->block_table = calloc((size_t)1 << w->block_bits, sizeof *w->block_table);
	w->zstd = ZSTD_createCCtx();
	int error = layers_open(&w->layers, layers_config);
	if (w->block_table == NULL || w->zstd == NULL || error != LAYERS_OK) {
		phases_writer_close(w);
		return error == LAYERS_ECONFIG ? PHASES_EVALUE : PHASES_ENOMEM;
	}
	layers_on_repeat(w->layers, write_repeat, w);
	struct bytes out = {0};
	bytes_add(&out, PHASES_MAGIC, 8);
	const size_t name = strnlen(header->program, PHASES_NAME_MAX - 1);
	bytes_leb(&out, name);
	bytes_add(&out, header->program, name);
	bytes_leb(&out, header->build_id_size);
	bytes_add(&out, header->build_id, header->build_id_size);
	bytes_leb(&out, header->code_crc);
	bytes_leb(&out, header->started);
	bytes_leb(&out, header->cycles);
	bytes_leb(&out, layers_config->length_max[1]);
	emit_section_bytes(w, PHASES_MAGIC, 8);
	emit_section(w, SECTION_HEADER, 0, &out);
	bytes_free(&out);
	error = w->error;
	if (error != PHASES_OK) {
		phases_writer_close(w);
		return error;
	}
	*writer = w;
	return PHASES_OK;
}

void phases_writer_close(struct phases_writer *w)
{
	if (w == NULL)
		return;
	layers_close(w->layers);
	ZSTD_freeCCtx(w->zstd);
	free(w->blocks);
	free(w->instructions);
	free(w->block_table);
	free(w->symbols);
	free(w->times);
	free(w->marks);
	bytes_free(&w->prefix);
	bytes_free(&w->raw);
	bytes_free(&w->side);
	bytes_free(&w->packed);
	bytes_free(&w->out);
	free(w);
}

static bool same_block(const struct phases_block *a, const struct phases_block *b)
{
	return a->address == b->address && a->bytes == b->bytes && a->instructions == b->instructions &&
	       a->context == b->context;
}

static size_t block_slot(const struct phases_writer *w, const struct phases_block *block)
{
	const uint64_t hash =
	    (block->address + block->bytes * 0x51ED27u + block->context * 0xABC98388Fu) * 0x9E3779B97F4A7C15u;
	size_t slot = hash >> (64 - w->block_bits);
	while (w->block_table[slot] != 0 && !same_block(&w->blocks[w->block_table[slot] - 1], block))
		slot = (slot + 1) & (((size_t)1 << w->block_bits) - 1);
	return slot;
}

static int grow_blocks(struct phases_writer *w)
{
	if (w->block_count == w->block_room) {
		const uint32_t room = 2 * w->block_room + 256;
		struct phases_block *blocks = realloc(w->blocks, room * sizeof *blocks);
		if (blocks == NULL)
			return PHASES_ENOMEM;
		w->blocks = blocks;
		uint32_t *instructions = realloc(w->instructions, room * sizeof *instructions);
		if (instructions == NULL)
			return PHASES_ENOMEM;
		w->instructions = instructions;
		w->block_room = room;
	}
	if (w->block_count * 2 < 1u << w->block_bits)
		return PHASES_OK;
	uint32_t *table = calloc((size_t)2 << w->block_bits, sizeof *table);
	if (table == NULL)
		return PHASES_ENOMEM;
	free(w->block_table);
	w->block_table = table;
	w->block_bits++;
	for (uint32_t b = 0; b < w->block_count; b++)
		w->block_table[block_slot(w, &w->blocks[b])] = b + 1;
	return PHASES_OK;
}

int phases_writer_block(struct phases_writer *w, const struct phases_block *block, uint32_t *number)
{
	if (w->error != PHASES_OK)
		return w->error;
	if (block->address % 2 != 0 || block->bytes % 2 != 0 || block->instructions == 0 ||
	    block->instructions > block->bytes / 2)
		return PHASES_EVALUE;
	size_t slot = block_slot(w, block);
	if (w->block_table[slot] == 0) {
		int error = grow_blocks(w);
		if (error != PHASES_OK)
			return fail_phases(w, error);
		w->blocks[w->block_count] = *block;
		w->instructions[w->block_count] = block->instructions;
		w->block_table[block_slot(w, block)] = ++w->block_count;
		if (layers_blocks(w->layers, w->instructions, w->block_count) != LAYERS_OK)
			return fail_phases(w, PHASES_ENOMEM);
		*number = w->block_count - 1;
		return PHASES_OK;
	}
	*number = w->block_table[slot] - 1;
	return PHASES_OK;
}

int phases_writer_feed(struct phases_writer *w, const uint32_t *blocks, size_t count)
{
	while (count > 0 && w->error == PHASES_OK) {
		const size_t some = count < FEED ? count : FEED;
		for (size_t i = 0; i < some; i++) {
			if (blocks[i] >= w->block_count)
				return PHASES_EVALUE;
			w->fed += w->instructions[blocks[i]];
		}
		int error = layers_feed(w->layers, blocks, some);
		if (error != LAYERS_OK)
			return fail_phases(w, PHASES_ENOMEM);
		if (w->clock == SORTED_INSTRUCTIONS)
			layers_tick(w->layers, w->fed);
		look_at_stratum(w);
		blocks += some;
		count -= some;
	}
	return w->error;
}

static bool room_for_numbers(uint64_t **numbers, uint32_t *room, uint32_t count)
{
	if (count <= *room)
		return true;
	uint64_t *bigger = realloc(*numbers, 2 * (size_t)count * sizeof *bigger);
	if (bigger == NULL)
		return false;
	*numbers = bigger;
	*room = 2 * count;
	return true;
}

int phases_writer_time(struct phases_writer *w, uint64_t cycle)
{
	if (w->error != PHASES_OK)
		return w->error;
	if (cycle < w->latest_cycle)
		return PHASES_EVALUE;
	if (w->clock == SORTED_CYCLES)
		layers_tick(w->layers, cycle);
	w->latest_insn = w->fed;
	w->latest_cycle = cycle;
	bool begins = w->fed == 0 && cycle > 0; /* what came before is not the first instructions' */
	if (!begins && w->fed - w->spaced_insn < TIME_SPACING)
		return PHASES_OK;
	if (!room_for_numbers(&w->times, &w->time_room, 2 * w->time_count + 2))
		return fail_phases(w, PHASES_ENOMEM);
	w->times[2 * w->time_count] = w->fed - w->time_insn;
	w->times[2 * w->time_count + 1] = cycle - w->time_cycle;
	w->time_count++;
	w->time_insn = w->spaced_insn = w->fed;
	w->time_cycle = cycle;
	return PHASES_OK;
}

static int add_mark(struct phases_writer *w, enum phases_mark_kind kind, uint64_t value, uint32_t path)
{
	if (!room_for_numbers(&w->marks, &w->mark_room, 4 * w->mark_count + 4))
		return fail_phases(w, PHASES_ENOMEM);
	const uint64_t mark[4] = {kind, w->fed - w->mark_insn, value, path};
	memcpy(w->marks + (size_t)4 * w->mark_count++, mark, sizeof mark);
	w->mark_insn = w->fed;
	return PHASES_OK;
}

int phases_writer_gap(struct phases_writer *w, uint64_t count)
{
	if (w->error != PHASES_OK)
		return w->error;
	if (layers_cut(w->layers, 0) != LAYERS_OK)
		return fail_phases(w, PHASES_ENOMEM);
	w->end.gaps++;
	w->end.missing += count;
	return add_mark(w, PHASES_GAP, count, 0);
}

int phases_writer_change(struct phases_writer *w, uint32_t path, uint64_t value)
{
	if (w->error != PHASES_OK)
		return w->error;
	w->end.changes++;
	return add_mark(w, PHASES_CHANGE, value, path);
}

int phases_writer_firmware(struct phases_writer *w, uint64_t cycle)
{
	return w->error != PHASES_OK ? w->error : add_mark(w, PHASES_FIRMWARE, cycle, 0);
}

int phases_writer_flush(struct phases_writer *w)
{
	return end_phases_chunk(w);
}

void phases_writer_run(struct phases_writer *w, const struct phases_run *run)
{
	w->end.run = *run;
}

int phases_writer_finish(struct phases_writer *w, enum phases_ending ending)
{
	if (w->error != PHASES_OK || w->finished)
		return w->error;
	if (layers_cut(w->layers, 0) != LAYERS_OK)
		return fail_phases(w, PHASES_ENOMEM);
	w->short_run = w->chunk_number == 0;
	if (end_phases_chunk(w) != PHASES_OK)
		return w->error;
	w->end.total = w->begin;
	w->end.ending = (uint8_t)ending;
	w->finished = true;
	struct bytes out = {0};
	for (unsigned k = 0; k < PHASES_KEYS; k++)
		bytes_leb(&out, w->end.total.at[k]);
	bytes_leb(&out, w->end.paths);
	bytes_leb(&out, w->end.gaps);
	bytes_leb(&out, w->end.missing);
	bytes_leb(&out, w->end.changes);
	bytes_leb(&out, w->end.ending);
	bytes_leb(&out, w->chunk_number);
	const struct phases_run *run = &w->end.run;
	const uint64_t of_run[] = {run->instructions, run->cycles, run->traced, run->traced_cycles, run->lost,
	    run->unfit, run->uncounted, run->flags};
	for (unsigned i = 0; i < sizeof of_run / sizeof *of_run; i++)
		bytes_leb(&out, of_run[i]);
	emit_section(w, SECTION_END, 0, &out);
	bytes_free(&out);
	return w->error;
}

struct layers *phases_writer_layers(struct phases_writer *w)
{
	return w->layers;
}

void phases_writer_place(const struct phases_writer *w, struct phases_place *place)
{
	*place = w->now;
	place->at[PHASES_CYCLE] = cycle_now(w);
}

uint64_t phases_writer_bytes(const struct phases_writer *w)
{
	return w->emitted;
}

size_t phases_writer_memory(const struct phases_writer *w)
{
	return layers_bytes(w->layers) + w->symbol_room * sizeof *w->symbols + w->raw.room + w->side.room +
	       w->packed.room + w->out.room + w->prefix.room + (w->time_room + w->mark_room) * sizeof(uint64_t) +
	       w->block_room * (sizeof *w->blocks + sizeof *w->instructions) +
	       (sizeof *w->block_table << w->block_bits) + ZSTD_sizeof_CCtx(w->zstd);
}
