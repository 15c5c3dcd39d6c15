/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "tb/sample.h"
#include <string.h>

struct row {
	const char *name;
	size_t offset, size;
};

static const struct row rows[] = {
#define SIGNAL(type, name, model, when) {#name, offsetof(struct sample, name), sizeof(type)},
#include "tb/signals.def"
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
#define SIGNAL(type, name, model, when) +sizeof(type)
enum {
	COMPARED = 0
#include "tb/signals.def"
};
_Static_assert(COMPARED == offsetof(struct sample, fifo_insns) + sizeof(uint32_t),
    "struct sample has a hole: it cannot be compared as memory");

void sample_model(
    struct model *model, const struct model_in *in, unsigned slot, struct sample *s, struct model_out *out)
{
	const struct trace *t = model_trace(model);
	const struct record *f = &t->fifo[slot];
	struct model_out *o = out;
	uint32_t c[MODEL_CSR_COUNT];

	/* Registers change in model_cycle(), so they are taken first. */
	model_csrs(model, c);
#define SIGNAL(type, name, model, when)
#define STATE(type, name, model, when) s->name = (type)(model);
#define SLOT STATE
#include "tb/signals.def"
	model_cycle(model, in, o);
#define SIGNAL(type, name, model, when) s->name = (type)(model);
#define STATE(type, name, model, when)
#define SLOT STATE
#include "tb/signals.def"
}

void sample_mask(struct sample *s, bool requested, bool written)
{
#define SIGNAL(type, name, model, when)                                                                                \
	if (!(when))                                                                                                   \
		s->name = 0;
#include "tb/signals.def"
}

size_t sample_count(void)
{
	return ROWS;
}
const char *sample_name(size_t index)
{
	return rows[index].name;
}

uint64_t sample_value(const struct sample *s, size_t index)
{
	const unsigned char *at = (const unsigned char *)s + rows[index].offset;
	uint64_t wide;
	uint32_t narrow;

	if (rows[index].size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

void sample_flip(struct sample *s, size_t index)
{
	unsigned char *at =
	    (unsigned char *)s + rows[index].offset; /* little-endian hosts: the first byte is the lowest */

	*at ^= 1;
}

int sample_find(const char *name)
{
	for (size_t i = 0; i < ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return (int)i;
	return -1;
}

int sample_compare(const struct sample *a, const struct sample *b, size_t from)
{
	if (from == 0 && !memcmp(a, b, COMPARED))
		return -1;
	for (size_t i = from; i < ROWS; i++)
		if (sample_value(a, i) != sample_value(b, i))
			return (int)i;
	return -1;
}
