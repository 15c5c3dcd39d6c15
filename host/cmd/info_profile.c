/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include <inttypes.h>
#include "host/cmd/harts.h"
#include "host/cmd/info.h"
#include "host/base/json.h"
#include "host/cmd/counters.h"
#include "host/cmd/profiled.h"
#include "host/insert/insert.h"
#include "host/profile/change.h"

struct sums {
	uint64_t partial, timed, cycles;
	uint64_t hashed, hashed_paths; /* of counters: from hash tables */
};

static bool may_hash(const struct profile *counters)
{
	return counters->header.ctrl == INSERT_PATHS || counters->header.ctrl == INSERT_REGIONS;
}

static void print_profile_counters(const struct profile *profile, const struct sums *sums)
{
	if (profile->header.ctrl == INSERT_TRACE && profile->used == 0)
		return;
	printf("  counters      of %s: %s that are not 0, %s counts\n",
	    insert_mode_name((unsigned)profile->header.ctrl), with_commas(profile->used), with_commas(profile->total));
	if (may_hash(profile))
		printf("  hash tables   %s of these paths, %s of the counts\n", with_commas(sums->hashed_paths),
		    with_commas(sums->hashed));
}

void info_changes_json(struct json *j, const struct record_change *changes, size_t count)
{
	json_array(j, "phase_changes");
	for (size_t i = 0; i < count; i++) {
		char text[256];
		change_describe(&changes[i], text, sizeof text);
		json_line(j, NULL);
		json_number(j, "cycle", changes[i].cycle);
		json_text(j, "text", text);
		json_object_end(j);
	}
	json_array_end(j);
}

void info_changes_text(const struct record_change *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char text[256];
		change_describe(&changes[i], text, sizeof text);
		printf("  %s %s\n", i == 0 ? "phase changes" : "             ", text);
	}
}

static void print_profile_json(const char *path, const struct loaded *loaded, const struct sums *sums)
{
	static const char *const sources[PROFILE_SOURCES] = {"firmware", "model", "counters", "qemu", "debugger"};
	const struct profile_reader *reader = loaded->reader;
	const struct profile *profile = &loaded->profile;
	const struct profile_header *h = &profile->header;
	const struct profile_end *e = &profile->end;
	struct json j;
	json_open(&j, stdout);
	json_text(&j, "file", shown_path(path));
	json_text(&j, "kind", "profile");
	json_number(&j, "bytes", reader->offset);
	json_number(&j, "frames", reader->frames);
	json_number(&j, "damaged_frames", reader->damaged);
	json_number(&j, "events", reader->events);
	json_number(&j, "text_bytes", reader->text_bytes);
	if (profile->has_header) {
		json_object(&j, "header");
		json_text(&j, "application", h->name);
		json_hex(&j, "build", h->build, 8);
		json_text(&j, "source", sources[h->source < PROFILE_SOURCES ? h->source : PROFILE_FIRMWARE]);
		json_text(&j, "way", run_way_name(h->way));
		json_number(&j, "period", h->period);
		json_number(&j, "dither", h->dither);
		json_number(&j, "xlen", h->xlen);
		json_number(&j, "hist", h->hist);
		json_hex(&j, "ctrl", h->ctrl, 8);
		json_object_end(&j);
	}
	if (is_counters(profile)) {
		json_text(&j, "counters_of", insert_mode_name((unsigned)profile->header.ctrl));
		json_number(&j, "hashed_paths", sums->hashed_paths);
		json_number(&j, "hashed_counts", sums->hashed);
	}
	json_number(&j, "paths", profile->used);
	json_number(&j, "traces", profile->total);
	json_number(&j, "cut_off", sums->partial);
	json_number(&j, "timed", sums->timed);
	json_number(&j, "trace_cycles", sums->cycles);
	if (profile->has_end) {
		json_object(&j, "end");
		json_number(&j, "entries", e->entries);
		json_number(&j, "counts", e->counts);
		json_number(&j, "dropped", e->dropped);
		json_number(&j, "lost", e->lost);
		json_number(&j, "cycles", e->cycles);
		json_number(&j, "instructions", e->instructions);
		json_number(&j, "handler_cycles", e->handler_cycles);
		json_number(&j, "interrupts", e->interrupts);
		if (is_counters(profile)) {
			json_number(&j, "switched_off", e->offs);
			json_number(&j, "on_time", e->on_time);
			json_number(&j, "all_time", e->all_time);
		}
		json_text(&j, "cut_short", profile_cut_short(e->ending));
		json_object_end(&j);
	}
	json_harts(&j, loaded);
	json_number(&j, "damage_count", reader->damage_count);
	info_changes_json(&j, profile->changes, profile->change_count);
	json_array(&j, "damage");
	for (size_t i = 0; i < reader->damage_count && i < DAMAGE_MAX; i++) {
		char text[256];
		damage_describe(&reader->damage[i], text, sizeof text);
		json_line(&j, NULL);
		json_number(&j, "offset", reader->damage[i].offset);
		json_number(&j, "size", reader->damage[i].size);
		json_text(&j, "text", text);
		json_object_end(&j);
	}
	json_array_end(&j);
	finish_json(&j);
}

static void print_profile_end(const struct profile *profile, const struct profile_reader *reader)
{
	if (profile->has_end && is_counters(profile)) {
		if (profile->end.cycles > 0)
			printf("  run           %s cycles, with what was put in\n", with_commas(profile->end.cycles));
		if (profile_is_part(profile)) {
			char text[192];
			part_text(profile, text, sizeof text);
			printf("  part          %s\n", text);
		}
		if (profile->end.dropped > 0)
			printf("  not counted   %s paths found no room in the hash tables\n",
			    with_commas(profile->end.dropped));
	} else if (profile->has_end) {
		const struct profile_end *e = &profile->end;
		printf("  run           %s cycles, %s instructions, %s interrupts\n"
		       "                %s cycles in handlers%s\n",
		    with_commas(e->cycles), with_commas(e->instructions), with_commas(e->interrupts),
		    with_commas(e->handler_cycles), e->handler_cycles == 0 ? " (or not measured)" : "");
		printf("  not counted   dropped %s (table full), lost %s (buffer full)\n", with_commas(e->dropped),
		    with_commas(e->lost));
		if (profile_cut_short(e->ending) != NULL)
			printf("  cut short     the run did not come to its end: %s\n", profile_cut_short(e->ending));
		if (reader->entries != e->entries || profile->total != e->counts)
			printf("  end frame     says %s entries, %s counts; %s entries, %s counts were read\n",
			    with_commas(e->entries), with_commas(e->counts), with_commas(reader->entries),
			    with_commas(profile->total));
	} else
		printf("  end           missing: cycles, instructions, loss are not known\n");
}

static void print_profile_text(const char *path, const struct loaded *loaded, const struct sums *sums)
{
	const struct profile_reader *reader = loaded->reader;
	const struct profile *profile = &loaded->profile;
	printf("%s: %s bytes: %s good frames, %s damaged, %s bytes of text\n", shown_path(path),
	    with_commas(reader->offset), with_commas(reader->frames), with_commas(reader->damaged),
	    with_commas(reader->text_bytes));
	if (profile->has_header) {
		const struct profile_header *h = &profile->header;
		printf(
		    "  application   %s, build %08" PRIx32 "\n", h->name[0] != '\0' ? h->name : "(no name)", h->build);
		printf("  collected by  %s\n", is_counters(profile) ? "counters put into its objects (rivulet insert)"
								    : profile_source_name(h->source));
		if (is_counters(profile))
			print_profile_counters(profile, sums);
		else
			printf("  way           %s, period %s, dither mask %s\n"
			       "  trace unit    %" PRIu64 "-bit addresses, %" PRIu64 "-bit history, CTRL 0x%08" PRIx64
			       "\n",
			    run_way_name(h->way), h->period == 0 ? "not known" : with_commas(h->period),
			    with_commas(h->dither), h->xlen, h->hist, h->ctrl);
	} else
		printf("  header        missing\n");
	if (reader->events > 0)
		printf("  sequence      %s events: rivulet phases reads them\n", with_commas(reader->events));
	if (!is_counters(profile))
		printf("  paths         %s distinct, %s traces, %s cut off by a discontinuity\n"
		       "                %s with cycles\n",
		    with_commas(profile->used), with_commas(profile->total), with_commas(sums->partial),
		    with_commas(sums->timed));
	print_harts(loaded, 13);
	print_profile_end(profile, reader);
	info_changes_text(profile->changes, profile->change_count);
	if (!loaded->whole) {
		printf("  damage\n");
		print_damage(loaded, stdout, "    ", DAMAGE_MAX);
	}
}

int info_profile(const char *path, bool json)
{
	struct loaded loaded;
	struct sums sums = {0};
	int status = load_profile(&loaded, path);
	if (status != STATUS_FAILED) {
		for (size_t i = 0; i < loaded.profile.used; i++) {
			const struct record *entry = &loaded.profile.entries[i];
			if (record_partial(entry))
				sums.partial += entry->count;
			sums.timed += entry->timed;
			if (is_counters(&loaded.profile) && may_hash(&loaded.profile) &&
			    (entry->hist - 1) >> MAP_HASH_SHIFT != 0) {
				sums.hashed += entry->count;
				sums.hashed_paths++;
			}
			sums.cycles += entry->cycles;
		}
		if (json)
			print_profile_json(path, &loaded, &sums);
		else
			print_profile_text(path, &loaded, &sums);
	}
	free_profile(&loaded);
	return status;
}
