/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <inttypes.h>
#include "host/cmd/info.h"
#include "host/base/json.h"
#include "host/cmd/load_records.h"
#include "host/cmd/progress.h"
#include "host/cmd/profiled.h"

#define SILENT_LEAST 1000 /* cycles without a record that are worth a word */

/* Sums that are known only when all records have been read. */
struct sums {
	uint64_t records, traces, cut, cycles, last_time;
	uint64_t latest;  /* time of all: of several harts, one behind the other, each begins anew */
	uint64_t longest; /* cycles between two records */
	uint64_t active;  /* last cycle that is in a record */
};

static int add_up_blocks(struct records *records, struct sums *sums, struct progress *progress)
{
	struct records_block block;
	struct records_extent extent;
	int got;
	records_extent(records, &extent);
	records_rewind(records);
	while ((got = records_next_block(records, &block)) == 1) {
		records_times(records, &block);
		sums->records += block.count;
		for (uint32_t i = 0; i < block.count; i++) {
			/* a trace that OFF hands over may have stood still for long */
			const bool off = block.keys[block.key[i]].reason == TRACE_OFF;
			const uint64_t own = sums->last_time + block.cycles[i];
			sums->active = off && own < block.time[i] ? own : block.time[i];
			uint64_t gap = sums->active > sums->last_time ? sums->active - sums->last_time : 0;
			if (gap > sums->longest && sums->last_time != 0)
				sums->longest = gap;
			sums->last_time = block.time[i];
			sums->latest = sums->latest > block.time[i] ? sums->latest : block.time[i];
			sums->traces += block.repeat[i];
			sums->cycles += block.cycles[i];
			sums->cut += block.keys[block.key[i]].reason >= 4 ? block.repeat[i] : 0;
		}
		progress_show(progress, records_position(records), extent.bytes);
	}
	return got;
}

/* Cycles at the end of the run in which the unit was on and no record came, if they are many: DEPTH did not fall back.
 * 0: none. */
static uint64_t silent_cycles(const struct records *records, const struct sums *sums)
{
	const struct records_end *e = records_end(records);
	const struct records_header *h = records_header(records);
	if (e == NULL || h == NULL || h->source == RECORDS_IMPORT || records_untimed(h) || h->harts > 0 ||
	    sums->records == 0 || e->last_cycle <= sums->active)
		return 0;
	uint64_t silent = e->last_cycle - sums->active;
	return silent > SILENT_LEAST && silent / 4 > sums->longest ? silent : 0;
}

static void print_records_json(const char *path, const struct records *records, const struct sums *sums)
{
	const struct records_header *h = records_header(records);
	const struct records_end *e = records_end(records);
	struct records_extent extent;
	struct json j;
	size_t kept;
	uint64_t count;
	const struct records_damage *damage = records_damage(records, &kept, &count);
	records_extent(records, &extent);
	json_open(&j, stdout);
	json_text(&j, "file", shown_path(path));
	json_text(&j, "kind", "records");
	json_number(&j, "bytes", extent.bytes);
	if (h != NULL) {
		json_object(&j, "header");
		json_text(&j, "application", h->name);
		json_text(&j, "source", records_source_name(h->source));
		if (h->has_build)
			json_hex(&j, "build", h->build, 8);
		json_text(&j, "build_id", h->build_id[0] != '\0' ? h->build_id : NULL);
		json_hex(&j, "code", h->code_crc, 8);
		json_text(&j, "options", h->options);
		json_number(&j, "xlen", h->xlen);
		json_number(&j, "hist", h->hist);
		json_number(&j, "insn_bits", h->insn_bits);
		json_number(&j, "cycle_bits", h->cycle_bits);
		json_number(&j, "repeat_bits", h->repeat_bits);
		json_hex(&j, "ctrl", h->ctrl, 8);
		if (h->harts > 0)
			json_number(&j, "harts", h->harts);
		json_object_end(&j);
	}
	json_number(&j, "blocks", extent.blocks);
	json_bool(&j, "indexed", extent.indexed);
	json_number(&j, "records", sums->records);
	json_number(&j, "traces", sums->traces);
	json_number(&j, "cut_off", sums->cut);
	json_number(&j, "trace_cycles", sums->cycles);
	json_number(&j, "missing", records_missing(records));
	json_number(&j, "first_cycle", extent.first_cycle);
	json_number(&j, "last_cycle", sums->latest);
	json_number(&j, "silent_cycles", silent_cycles(records, sums));
	json_bool(&j, "timed", !records_untimed(h));
	if (h != NULL) {
		json_text(&j, "estimated_by", h->rules[0] == '\0' ? NULL : h->rules);
		json_bool(&j, "shared_out", h->shared);
	}
	if (e != NULL) {
		json_object(&j, "end");
		json_number(&j, "records", e->records);
		json_number(&j, "traces", e->traces);
		json_number(&j, "cycles", e->cycles);
		json_number(&j, "instructions", e->instructions);
		json_number(&j, "traced_cycles", e->traced_instructions > 0 ? e->last_cycle - e->first_cycle + 1 : 0);
		json_number(&j, "traced_instructions", e->traced_instructions);
		json_number(&j, "lost", e->lost);
		json_text(&j, "ending", records_ending_name(e->ending));
		json_text(&j, "cut_short", profile_cut_short(e->ending));
		json_number(&j, "exit_code", e->exit_code);
		json_object_end(&j);
	}
	size_t change_count;
	const struct record_change *changes = records_changes(records, &change_count);
	info_changes_json(&j, changes, change_count);
	json_number(&j, "damage_count", count);
	json_array(&j, "damage");
	for (size_t i = 0; i < kept; i++) {
		char text[512];
		records_damage_describe(&damage[i], text, sizeof text);
		json_line(&j, NULL);
		json_number(&j, "offset", damage[i].offset);
		json_number(&j, "size", damage[i].size);
		json_number(&j, "record", damage[i].record);
		json_number(&j, "count", damage[i].count);
		json_number(&j, "cycle", damage[i].cycle);
		json_text(&j, "text", text);
		json_object_end(&j);
	}
	json_array_end(&j);
	finish_json(&j);
}

static void print_records_text(const char *path, const struct records *records, const struct sums *sums)
{
	const struct records_header *h = records_header(records);
	const struct records_end *e = records_end(records);
	struct records_extent extent;
	size_t kept;
	uint64_t damage;
	records_extent(records, &extent);
	records_damage(records, &kept, &damage);
	printf("%s: record file, %s bytes, %s blocks%s\n", shown_path(path), with_commas(extent.bytes),
	    with_commas(extent.blocks), extent.indexed ? "" : ", found by scanning");
	if (h != NULL) {
		printf("  application   %s, ", h->name[0] != '\0' ? h->name : "(no name)");
		if (h->build_id[0] != '\0')
			printf("build id %.20s, ", h->build_id);
		if (h->has_build)
			printf("build %08" PRIx32 "\n", h->build);
		else
			printf("code %08" PRIx32 "\n", h->code_crc);
		printf("  collected by  %s%s%s\n", records_source_name(h->source),
		    h->options[0] != '\0' ? ", options " : "", h->options);
		printf("  trace unit    %u-bit addresses, %u-bit history, CTRL 0x%08" PRIx32 "\n", h->xlen, h->hist,
		    h->ctrl);
		if (h->harts > 0)
			printf("  harts         %" PRIu32
			       ", one behind the other (`rivulet split' makes a file of each)\n",
			    h->harts);
	} else
		printf("  header        lost\n");
	printf("  records       %s, %s traces, %s cut off by a discontinuity, %s missing\n", with_commas(sums->records),
	    with_commas(sums->traces), with_commas(sums->cut), with_commas(records_missing(records)));
	bool import = records_untimed(h);
	if (sums->records > 0 && import)
		printf("  time          none: instruction %s to %s\n", with_commas(extent.first_cycle),
		    with_commas(sums->latest));
	else if (sums->records > 0)
		printf("  time          cycle %s to %s, %s cycles in traces\n", with_commas(extent.first_cycle),
		    with_commas(sums->latest), with_commas(sums->cycles));
	if (h != NULL && h->rules[0] != '\0')
		printf("                an estimate by the rules of `%s'\n", h->rules);
	if (h != NULL && h->shared)
		printf("                of the times of an encoder's messages, shared out between two of them\n");
	if (e != NULL && import)
		printf(
		    "  run           %s instructions; not cycles: a log has no time\n", with_commas(e->instructions));
	else if (e != NULL)
		printf("  run           %s cycles, %s instructions; %s of them traced\n", with_commas(e->cycles),
		    with_commas(e->instructions), with_commas(e->traced_instructions));
	if (silent_cycles(records, sums) > 0)
		printf("  silent        the last %s cycles with the trace unit on have no record: a trap that did not\n"
		       "                return freezes it (DEPTH), or what runs is outside its modes or ranges\n",
		    with_commas(silent_cycles(records, sums)));
	if (e != NULL) {
		printf("  end           %s", records_ending_name(e->ending));
		if (e->ending == RECORDS_END_EXIT)
			printf(", status %" PRIu32, e->exit_code);
		printf("; lost before writing: %s\n", with_commas(e->lost));
		if (profile_cut_short(e->ending) != NULL)
			printf("  cut short     the run did not come to its end: %s\n", profile_cut_short(e->ending));
	} else
		printf("  end           missing: cycles and instructions of the run are not known\n");
	size_t change_count;
	const struct record_change *changes = records_changes(records, &change_count);
	info_changes_text(changes, change_count);
	if (damage > 0) {
		printf("  damage\n");
		print_records_damage(records, stdout, "    ", RECORDS_DAMAGE_MAX);
	}
}

int info_records(const char *path, bool json)
{
	struct records *records;
	struct sums sums = {0};
	struct progress progress;
	char detail[1024];
	size_t kept;
	uint64_t damage;
	if (records_open(&records, path, detail, sizeof detail) != RECORDS_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	progress_begin(&progress, path);
	int error = add_up_blocks(records, &sums, &progress);
	progress_end(&progress);
	if (error != RECORDS_OK) {
		complain("%s: %s", path, records_strerror(error));
		records_close(records);
		return STATUS_FAILED;
	}
	if (json)
		print_records_json(path, records, &sums);
	else
		print_records_text(path, records, &sums);
	records_damage(records, &kept, &damage);
	if (damage > 0)
		complain("%s: is not whole: %s places of damage", path, with_commas(damage));
	records_close(records);
	return damage > 0 ? STATUS_NO : STATUS_OK;
}
