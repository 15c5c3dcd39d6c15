/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/records/private.h"

#include <inttypes.h>
#include <stdio.h>

const char *records_strerror(int error)
{
	switch (error) {
	case RECORDS_OK:
		return "no error";
	case RECORDS_ENOMEM:
		return "out of memory";
	case RECORDS_EOPEN:
		return "cannot be read";
	case RECORDS_EFORMAT:
		return "no record file";
	case RECORDS_EVERSION:
		return "of a later format than this rivulet knows";
	case RECORDS_EWRITE:
		return "cannot be written";
	case RECORDS_EVALUE:
		return "a record that no trace unit makes";
	case RECORDS_EFULL:
		return "a record file has no room for more blocks";
	case RECORDS_EPROFILE:
		return "a count passes 64 bits";
	case RECORDS_ESTOPPED:
		return "stopped";
	case RECORDS_ECODING:
		return "its blocks carry keys or have multiplied cycles, and the file that they go to was begun "
		       "without";
	default:
		return "unknown error";
	}
}

void damage_add(struct records *r, const struct records_damage *damage)
{
	if (r->damage_count < RECORDS_DAMAGE_MAX)
		r->damage[r->damage_count] = *damage;
	else if (damage->kind == RECORDS_NO_HEADER || damage->kind == RECORDS_NO_END) /* true of the whole file */
		r->damage[RECORDS_DAMAGE_MAX - 1] = *damage;
	r->damage_count++;
}

int records_damage_describe(const struct records_damage *d, char *text, size_t size)
{
	switch (d->kind) {
	case RECORDS_DAMAGED:
		return snprintf(text, size, "the block at offset %" PRIu64 " (%" PRIu64 " bytes) is damaged%s",
		    d->offset, d->size, d->count > 0 ? ": its records are missing" : "");
	case RECORDS_KEYS:
		return snprintf(text, size,
		    "the block at offset %" PRIu64 " (%" PRIu64
		    " bytes) cannot be read, because its paths stand in a damaged block before it: "
		    "its records are missing",
		    d->offset, d->size);
	case RECORDS_GARBAGE:
		return snprintf(text, size, "%" PRIu64 " bytes at offset %" PRIu64 " are no block", d->size, d->offset);
	case RECORDS_CUT:
		return snprintf(text, size,
		    "the file ends at offset %" PRIu64 " inside a block (begun at %" PRIu64 ") with %" PRIu64
		    " records from number %" PRIu64 ", cycle %" PRIu64,
		    d->offset + d->size, d->offset, d->count, d->record, d->cycle);
	case RECORDS_MISSING:
	case RECORDS_SKIPPED:
		return snprintf(text, size,
		    "%" PRIu64 " record%s missing before number %" PRIu64 " (offset %" PRIu64 ", after cycle %" PRIu64
		    ")%s",
		    d->count, d->count == 1 ? " is" : "s are", d->record, d->offset, d->cycle,
		    d->kind == RECORDS_SKIPPED ? ": they were lost before they were written" : "");
	case RECORDS_ORDER:
		return snprintf(text, size,
		    "the block at offset %" PRIu64 " is not in order: its records begin with number %" PRIu64
		    " (cycle %" PRIu64 "); it is used at its place",
		    d->offset, d->record, d->cycle);
	case RECORDS_REPEATED:
		return snprintf(text, size,
		    "the block at offset %" PRIu64 " repeats records from number %" PRIu64 " on; it is left out",
		    d->offset, d->record);
	case RECORDS_FOREIGN:
		return snprintf(text, size,
		    "the block at offset %" PRIu64 " (%" PRIu64
		    " bytes) belongs to another record file; it is left out",
		    d->offset, d->size);
	case RECORDS_NO_HEADER:
		return snprintf(text, size, "the header is lost: program and trace unit are not known");
	case RECORDS_NO_END:
		return snprintf(text, size,
		    "not finished: there is no end block, the file ends at offset %" PRIu64
		    "; what the run did afterwards is not known",
		    d->offset);
	case RECORDS_INDEX:
		return snprintf(text, size, "the index does not fit the file; the blocks were found by scanning");
	case RECORDS_TOO_MANY:
		return snprintf(text, size, "more than %u blocks: those from offset %" PRIu64 " on are left out",
		    RECORDS_BLOCKS_MAX, d->offset);
	}
	return snprintf(text, size, "unknown damage");
}

const struct records_damage *records_damage(const struct records *r, size_t *kept, uint64_t *count)
{
	*kept = r->damage_count < RECORDS_DAMAGE_MAX ? (size_t)r->damage_count : RECORDS_DAMAGE_MAX;
	*count = r->damage_count;
	return r->damage;
}
