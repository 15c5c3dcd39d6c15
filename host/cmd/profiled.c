/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/not_traced.h"
#include "host/cmd/profiled.h"

#include <errno.h>
#include <inttypes.h>
#include "host/account/inclusive.h"
#include "host/cmd/counters.h"
#include "host/cmd/load_records.h"
#include "host/cmd/progress.h"
#include "host/cmd/twin.h"
#include "host/export/calls.h"
#include "host/export/extremes.h"
#include "host/export/gather_feed.h"
#include "host/insert/insert.h"
#include "host/records/records.h"

/* Whether the profile was made from this image. */
static int check_build(const struct profiled *p)
{
	char detail[1024];
	uint32_t build;
	const struct profile *profile = &p->loaded.profile;
	if (!profile->has_header) {
		complain("%s: without its header it cannot be checked that it is of %s", p->file, p->program);
		return STATUS_OK;
	}
	if (profile->header.xlen != image_xlen(p->image)) {
		complain("%s: is of a core of %" PRIu64 " bits, but %s is for one of %u; give the program that ran",
		    p->file, profile->header.xlen, p->program, image_xlen(p->image));
		return STATUS_FAILED;
	}
	int error = image_build(p->image, &build, detail, sizeof detail);
	if (error != IMAGE_OK) {
		if (image_has_build(p->image, profile->header.build) ||
		    records_code_crc(p->image) == profile->header.build) /* of records that were added up */
			return STATUS_OK;
		/* without the symbols that a build is made from, and yet not stripped: it never had them */
		if (image_symbol_count(p->image) > 0 && profile->header.build != 0) {
			complain("%s: is of build %08" PRIx32 " (application %s), and %s has no code of that build: %s",
			    p->file, profile->header.build, profile->header.name, p->program,
			    p->force ? "used because of --force"
				     : "give the program that ran, or --force to use it nevertheless");
			return p->force ? STATUS_OK : STATUS_FAILED;
		}
		complain("%s; it is not checked that the profile is of this build", detail);
		return STATUS_OK;
	}
	if (build == profile->header.build)
		return STATUS_OK;
	complain("%s: is of build %08" PRIx32 " (application %s), but %s is build %08" PRIx32 ": %s", p->file,
	    profile->header.build, profile->header.name, p->program, build,
	    p->force ? "used because of --force" : "give the program that ran, or --force to use it nevertheless");
	return p->force ? STATUS_OK : STATUS_FAILED;
}

/* Records say more than a profile does of the program that they are of, and can say it before they are read, which
 * takes a while. RECORDS_UNKNOWN too if the file is no record file. */
static enum records_match check_records(const struct profiled *p)
{
	struct records *records;
	char detail[1024];
	if (!is_record_file(p->file) || records_open(&records, p->file, detail, sizeof detail) != RECORDS_OK)
		return RECORDS_UNKNOWN;
	enum records_match match = records_match(records_header(records), p->image, detail, sizeof detail);
	records_close(records);
	if (match == RECORDS_OTHER)
		complain("%s: is not of %s: %s: %s", p->file, p->program, detail,
		    p->force ? "used because of --force"
			     : "give the program that ran, or --force to use it nevertheless");
	return match;
}

double dropped_share(const struct profile *profile)
{
	double dropped = (double)profile->end.dropped, all = dropped + (double)profile->total;
	return all > 0 ? 100 * dropped / all : 0;
}

int check_dropped(const char *file, const struct profile *profile, bool partial)
{
	if (!profile->has_end || profile->end.dropped == 0)
		return STATUS_OK;
	complain("%s: the program's table was full: %s of %s %s (%.1f%%) were dropped, those of every path that came "
		 "first after the %s that are in it; shares are not those of the whole run. Make the table larger "
		 "(SW_TABLE, docs/firmware.md), or collect all records on the host (run --records)%s",
	    file, with_commas(profile->end.dropped), with_commas(profile->end.dropped + profile->total),
	    profile->has_header && profile->header.period == 1 ? "traces" : "samples", dropped_share(profile),
	    with_commas(profile->used), partial ? "" : "; --partial accepts it");
	return partial ? STATUS_OK : STATUS_NO;
}

void take_operands(struct profiled *p, const struct operands *operands)
{
	p->program = operands->program;
	p->file = operands->file;
	p->partial = operands->partial;
	p->force = operands->force;
	p->libraries = operands;
}

#define LIBRARY_ALIGN UINT64_C(0x100000) /* addresses that are easily told apart */

bool add_libraries(struct image *image, const struct operands *o, bool twins)
{
	char detail[1024];
	uint64_t at = image_end(image);
	for (size_t i = 0; i < o->library_count; i++) {
		struct image *library = NULL;
		size_t size;
		at = (at + LIBRARY_ALIGN - 1) & ~(LIBRARY_ALIGN - 1);
		bool opened = image_open(&library, o->libraries[i], detail, sizeof detail) == IMAGE_OK;
		if (opened && twins)
			prefer_twin(&library, NULL);
		if (!opened || image_move(library, at, detail, sizeof detail) != IMAGE_OK) {
			complain("%s", detail);
			image_close(library);
			return false;
		}
		if (image_section(library, ".debug_rivulet", &size) == NULL) {
			complain("%s: has no counters: build it with `rivulet cc', and give it before strip",
			    o->libraries[i]);
			image_close(library);
			return false;
		}
		at = image_end(library);
		if (image_add(image, library, detail, sizeof detail) != IMAGE_OK) {
			complain("%s", detail);
			image_close(library);
			return false;
		}
	}
	name_libraries(image);
	return true;
}

int open_profiled(struct profiled *p)
{
	char detail[1024];
	if (image_open(&p->image, p->program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	if (place_image(p->image, p->file) != STATUS_OK)
		return STATUS_FAILED;
	enum records_match match = check_records(p);
	if (match == RECORDS_OTHER && !p->force)
		return STATUS_FAILED;
	int status =
	    is_record_file(p->file) ? load_records(&p->loaded, p->file, true) : load_profile(&p->loaded, p->file);
	bool counters = status != STATUS_FAILED && is_counters(&p->loaded.profile);
	if (counters && p->contexts && p->loaded.profile.header.ctrl == INSERT_CYCLES)
		return status;
	if (status != STATUS_FAILED && !counters && p->libraries != NULL && p->libraries->library_count > 0) {
		complain("%s: has no counters: --library is for these", p->file);
		return STATUS_FAILED;
	}
	if (counters && p->libraries != NULL && !add_libraries(p->image, p->libraries, false))
		return STATUS_FAILED;
	if (status == STATUS_FAILED || (match == RECORDS_UNKNOWN && !counters && check_build(p) != STATUS_OK))
		return STATUS_FAILED;
	if (counters) {
		struct image *twin = open_twin(p->image, NULL);
		bool added = twin == NULL || p->libraries == NULL || add_libraries(twin, p->libraries, true);
		int converted =
		    added ? convert_counters(&p->loaded, p->file, p->image, twin, &p->counted) : STATUS_FAILED;
		if (twin != NULL) {
			image_close(p->image);
			p->image = twin;
		}
		if (converted == STATUS_FAILED)
			return STATUS_FAILED;
		status = converted > status && !(p->force && converted == STATUS_NO) ? converted : status;
	}
	if (status == STATUS_NO) {
		if (p->partial)
			status = STATUS_OK;
		else
			complain("%s: is not whole; what there is follows (--partial accepts it)", p->file);
	}
	if (check_dropped(p->file, &p->loaded.profile, p->partial) != STATUS_OK)
		status = STATUS_NO;
	if (image_symbol_count(p->image) == 0)
		complain("%s: is stripped: functions are shown as addresses; use the program before strip", p->program);
	p->debug = image_debug(p->image, detail, sizeof detail) == IMAGE_OK;
	if (!p->debug)
		complain("%s", detail);
	return status;
}

static int exact_calls(struct profiled *p, const struct core *core);

int account_profiled(struct profiled *p, enum account_weights weights)
{
	int status = STATUS_OK;
	struct core core;
	char detail[1024];
	struct walk_config config;
	const struct profile *profile = &p->loaded.profile;
	/* estimated cycles are those of their own rules */
	const char *core_name = profile->rules[0] != '\0' ? profile->rules : core_names[0];
	if (core_open(&core, p->core == NULL ? core_name : p->core, detail, sizeof detail) != CORE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	account_walk_config(profile, &config);
	if (walk_open(&p->walk, p->image, &config) != WALK_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	int error = account_make(&p->account, p->image, p->walk, profile, weights, &core);
	if (error != ACCOUNT_OK) {
		complain("%s: %s", p->file, account_strerror(error));
		return STATUS_FAILED;
	}
	const struct account *a = p->account;
	if (p->counted != NULL) {
		count_entries(p->account, p->counted);
		if (account_count_inclusive(p->account) != ACCOUNT_OK) {
			complain("%s: out of memory", p->file);
			return STATUS_FAILED;
		}
	}
	if (weights == ACCOUNT_BY_COST)
		status = exact_calls(p, &core);
	if (status != STATUS_OK || a->unaccounted.paths == 0)
		return status;
	complain("%s: %s of its paths (%.2f%% of the counts) do not fit %s", p->file, with_commas(a->unaccounted.paths),
	    100 * (double)a->unaccounted.count / (double)a->all.count, p->program);
	return STATUS_NO;
}

/* For records: cycles, calls and inclusive numbers of p->account become exact. Nothing for a profile, or if the records
 * cannot be read in order. Returns STATUS_OK or STATUS_FAILED (told). */
static int exact_calls(struct profiled *p, const struct core *core)
{
	struct records *records;
	struct gather *gather = NULL;
	const struct gather_result *result = NULL;
	struct extremes *extremes = NULL;
	struct walk_config config;
	struct progress progress;
	char detail[1024];
	if (!is_record_file(p->file) || records_open(&records, p->file, detail, sizeof detail) != RECORDS_OK)
		return STATUS_OK;
	gather_records_config(records_header(records), &config);
	int error = gather_open(&gather, p->image, &config);
	progress_begin(&progress, p->file);
	if (error == GATHER_OK)
		gather_core(gather, core);
	if (error == GATHER_OK && p->extremes)
		error = extremes_open(&extremes);
	if (extremes != NULL)
		gather_watch(gather, GATHER_CONTEXTS, extremes_visit, extremes);
	else if (error == GATHER_OK && p->watcher != NULL)
		gather_watch(gather, GATHER_CONTEXTS, p->watcher, p->watcher_context);
	if (error == GATHER_OK)
		error = gather_records(gather, records, progress_show, &progress);
	progress_end(&progress);
	if (error == GATHER_OK)
		error = gather_finish(gather, 1, &result);
	if (error == GATHER_OK && result->ordered)
		error = calls_take(p->account, p->image, result) == ACCOUNT_OK ? GATHER_OK : GATHER_ENOMEM;
	if (error == GATHER_OK && result->ordered && extremes != NULL) {
		size_t count;
		const struct extremes_call *all = extremes_finish(extremes, &count);
		calls_extremes(p->account, p->image, result, all, count);
	}
	if (error != GATHER_OK)
		complain("%s: %s", p->file, gather_feed_strerror(error));
	else if (result->ordered && result->breaks > 0)
		complain("%s: %s records do not go on where the one before them ended: calls and inclusive numbers may "
			 "be wrong there",
		    p->file, with_commas(result->breaks));
	if (error == GATHER_OK && result->ordered && result->stack.astray > 0)
		complain_astray(p->file, result->stack.astray, "inclusive numbers and callers");
	if (error == GATHER_OK && p->watcher != NULL) {
		p->gather = gather;
		p->gathered = result;
		p->missing = records_missing(records);
	} else {
		gather_close(gather);
	}
	extremes_close(extremes);
	records_close(records);
	return error == GATHER_OK ? STATUS_OK : STATUS_FAILED;
}

void tell_newer_source(const struct image *image, const char *program)
{
	const char *newer = image == NULL ? NULL : image_newer_source(image);
	if (newer != NULL)
		complain(
		    "%s: was written after %s was built: its lines may be others than those that ran", newer, program);
}

void close_profiled(struct profiled *p)
{
	tell_newer_source(p->image, p->program);
	account_free(p->account);
	gather_close(p->gather);
	counted_close(p->counted);
	walk_close(p->walk);
	free_profile(&p->loaded);
	image_close(p->image);
	p->account = NULL;
	p->gather = NULL;
	p->counted = NULL;
	p->walk = NULL;
	p->image = NULL;
}

static bool json_failed;

void finish_json(struct json *json)
{
	json_failed |= !json_close(json);
}

int end_output(int status)
{
	if (json_failed) {
		complain("standard output: out of memory, what was written is not whole");
		return STATUS_FAILED;
	}
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return status;
	if (errno != EPIPE) /* the reader has seen enough: no error */
		complain("standard output: write error");
	return STATUS_FAILED;
}
