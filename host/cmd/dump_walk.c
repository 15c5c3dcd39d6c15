/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "common/sizes.h"
#include "host/base/array.h"
#include "host/table/line.h"
#include "isa/isa.h"
#include "model/trace.h"

#define PLACES 16
#define PLACE_COLUMN 58
#define KEPT_BYTES SIZED(32u << 20, 1u << 10)

/* The name of a target that is in another function or its beginning: "c.jal 0x80000120 <main>". */
static void add_target_name(const struct dump_walk *d, const struct isa_insn *insn, uint64_t pc, struct line *line)
{
	uint64_t start, target = isa_target(insn, pc);
	if ((insn->class_bits & (ISA_BRANCH | ISA_JUMP)) == 0)
		return;
	const char *name = image_function(d->image, target, &start), *own = image_function(d->image, pc, NULL);
	if (name != NULL && target == start)
		line_add(line, " <%s>", name);
	else if (name != NULL && name != own)
		line_add(line, " <%s+0x%" PRIx64 ">", name, target - start);
}

static void print_walked_insn(struct dump_walk *d, uint64_t pc, int outcome)
{
	struct isa_insn insn;
	struct image_place places[PLACES];
	struct line line = {.width = line_width()};
	char text[80];
	uint64_t start = 0;
	if (!image_insn(d->image, pc, 0, &insn))
		return;
	image_format(d->image, &insn, pc, text, sizeof text);
	image_places(d->image, pc, places, PLACES);
	const char *symbol = image_function(d->image, pc, &start);
	const char *function = places[0].function != NULL ? places[0].function : symbol;
	if (d->json != NULL) {
		struct json *j = d->json;
		json_object(j, NULL);
		json_hex(j, "pc", pc, 8);
		json_hex(j, "word", insn.word, 2 * insn.length);
		json_text(j, "insn", text);
		json_text(j, "function", function);
		if (symbol != NULL) {
			json_text(j, "symbol", symbol);
			json_number(j, "offset", pc - start);
		}
		if (places[0].file != NULL && places[0].line != 0) {
			json_text(j, "file", places[0].file);
			json_number(j, "line", places[0].line);
		}
		if (outcome >= 0)
			json_bool(j, "taken", outcome == 1);
		json_object_end(j);
		return;
	}
	line_add(&line, "      %08" PRIx64 "  %*s%0*" PRIx32 "  %s", pc, insn.length == 2 ? 4 : 0, "", 2 * insn.length,
	    (uint32_t)insn.word, text);
	add_target_name(d, &insn, pc, &line);
	if (outcome >= 0)
		line_add(&line, "  %s", outcome == 1 ? "taken" : "not taken");
	bool other_line =
	    places[0].file != NULL && places[0].line != 0 && (places[0].line != d->line || places[0].file != d->file);
	bool other = function != NULL && (d->function == NULL || strcmp(function, d->function) != 0);
	if (other || other_line) {
		size_t gap = line.length < PLACE_COLUMN ? PLACE_COLUMN - line.length : 2;
		line_add(&line, "%*s%s", (int)gap, "", function == NULL ? "" : function);
		if (symbol != NULL && pc != start && symbol == function)
			line_add(&line, "+0x%" PRIx64, pc - start);
		if (other_line)
			line_add(&line, " %s:%u", short_file(places[0].file, 30), places[0].line);
	}
	d->function = function;
	if (places[0].line != 0) {
		d->file = places[0].file;
		d->line = places[0].line;
	}
	fprintf(d->out, "%s\n", line.text);
}

static int visit_dumped(void *context, const struct walk_visit *v)
{
	struct dump_walk *d = context;
	d->walked += v->count;
	uint64_t starts = v->block->starts;
	for (uint32_t i = 0; i < v->count && starts != 0; i++, starts &= starts - 1) {
		uint64_t pc = v->block->start + 2 * (uint32_t)__builtin_ctzll(starts);
		print_walked_insn(d, pc, i + 1 == v->block->count ? v->outcome : -1);
	}
	return 0;
}

/* One walk, into d->out. */
static bool print_walk(struct dump_walk *d, const struct record *record, bool *bad, bool *cut)
{
	uint64_t at;
	d->function = d->file = NULL;
	d->walked = 0;
	d->line = 0;
	if (d->json != NULL)
		json_array(d->json, "walk");
	int error = walk_record(d->walk, record, visit_dumped, d, &at);
	if (d->json != NULL)
		json_array_end(d->json);
	if (error == WALK_ENOMEM)
		return false;
	*bad = error < 0;
	*cut = error == WALK_UNKNOWN_END;
	if (d->json != NULL) {
		if (error != WALK_OK) {
			json_text(d->json, "problem", walk_strerror(error));
			json_hex(d->json, "problem_at", at, 8);
		}
	} else if (error == WALK_UNKNOWN_END)
		fputs("      ... it goes on, but the record does not say how far\n", d->out);
	else if (error != WALK_OK)
		fprintf(d->out, "      %08" PRIx64 "  *** %s\n", at, walk_strerror(error));
	return true;
}

struct dumped {
	struct record record;
	char *text;
	size_t size;
	uint64_t insns;
	bool bad, cut;
};

struct dumped_key {
	const struct dump_walk *dump;
	const struct record *record;
};

static bool same_dumped(const void *context, uint32_t index)
{
	const struct dumped_key *key = context;
	const struct record *a = &key->dump->all[index].record, *b = key->record;
	return a->start == b->start && a->hist == b->hist && a->insns == b->insns && a->reason == b->reason;
}

static void forget_dumped(struct dump_walk *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->all[i].text);
	hash_clear(&d->table);
	d->count = d->bytes = 0;
}

void dump_walk_close(struct dump_walk *d)
{
	forget_dumped(d);
	free(d->all);
	hash_free(&d->table);
	walk_close(d->walk);
	d->walk = NULL;
	d->all = NULL;
}

/* The walk of a record as text, kept. NULL: out of memory. */
static const struct dumped *find_dumped(struct dump_walk *d, const struct record *record)
{
	const struct dumped_key key = {d, record};
	uint32_t hash =
	    hash_of_two(record->start ^ (uint64_t)record->reason << 56, record->hist ^ (uint64_t)record->insns << 40);
	uint32_t index = hash_find(&d->table, hash, same_dumped, &key);
	if (index != HASH_NONE)
		return &d->all[index];
	if (d->bytes > KEPT_BYTES)
		forget_dumped(d);
	struct dumped made = {.record = *record};
	d->out = open_memstream(&made.text, &made.size);
	if (d->out == NULL)
		return NULL;
	FILE *out = d->json == NULL ? NULL : d->json->out;
	if (d->json != NULL)
		d->json->out = d->out;
	bool good = print_walk(d, record, &made.bad, &made.cut);
	made.insns = made.bad ? 0 : d->walked;
	if (d->json != NULL)
		d->json->out = out;
	good = fclose(d->out) == 0 && good;
	d->out = NULL;
	if (!good || !array_room(&d->all, d->count + 1, &d->room) || !hash_add(&d->table, hash, (uint32_t)d->count)) {
		free(made.text);
		return NULL;
	}
	d->bytes += made.size + sizeof made;
	d->all[d->count] = made;
	return &d->all[d->count++];
}

bool dump_walk(struct dump_walk *d, const struct walk_config *config, const struct record *record)
{
	if (d->walk == NULL || !walk_same(d->walk, config)) {
		forget_dumped(d);
		walk_close(d->walk);
		d->walk = NULL;
		if (walk_open(&d->walk, d->image, config) != WALK_OK)
			return false;
	}
	const struct dumped *dumped = find_dumped(d, record);
	if (dumped == NULL)
		return false;
	fwrite(dumped->text, 1, dumped->size, stdout);
	d->bad += dumped->bad;
	d->insns += dumped->insns * record->count;
	d->cut += dumped->cut ? record->count : 0;
	return true;
}
