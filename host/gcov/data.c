/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/gcov/data.h"

#include "host/base/bytes.h"

#define DATA_MAGIC 0x67636461U /* "gcda" */
#define TAG_FUNCTION 0x01000000U
#define TAG_COUNTERS 0x01A10000U
#define TAG_SUMMARY 0xA1000000U

static void data_word(FILE *out, uint32_t word)
{
	uint8_t bytes[4];
	bytes_put32(bytes, word);
	fwrite(bytes, 1, sizeof bytes, out);
}

static bool has_counter(const struct notes *notes, size_t arc)
{
	return (notes->arcs[arc].flags & NOTES_ARC_TREE) == 0;
}

uint64_t data_largest(const struct blocks_unit *units, size_t unit_count)
{
	uint64_t largest = 0;
	for (size_t u = 0; u < unit_count; u++) {
		for (size_t i = 0; i < units[u].notes.arc_count; i++) {
			if (has_counter(&units[u].notes, i) && units[u].arcs[i] > largest)
				largest = units[u].arcs[i];
		}
	}
	return largest;
}

static void data_function(const struct blocks_unit *unit, const struct notes_function *function, FILE *out)
{
	size_t end = function->first_arc + function->arc_count;
	uint32_t count = 0;
	data_word(out, TAG_FUNCTION);
	data_word(out, 12);
	data_word(out, function->ident);
	data_word(out, function->line_checksum);
	data_word(out, function->graph_checksum);
	for (size_t i = function->first_arc; i < end; i++)
		count += has_counter(&unit->notes, i);
	data_word(out, TAG_COUNTERS);
	data_word(out, 8 * count);
	for (size_t i = function->first_arc; i < end; i++) {
		if (has_counter(&unit->notes, i)) {
			data_word(out, (uint32_t)unit->arcs[i]);
			data_word(out, (uint32_t)(unit->arcs[i] >> 32));
		}
	}
}

void data_write(const struct blocks_unit *unit, uint64_t largest, FILE *out)
{
	data_word(out, DATA_MAGIC);
	data_word(out, unit->notes.version);
	data_word(out, unit->notes.stamp);
	data_word(out, 0);
	data_word(out, TAG_SUMMARY);
	data_word(out, 8);
	data_word(out, 1); /* runs */
	data_word(out, largest < UINT32_MAX ? (uint32_t)largest : UINT32_MAX);
	for (size_t i = 0; i < unit->notes.function_count; i++) {
		if (unit->functions[i].fate == BLOCKS_COUNTED)
			data_function(unit, &unit->notes.functions[i], out);
	}
	data_word(out, 0);
}
