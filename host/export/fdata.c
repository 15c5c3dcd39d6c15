/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * BOLT's profile, as `llvm-bolt -data` reads it, without perf2bolt:
 *
 *   1 from-function offset 1 to-function offset mispredictions count
 *
 * Offsets are hexadecimal. BOLT calls the n-th local symbol of a name, by address, NAME/n. A place that no function
 * with a size has is "0 [unknown] 0"; an edge between two of them is left out, and counted in no line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/base/array.h"
#include "host/base/hash.h"
#include "host/export/branches.h"

struct fdata_function {
	const char *name;
	uint64_t start, size;
	unsigned number; /* of a local symbol; 0: a global one */
};

struct fdata_writer {
	FILE *out;
	struct fdata_function *functions; /* by start */
	size_t count, room;
};

struct local_name {
	const char *name;
	unsigned count;
};
struct local_names {
	struct local_name *all;
	size_t count, room;
	struct hash table;
	const char *wanted;
};

static bool same_local(const void *context, uint32_t index)
{
	const struct local_names *names = context;
	return strcmp(names->all[index].name, names->wanted) == 0;
}

/* The number of the next local symbol of this name, from 1 on; 0: out of memory. */
static unsigned number_local(struct local_names *names, const char *name)
{
	uint32_t hash = hash_of_text(name);
	names->wanted = name;
	uint32_t index = hash_find(&names->table, hash, same_local, names);
	if (index != HASH_NONE)
		return ++names->all[index].count;
	if (!array_room(&names->all, names->count + 1, &names->room) ||
	    !hash_add(&names->table, hash, (uint32_t)names->count))
		return 0;
	names->all[names->count++] = (struct local_name){name, 1};
	return 1;
}

static bool add_fdata_function(struct fdata_writer *w, const struct image_label *label, unsigned number, uint64_t load)
{
	const struct fdata_function *last = w->count == 0 ? NULL : &w->functions[w->count - 1];
	if (!label->function || label->size == 0 || (last != NULL && last->start == label->address - load))
		return true;
	if (!array_room(&w->functions, w->count + 1, &w->room))
		return false;
	w->functions[w->count++] = (struct fdata_function){label->name, label->address - load, label->size, number};
	return true;
}

static bool find_functions(struct fdata_writer *w, const struct image *image)
{
	struct local_names names = {0};
	struct image_label label;
	bool good = true;
	char place[IMAGE_PLACE];
	for (size_t i = 0; good && image_label(image, i, &label); i++) {
		if (image_place(image, label.address, place) != NULL) /* of a library: BOLT has only the program */
			continue;
		unsigned number = label.global ? 0 : number_local(&names, label.name);
		good =
		    (label.global || number != 0) && add_fdata_function(w, &label, number, image_load_address(image));
	}
	free(names.all);
	hash_free(&names.table);
	return good;
}

static int compare_function(const void *key, const void *item)
{
	const uint64_t *address = key;
	const struct fdata_function *f = item;
	if (*address < f->start)
		return -1;
	return *address - f->start >= f->size;
}

static void put_place(FILE *out, const struct fdata_function *f, uint64_t address)
{
	if (f == NULL) {
		fputs("0 [unknown] 0 ", out);
		return;
	}
	fputs("1 ", out);
	for (const char *c = f->name; *c != '\0'; c++) /* as BOLT has a blank or a backslash in a name */
		fprintf(out, "%s%c", *c == ' ' || *c == '\\' ? "\\" : "", *c);
	if (f->number != 0)
		fprintf(out, "/%u", f->number);
	fprintf(out, " %" PRIx64 " ", address - f->start);
}

static void write_fdata_location(void *context, const struct branch_edge *edge)
{
	const struct fdata_writer *w = context;
	const struct fdata_function *from =
	    bsearch(&edge->from, w->functions, w->count, sizeof *w->functions, compare_function);
	const struct fdata_function *to =
	    bsearch(&edge->to, w->functions, w->count, sizeof *w->functions, compare_function);
	if (from == NULL && to == NULL)
		return;
	put_place(w->out, from, edge->from);
	put_place(w->out, to, edge->to);
	fprintf(w->out, "0 %" PRIu64 "\n", edge->count);
}

int export_fdata(const struct export_input *input, FILE *out)
{
	struct fdata_writer w = {.out = out};
	int error = find_functions(&w, input->image) ? EXPORT_OK : EXPORT_ENOMEM;
	if (error == EXPORT_OK && w.count == 0)
		error = EXPORT_ESYMBOL;
	if (error == EXPORT_OK)
		error = branches_visit(input, write_fdata_location, &w);
	free(w.functions);
	return error == EXPORT_OK && ferror(out) ? EXPORT_EWRITE : error;
}
