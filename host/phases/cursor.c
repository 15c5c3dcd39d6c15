/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Places in a phases file: the repeated path that holds one, and those behind it. */
#include "host/phases/reader.h"

#include <stdlib.h>
#include <string.h>

/* The symbols of a chunk, as they are stored. based: it begins where the chunk in f->prefix ends. */
static int decompress_chunk(struct phases_file *f, const struct chunk *chunk, bool based, uint8_t **to, size_t *room)
{
	const uint8_t *from = chunk->payload + chunk->head_size + chunk->head.side_size;
	const size_t wanted = (size_t)chunk->head.symbols * chunk->head.width;
	if (wanted > *room) {
		uint8_t *bigger = realloc(*to, wanted);
		if (bigger == NULL)
			return PHASES_ENOMEM;
		*to = bigger;
		*room = wanted;
	}
	ZSTD_DCtx_reset(f->zstd, ZSTD_reset_session_only);
	if (based)
		ZSTD_DCtx_refPrefix(f->zstd, f->prefix, f->prefix_size);
	const size_t got = wanted == 0 ? 0 : ZSTD_decompressDCtx(f->zstd, *to, wanted, from, chunk->head.main_size);
	return ZSTD_isError(got) || got != wanted ? PHASES_EDAMAGED : PHASES_OK;
}

static int load_base(struct phases_file *f, uint32_t base)
{
	struct chunk *chunk = &f->chunks[base];
	if (f->base == base)
		return PHASES_OK;
	f->base = NONE;
	if (!reader_chunk_good(chunk))
		return PHASES_EDAMAGED;
	f->prefix_size = (size_t)chunk->head.symbols * chunk->head.width;
	int error = decompress_chunk(f, chunk, false, &f->prefix, &f->prefix_room);
	if (error == PHASES_OK)
		f->base = base;
	return error;
}

/* The symbols of chunk c in f->stream. */
static int load_chunk(struct phases_file *f, uint32_t c)
{
	struct chunk *chunk = &f->chunks[c];
	int error = reader_load_epoch(f, chunk->head.epoch);
	if (error != PHASES_OK || f->loaded == c)
		return error;
	f->loaded = NONE;
	if (!reader_chunk_good(chunk))
		return PHASES_EDAMAGED;
	if (chunk->head.base > 0) { /* the chunk of that number, if it is there */
		uint32_t base = c;
		while (base > 0 && f->chunks[base].number + chunk->head.base > chunk->number)
			base--;
		if (f->chunks[base].number + chunk->head.base != chunk->number || f->chunks[base].head.base != 0)
			error = PHASES_EDAMAGED;
		else
			error = load_base(f, base);
		if (error != PHASES_OK)
			return error;
	}
	error = decompress_chunk(f, chunk, chunk->head.base > 0 && f->prefix != NULL, &f->raw, &f->raw_room);
	if (error != PHASES_OK)
		return error;
	if (!reader_grow((void **)&f->stream, &f->stream_room, chunk->head.symbols, sizeof *f->stream))
		return PHASES_ENOMEM;
	const uint8_t *bytes = f->raw;
	uint32_t next = chunk->head.first_symbol;
	for (uint32_t i = 0; i < chunk->head.symbols; i++) {
		uint32_t value = 0;
		for (unsigned b = 0; b < chunk->head.width; b++)
			value |= (uint32_t)*bytes++ << 8 * b;
		f->stream[i] = value == 0 ? next++ : value - 1;
	}
	f->loaded = c;
	return PHASES_OK;
}

/* Puts the cursor before the first symbol of chunk c. */
static void enter_chunk(struct phases_file *f, uint32_t c)
{
	f->at = c;
	f->next = 0;
	f->gap_told = false;
	f->generation++;
	f->stratum_length = 0;
}

/* Room in the marks for every symbol of the epoch. */
static int make_marks(struct phases_file *f)
{
	const uint32_t old = f->mark_room;
	if (!reader_grow((void **)&f->mark, &f->mark_room, f->symbol_count, sizeof *f->mark))
		return PHASES_ENOMEM;
	if (f->mark_room > old)
		memset(f->mark + old, 0, (f->mark_room - old) * sizeof *f->mark);
	return PHASES_OK;
}

/* Whether this symbol begins a stratum anew: the one under construction holds it already, or is full. */
static bool begins_stratum(const struct phases_file *f, uint32_t symbol)
{
	const uint32_t max = f->header.stratum_max == 0 ? LAYERS_LENGTH_MAX : f->header.stratum_max;
	return f->stratum_length == max || (symbol < f->mark_room && f->mark[symbol] == f->generation);
}

/* What the next symbol of the chunk stands for; path NONE: nobody knows. */
static struct symbol symbol_meaning(const struct phases_file *f, uint32_t symbol)
{
	return symbol < f->symbol_count ? f->symbols[symbol] : (struct symbol){NONE, 0};
}

/* Moves the cursor over the next symbol of the chunk. */
static void pass_symbol(struct phases_file *f, uint32_t symbol)
{
	const struct symbol what = symbol_meaning(f, symbol);
	if (begins_stratum(f, symbol)) {
		f->place.at[PHASES_STRATUM]++;
		f->stratum_length = 0;
		f->generation++;
	}
	if (symbol < f->mark_room)
		f->mark[symbol] = f->generation;
	f->stratum_length++;
	f->next++;
	f->place.at[PHASES_REPEATED]++;
	if (what.path == NONE)
		return;
	f->place.at[PHASES_INSTRUCTION] += what.trips * f->paths[what.path].instructions;
	f->place.at[PHASES_BLOCK] += (uint64_t)what.trips * f->paths[what.path].count;
	f->place.at[PHASES_PATH] += what.trips;
}

/* What is missing before the place of chunk c's beginning. */
static bool lost_before(const struct phases_file *f, uint32_t c, struct phases_place *from)
{
	*from = (struct phases_place){0};
	if (c > 0)
		for (unsigned k = 0; k < PHASES_KEYS; k++)
			from->at[k] = f->chunks[c - 1].head.at.at[k] + f->chunks[c - 1].head.length.at[k];
	const struct phases_place *to = NULL;
	if (c < f->chunk_count)
		to = &f->chunks[c].head.at;
	else if (f->has_end)
		to = &f->end.total;
	return to != NULL && to->at[PHASES_REPEATED] > from->at[PHASES_REPEATED];
}

static void lost_step(struct phases_step *step, const struct phases_place *place)
{
	*step = (struct phases_step){.place = *place, .lost = true};
}

int phases_next(struct phases_file *f, struct phases_step *step)
{
	for (;;) {
		struct phases_place from;
		if (!f->gap_told) {
			f->gap_told = true;
			if (lost_before(f, f->at, &from)) {
				lost_step(step, &from);
				return 1;
			}
		}
		if (f->at >= f->chunk_count)
			return 0;
		const struct chunk_head *head = &f->chunks[f->at].head;
		if (f->next == 0) {
			f->place = head->at;
			int error = load_chunk(f, f->at);
			if (error == PHASES_OK)
				error = make_marks(f);
			if (error == PHASES_EDAMAGED) {
				lost_step(step, &f->place);
				enter_chunk(f, f->at + 1);
				return 1;
			}
			if (error != PHASES_OK)
				return error;
		}
		if (f->next < head->symbols)
			break;
		enter_chunk(f, f->at + 1);
	}
	const uint32_t symbol = f->stream[f->next];
	const struct symbol what = symbol_meaning(f, symbol);
	lost_step(step, &f->place);
	if (what.path != NONE) {
		const struct path *path = &f->paths[what.path];
		*step = (struct phases_step){.place = f->place,
		    .epoch = f->epoch,
		    .path = what.path,
		    .trips = what.trips,
		    .what = {f->path_blocks + path->first, path->count, path->instructions}};
	}
	step->place.at[PHASES_STRATUM] += begins_stratum(f, symbol);
	pass_symbol(f, symbol);
	return 1;
}

/* The times of chunk c, made absolute, those that do not lie within it left out. Returns how many, or an error. */
static int load_times(struct phases_file *f, uint32_t c)
{
	const struct chunk_head *h = &f->chunks[c].head;
	if (f->times_of != c) {
		f->times_of = NONE;
		if (!reader_grow((void **)&f->times, &f->times_room, 2 * h->times + 1, sizeof *f->times))
			return PHASES_ENOMEM;
		int error = reader_begin_side(f, c, f->times, NULL);
		if (error != PHASES_OK)
			return error;
		definitions_end(&f->definitions);
		for (uint32_t i = 1; i < h->times; i++) {
			f->times[2 * i] += f->times[2 * i - 2];
			f->times[2 * i + 1] += f->times[2 * i - 1];
		}
		f->times_of = c;
	}
	return PHASES_OK;
}

/* From one clock to the other, in chunk c: in proportion between the two times of the chunk that value lies between.
 * from and to: PHASES_INSTRUCTION and PHASES_CYCLE, or the other way round. */
static int convert_in_chunk(struct phases_file *f, uint32_t c, enum phases_key from, uint64_t value, uint64_t *result)
{
	const struct chunk_head *h = &f->chunks[c].head;
	const enum phases_key to = from == PHASES_CYCLE ? PHASES_INSTRUCTION : PHASES_CYCLE;
	const unsigned of = from == PHASES_CYCLE, at = !of;
	uint64_t low = h->at.at[from], high = low + h->length.at[from];
	uint64_t low_to = h->at.at[to], high_to = low_to + h->length.at[to];
	const uint64_t end = high, end_to = high_to, begin_to = low_to;
	int error = load_times(f, c);
	if (error != PHASES_OK)
		return error;
	for (uint32_t i = 0; i < h->times; i++) {
		const uint64_t x = f->times[2 * i + of], y = f->times[2 * i + at];
		if (x < low || (x == low && y <= low_to) || x >= end || y < low_to || y > end_to || y < begin_to)
			continue;
		if (x > value) {
			high = x;
			high_to = y;
			break;
		}
		low = x;
		low_to = y;
	}
	*result = low_to;
	if (value > low && high > low)
		*result += (uint64_t)((double)(high_to - low_to) * (double)(value - low) / (double)(high - low));
	return PHASES_OK;
}

/* The last chunk that begins at or before number. */
static uint32_t find_chunk(const struct phases_file *f, enum phases_key key, uint64_t number)
{
	uint32_t low = 0, high = f->chunk_count;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (f->chunks[middle].head.at.at[key] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

int phases_seek(struct phases_file *f, enum phases_key key, uint64_t number)
{
	struct phases_place total;
	phases_total(f, &total);
	if (number >= total.at[key] || f->chunk_count == 0)
		return PHASES_EEND;
	uint32_t c = find_chunk(f, key, number);
	const struct chunk_head *h = &f->chunks[c].head;
	if (number < h->at.at[key]) { /* before the first chunk that is left */
		enter_chunk(f, c);
		return PHASES_OK;
	}
	if (number >= h->at.at[key] + h->length.at[key]) { /* in a lost chunk behind this one */
		enter_chunk(f, c + 1);
		return PHASES_OK;
	}
	enter_chunk(f, c);
	f->gap_told = true;
	f->place = h->at;
	int error = load_chunk(f, c);
	if (error == PHASES_OK)
		error = make_marks(f);
	if (error == PHASES_OK && key == PHASES_CYCLE) {
		key = PHASES_INSTRUCTION;
		error = convert_in_chunk(f, c, PHASES_CYCLE, number, &number);
		if (number >= h->at.at[key] + h->length.at[key])
			number = h->at.at[key] + h->length.at[key] - 1;
	}
	if (error == PHASES_EDAMAGED)
		return PHASES_OK; /* phases_next() tells that it is lost */
	while (error == PHASES_OK && f->next < h->symbols) {
		const uint32_t symbol = f->stream[f->next];
		if (key == PHASES_STRATUM && f->place.at[key] + begins_stratum(f, symbol) >= number)
			break;
		const struct symbol what = symbol_meaning(f, symbol);
		uint64_t step = 1;
		if (what.path == NONE)
			step = key == PHASES_REPEATED;
		else if (key == PHASES_PATH)
			step = what.trips;
		else if (key == PHASES_INSTRUCTION)
			step = what.trips * f->paths[what.path].instructions;
		else if (key == PHASES_BLOCK)
			step = (uint64_t)what.trips * f->paths[what.path].count;
		if (key != PHASES_STRATUM && f->place.at[key] + step > number)
			break;
		pass_symbol(f, symbol);
	}
	return error;
}

uint64_t phases_cycle_of(struct phases_file *f, uint64_t instruction)
{
	struct phases_place total;
	uint64_t cycle = 0;
	phases_total(f, &total);
	if (f->chunk_count == 0 || instruction >= total.at[PHASES_INSTRUCTION])
		return total.at[PHASES_CYCLE];
	const uint32_t c = find_chunk(f, PHASES_INSTRUCTION, instruction);
	if (convert_in_chunk(f, c, PHASES_INSTRUCTION, instruction, &cycle) != PHASES_OK)
		return f->chunks[c].head.at.at[PHASES_CYCLE];
	return cycle;
}
