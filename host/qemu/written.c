/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/qemu/written.h"

#include <string.h>

#define AGAIN_BYTES (UINT64_C(16) << 20) /* to write so many again takes a second's share */

static void make_header(const struct taken_program *program, struct records_header *header)
{
	const struct profile *p = &program->program->profile;
	memset(header, 0, sizeof *header); /* it is compared byte by byte */
	header->xlen = image_xlen(program->program->image);
	header->hist = CAPTURE_HIST;
	header->insn_bits = 32;
	header->repeat_bits = 16;
	header->cycle_bits = program->estimate.core != NULL ? 32 : 0;
	header->clocked = program->estimate.core == NULL;
	header->source = RECORDS_QEMU;
	records_identify_run(header, program->program->image);
	memcpy(header->rules, p->rules, sizeof header->rules);
	snprintf(header->name, sizeof header->name, "%.255s", p->header.name);
	for (size_t i = 0; i < p->place_count; i++) {
		const struct profile_place *place = &p->places[i];
		if (place->path[0] == '\0') {
			header->base = place->base;
			continue;
		}
		struct records_object *o = &header->objects[header->object_count++];
		o->base = place->base;
		o->code_crc = place->code_crc;
		snprintf(o->path, sizeof o->path, "%s", place->path);
	}
}

/* Whether the region is of this program; an error otherwise is that of take_program(). */
static int is_of(struct qemu_take *t, size_t region, const struct taken_program *program, bool *is)
{
	struct taken_program *of = NULL;
	const int error = take_program(t, t->regions[region].memory, &of);
	*is = error == QEMU_OK && of == program;
	return error;
}

/* Appends the blocks of all its regions that the writer does not have yet. */
static int append_regions(struct qemu_take *t, const struct taken_program *program, struct records_writer *writer,
    uint64_t *time, size_t *last)
{
	int error = QEMU_OK;
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++) {
		struct taken_region *region = &t->regions[i];
		bool is;
		error = is_of(t, i, program, &is);
		if (error != QEMU_OK || !is)
			continue;
		const size_t before = region->shown;
		error = order_append(&region->order, writer, &region->shown, time);
		if (region->shown > before)
			*last = i;
	}
	return error;
}

static void forget_shown(struct qemu_take *t)
{
	for (size_t i = 0; i < t->region_count; i++)
		t->regions[i].shown = 0;
	records_writer_close(t->written.writer);
	t->written = (struct written){.failed = t->written.failed};
}

/* ---------------------------------------------------------------- while it runs */

/* What has come is in the temporary files. *again: of an earlier thread than the last one in the file. */
static int flush_orders(struct qemu_take *t, bool *again)
{
	uint64_t bytes = 0;
	int error = QEMU_OK;
	*again = false;
	for (size_t i = 0; i < t->region_count && error == QEMU_OK; i++) {
		struct order *order = &t->regions[i].order;
		const long before = order->flushed;
		bool is;
		error = is_of(t, i, &t->programs[0], &is);
		if (error != QEMU_OK || !is)
			continue;
		error = order_settle(order, (uint32_t)i);
		*again = *again || (order->flushed > before && i < t->written.last);
		bytes += (uint64_t)order->flushed;
	}
	t->written.bytes = bytes;
	return error;
}

static bool restart_file(struct qemu_take *t, const struct records_header *header)
{
	struct written *w = &t->written;
	void *context = t->programs[0].program->context;
	const uint64_t bytes = w->bytes;
	forget_shown(t);
	w->header = *header;
	w->rest = (unsigned)(bytes / AGAIN_BYTES);
	return t->options->restart(context) &&
	       records_writer_open(&w->writer, header, 0, t->options->emit, context) == RECORDS_OK;
}

static bool show_all(struct qemu_take *t)
{
	struct written *w = &t->written;
	struct records_header header;
	uint64_t time = 0;
	bool again;
	if (flush_orders(t, &again) != QEMU_OK)
		return false;
	make_header(&t->programs[0], &header);
	again = again || w->writer == NULL || memcmp(&header, &w->header, sizeof header) != 0;
	if (again && !restart_file(t, &header))
		return false;
	return append_regions(t, &t->programs[0], w->writer, &time, &w->last) == QEMU_OK &&
	       t->options->flush(t->programs[0].program->context);
}

void written_show(struct qemu_take *t)
{
	struct written *w = &t->written;
	if (w->failed || t->options->restart == NULL || t->programs[0].program->context == NULL)
		return;
	if (w->rest > 0) {
		w->rest--;
		return;
	}
	w->failed = !show_all(t);
	if (w->failed)
		forget_shown(t);
}

/* ---------------------------------------------------------------- the end */

int written_finish(struct qemu_take *t, const struct taken_program *program)
{
	struct records_header header;
	struct records_writer *writer;
	uint64_t time = 0;
	size_t last = 0;
	const bool shown = program == &t->programs[0] && (t->written.writer != NULL || t->written.failed);
	forget_shown(t);
	if (shown && !t->options->restart(program->program->context))
		return QEMU_ERECORDS;
	make_header(program, &header);
	if (records_writer_open(&writer, &header, 0, t->options->emit, program->program->context) != RECORDS_OK)
		return QEMU_ENOMEM;
	int error = append_regions(t, program, writer, &time, &last);
	const uint64_t executed = program->program->run.executed;
	const struct records_end end = {.cycles = program->estimate.core != NULL ? program->cycles : executed,
	    .instructions = executed,
	    .first_cycle = time > 0, /* the first is 1 */
	    .last_cycle = time,
	    .traced_instructions = executed,
	    .ending = (unsigned)program->program->profile.end.ending};
	if (error == QEMU_OK && records_writer_finish(writer, &end) != RECORDS_OK)
		error = QEMU_ERECORDS;
	records_writer_close(writer);
	return error;
}

void written_close(struct written *w)
{
	records_writer_close(w->writer);
	w->writer = NULL;
}
