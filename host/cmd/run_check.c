/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/run_check.h"
#include <inttypes.h>
#include "host/cmd/cmd.h"
#include "isa/isa.h"

static void show_insn(const struct image *image, const char *label, uint64_t pc)
{
	char text[80] = "(outside the code)";
	struct isa_insn insn;
	uint64_t start = 0;
	const char *function = image_function(image, pc, &start);
	if (image_insn(image, pc, 0, &insn))
		isa_format(&insn, pc, text, sizeof text);
	fprintf(stderr, "  %-10s %08" PRIx64 "  %-36s", label, pc, text);
	if (function != NULL)
		fprintf(stderr, "  %s+0x%" PRIx64, function, pc - start);
	fputc('\n', stderr);
}

void run_check_difference(const struct follow *f, int error, const struct image *image)
{
	complain("check-walk: %s", follow_strerror(error));
	if (error == FOLLOW_ESAMPLED)
		complain("use --set way=5 (stream), or another way that leaves all records on the record port");
	if (error == FOLLOW_ESAMPLED || error == FOLLOW_ENOMEM)
		return;
	if (error == FOLLOW_EQUEUE) {
		fprintf(stderr, "  %s instructions wait for a record; the first:\n", with_commas(f->waiting));
		show_insn(image, "executed", f->queue[f->first]);
		return;
	}
	fprintf(stderr,
	    "  record %s: start 0x%08" PRIx64 ", history 0x%" PRIx64 ", ended by %s, %u instructions, repeat %" PRIu64
	    "\n",
	    with_commas(f->records + 1), f->record.start, f->record.hist, record_reason_name(f->record.reason),
	    f->record.insns, f->record.count);
	uint64_t from = f->last_count > FOLLOW_CONTEXT ? f->last_count - FOLLOW_CONTEXT : 0;
	for (uint64_t i = from; i < f->last_count; i++)
		show_insn(image, f->last_count - i > f->index ? "before" : "equal", f->last[i % FOLLOW_CONTEXT]);
	if (error == FOLLOW_EWALK) {
		fprintf(stderr, "  %s:\n", walk_strerror(f->walk_error));
		show_insn(image, "at", f->at);
	} else {
		show_insn(image, "record", f->got);
		if (error == FOLLOW_EPC)
			show_insn(image, "executed", f->expected);
	}
}

int run_check_finish(const struct follow *f)
{
	printf("check-walk: %s records, %s traces, %s instructions compared, no difference", with_commas(f->records),
	    with_commas(f->traces), with_commas(f->instructions));
	if (f->unresolved > 0)
		printf("; %s traces have an indirect jump to an unknown target: %s instructions behind it were "
		       "not compared",
		    with_commas(f->unresolved), with_commas(f->skipped));
	if (f->waiting > 0)
		printf("; %s instructions after the last record", with_commas(f->waiting));
	printf("\n");
	if (f->records == 0) {
		complain("check-walk: there were no records: nothing was checked");
		return STATUS_NO;
	}
	return STATUS_OK;
}
