/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/optimise_linked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/linked_file.h"
#include "host/export/gather_feed.h"
#include "host/layout/layout.h"

/* What ran, by the program's own addresses. */
static struct layout_site *take_sites(const struct image *image, const struct gather_result *result, size_t *count)
{
	const uint64_t load = image_load_address(image), end = image_end(image);
	struct layout_site *sites = calloc(result->code_count + 1, sizeof *sites);
	*count = 0;
	for (size_t i = 0; sites != NULL && i < result->code_count; i++) {
		const struct gather_code *c = &result->code[i];
		if (c->pc >= load && c->pc < end)
			sites[(*count)++] = (struct layout_site){c->pc - load, c->count, c->taken, c->not_taken};
	}
	return sites;
}

/* Everything that the profile says of each instruction. NULL: told. */
static struct layout_site *profile_sites(struct profiled *p, size_t *count)
{
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct layout_site *sites = NULL;
	struct walk_config config;
	gather_profile_config(&p->loaded.profile, &config);
	int error = gather_open(&gather, p->image, &config);
	if (error == GATHER_OK)
		error = gather_profile(gather, &p->loaded.profile);
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &result);
	if (error != GATHER_OK)
		complain("%s: %s", p->file, gather_feed_strerror(error));
	else if ((sites = take_sites(p->image, result, count)) == NULL)
		complain("out of memory");
	gather_close(gather);
	return sites;
}

static void show_changes(const struct layout_counts *c)
{
	printf("%s functions, %s of them ran; blocks of %s moved\n", with_commas(c->functions), with_commas(c->ran),
	    with_commas(c->moved));
	printf("%s branches inverted; %s jumps went (%s executions), %s came (%s)\n", with_commas(c->turned),
	    with_commas(c->gone), with_commas(c->gone_count), with_commas(c->added), with_commas(c->added_count));
	printf("code: %s bytes before, %s now\n", with_commas(c->old_size), with_commas(c->new_size));
	for (unsigned i = LAYOUT_UNRUN + 1; i < LAYOUT_REASONS; i++) {
		if (c->reasons[i] > 0)
			printf("left with their blocks as they were: %s that ran: %s\n", with_commas(c->reasons[i]),
			    layout_reason_text(i));
	}
	if (c->debug)
		printf("debug information is left out: read lines in the program that was optimised\n");
	if (c->in_order)
		printf("functions keep their order: in another one a jump would not reach\n");
	if (c->far)
		printf("calls of the PLT are two instructions: its code lies far away\n");
}

static int lay_program(struct profiled *p, const struct layout_request *r, const struct layout_options *options)
{
	char detail[1024] = "";
	struct file_bytes in;
	struct linked *l = NULL;
	struct layout_counts counts;
	struct linked_result out = {.detail = detail, .detail_size = sizeof detail};
	int status = STATUS_FAILED;
	if (!read_program(p->program, &in)) {
		complain("%s: %s", p->program, strerror(errno));
		return STATUS_FAILED;
	}
	int error = linked_open(&l, in.bytes, in.size, detail, sizeof detail);
	if (error == OBJECT_OK)
		error = layout_program(l, options, &counts, &out);
	if (error != OBJECT_OK)
		complain("%s: %s", p->program, detail);
	else {
		show_changes(&counts);
		status = STATUS_OK;
		if (r->output != NULL)
			status = put_program(r->output, (const char *const[]){p->program, p->file}, 2, &out);
		else
			printf("nothing is written: -o FILE writes the program\n");
	}
	linked_close(l);
	free(in.bytes);
	free(out.bytes);
	return status;
}

int optimise_linked(struct profiled *p, const struct layout_request *r)
{
	size_t count = 0;
	struct layout_site *sites = profile_sites(p, &count);
	if (sites == NULL)
		return STATUS_FAILED;
	const struct layout_options options = {sites, count, r->functions, r->blocks};
	const int status = lay_program(p, r, &options);
	free(sites);
	return status;
}
