/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* What a report says of the profile as a whole: the run, its overlap with the exact profile, the overhead. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "host/base/demangle.h"
#include "host/cmd/counters.h"
#include "host/cmd/not_traced.h"
#include "host/cmd/harts.h"
#include "host/cmd/report.h"
#include "host/insert/insert.h"

/* Same build and same way of ending traces. what: for the message. */
static bool comparable_profiles(const char *what, const struct profile *a, const struct profile *b, bool traces)
{
	if (!a->has_header || !b->has_header)
		return true;
	if (a->header.build != b->header.build) {
		complain(
		    "%s: is of build %08" PRIx32 ", the profile of %08" PRIx32, what, b->header.build, a->header.build);
		return false;
	}
	if (traces && (a->header.hist != b->header.hist || ((a->header.ctrl ^ b->header.ctrl) & 6) != 0)) {
		complain("%s: its traces end at other places: history %" PRIu64 " bits, CTRL 0x%" PRIx64
			 "; the profile has %" PRIu64 " bits, 0x%" PRIx64,
		    what, b->header.hist, b->header.ctrl, a->header.hist, a->header.ctrl);
		return false;
	}
	return true;
}

static int compare_exact(struct report *r)
{
	const struct profile *profile = &r->profiled->loaded.profile;
	struct loaded exact = {0};
	int status = load_profile(&exact, r->exact);
	if (status == STATUS_NO && r->profiled->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED) {
		if (!comparable_profiles(r->exact, profile, &exact.profile, true))
			status = STATUS_NO;
		/* records tell traces that were cut off apart by their length */
		struct profile keyed = {.by_length = exact.profile.by_length};
		if (profile_merge(&keyed, profile) != PROFILE_OK) {
			complain("out of memory");
			status = STATUS_FAILED;
		}
		r->overlap = profile_overlap(&keyed, &exact.profile);
		profile_fini(&keyed);
		r->exact_traces = exact.profile.total;
		r->exact_paths = exact.profile.used;
	}
	free_profile(&exact);
	return status;
}

static int compare_baseline(struct report *r)
{
	const struct profile *profile = &r->profiled->loaded.profile;
	struct loaded base = {0};
	int status = load_profile(&base, r->baseline);
	if (status == STATUS_NO && r->profiled->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED && (!profile->has_end || !base.profile.has_end || base.profile.end.cycles == 0)) {
		complain("%s: no overhead without the end frame's cycles",
		    !profile->has_end ? r->profiled->file : r->baseline);
		status = r->require_overhead >= 0 || status == STATUS_NO ? STATUS_NO : STATUS_OK;
	} else if (status != STATUS_FAILED) {
		double before = (double)base.profile.end.cycles, with = (double)profile->end.cycles;
		if (!comparable_profiles(r->baseline, profile, &base.profile, false))
			status = STATUS_NO;
		if (base.profile.end.interrupts > 0) {
			complain("%s: has %s trace interrupts; a baseline is a run with way = off", r->baseline,
			    with_commas(base.profile.end.interrupts));
			status = STATUS_NO;
		}
		r->overhead = (with - before) / before;
		r->baseline_cycles = base.profile.end.cycles;
	}
	free_profile(&base);
	return status;
}

int report_compare(struct report *r)
{
	int status = STATUS_OK;
	if (r->exact != NULL)
		status = compare_exact(r);
	if (r->baseline != NULL && status != STATUS_FAILED) {
		int one = compare_baseline(r);
		status = status > one ? status : one;
	}
	return status;
}

int report_require(const struct report *r)
{
	int status = STATUS_OK;
	if (r->require_overlap >= 0 && !(100 * r->overlap >= r->require_overlap)) {
		complain("the overlap is %.2f%%, %.2f%% is required", 100 * r->overlap, r->require_overlap);
		status = STATUS_NO;
	}
	if (r->require_overhead >= 0 && !isnan(r->overhead) && 100 * r->overhead > r->require_overhead) {
		complain("the overhead is %.2f%%, %.2f%% or less is required", 100 * r->overhead, r->require_overhead);
		status = STATUS_NO;
	}
	return status;
}

#define CALLS_SHOWN 8

/* Calls that were active when the program ended, the innermost first, or that longjmp() or an exception left. */
static void print_stops(const struct counted *c, const char *label, bool left)
{
	size_t shown = 0;
	for (size_t i = 0; i < c->stop_count; i++) {
		const struct counted_stop *stop = &c->stops[i];
		if (stop->function == GRAPH_NONE || stop->back || (stop->count > 1) != left)
			continue;
		if (shown++ == 0)
			printf("  %-10s", label);
		if (shown > CALLS_SHOWN)
			continue;
		printf("%s %s", shown > 1 ? "," : "", demangle(c->map->functions[stop->function].name));
		if (left)
			printf(" (%s times)", with_commas(stop->count));
	}
	if (shown > CALLS_SHOWN)
		printf(" and %s more", with_commas(shown - CALLS_SHOWN));
	if (shown > 0)
		printf("\n");
}

static void print_report_counters(const struct report *r, const struct counted *c)
{
	const struct account *a = report_account(r);
	printf("%s%s%s\n", r->style->bold, r->profiled->program, r->style->off);
	printf("  counters   of %s, in %s functions", insert_mode_name(c->mode), with_commas(c->functions));
	if (c->left > 0)
		printf("; %s functions have none", with_commas(c->left));
	if (c->narrow && c->run_cycles == 0)
		printf("\n             of 32 bits: for how long the program ran is not known; a counter that passes "
		       "4,294,967,295 starts again");
	printf("\n  executed   %s instructions in these functions; %s\n",
	    a == NULL ? "0" : with_commas(a->accounted.insns),
	    c->metric == 0 ? "counters know no cycles"
			   : "cycles are those of the edited program, without the counting");
	if (c->metric != 0 && c->metric != 0xC00 && c->metric != 0xB00)
		printf("  metric     what is called cycles is what CSR 0x%" PRIX32 " gained on the paths\n", c->metric);
	if (profile_is_part(&r->profiled->loaded.profile)) {
		char text[192];
		part_text(&r->profiled->loaded.profile, text, sizeof text);
		printf("  %spart       %s%s\n", r->style->hot, text, r->style->off);
	}
	if (strcmp(image_path(c->image), r->profiled->program) != 0)
		printf("  code       as it is without counters (%s)\n", image_path(c->image));
	print_stops(c, "ended in", false);
	if (c->begin != GRAPH_NONE)
		printf("  not in it  at most %s instructions of %s, before its last call\n",
		    with_commas(c->begin_at_most), demangle(c->map->functions[c->begin].name));
	print_stops(c, "left", true);
}

void report_header(const struct report *r)
{
	const struct profile *p = &r->profiled->loaded.profile;
	const struct profile_header *h = &p->header;
	struct remainder remainder;
	remainder_profiled(&remainder, r->profiled);
	const struct style *s = r->style;
	if (r->profiled->counted != NULL) {
		print_report_counters(r, r->profiled->counted);
		print_not_traced(&remainder, stdout);
		return;
	}
	if (p->has_header) {
		printf("%s%s%s  %s%s", s->bold, h->name[0] != '\0' ? h->name : "(no name)", s->off, s->dim,
		    r->profiled->program);
		if (h->build != 0)
			printf(", build %08" PRIx32, h->build);
		printf("%s\n", s->off);
		printf("  way        %s", run_way_name(h->way));
		if (h->period > 1)
			printf(", one trace in %s", with_commas(h->period));
		if (profile_lot(p) > 1)
			printf(", one in %s by lot where there was no room", with_commas(profile_lot(p)));
		else if (h->way == RUN_TABLE)
			printf(", %s", p->has_end && p->end.lost + p->end.dropped == 0 ? "exact" : "not exact");
		else if (h->dither > 0)
			printf(" (%s to %s)", with_commas(h->period > h->dither / 2 ? h->period - h->dither / 2 : 1),
			    with_commas(h->period > h->dither / 2 ? h->period - h->dither / 2 + h->dither : h->dither));
		printf("%shistory %" PRIu64 " bits; counted by the %s\n", h->period > 1 ? "\n             " : "; ",
		    h->hist, image_of_machine(r->profiled->image) ? "interpreter" : profile_source_name(h->source));
	} else
		printf("%s  %s(header missing)%s\n", r->profiled->program, s->dim, s->off);
	bool weighed = p->has_header && h->way == RUN_TIMER && p->has_end && p->total > p->end.interrupts;
	printf("  %s    %s%s in %s distinct paths", h->period == 1 ? "traces " : "samples",
	    with_commas(weighed ? p->end.interrupts : p->total), weighed ? ", weighed by their cycles," : "",
	    with_commas(p->used));
	if (p->has_end)
		printf("; dropped %s, lost %s", with_commas(p->end.dropped), with_commas(p->end.lost));
	printf("\n");
	if (p->has_end && p->end.dropped > 0)
		printf("  %sfull       %.1f%% of the %s found no place in the program's table: shares are those of the "
		       "rest%s\n",
		    s->hot, dropped_share(p), h->period == 1 ? "traces" : "samples", s->off);
	if (p->has_end && profile_cut_short(p->end.ending) != NULL)
		printf("  %scut short  %s%s\n", s->hot, profile_cut_short(p->end.ending), s->off);
	if (p->has_end && p->end.cycles > 0) {
		printf("  run        %s cycles%s%s, %s instructions", with_commas(p->end.cycles),
		    p->rules[0] != '\0' ? ", estimated by the rules of " : "", p->rules,
		    with_commas(p->end.instructions));
		if (p->end.instructions > 0)
			printf(", %.2f cycles each", (double)p->end.cycles / (double)p->end.instructions);
		if (p->end.interrupts > 0)
			printf("; %s interrupts", with_commas(p->end.interrupts));
		printf("\n");
	} else if (p->has_end && p->end.instructions > 0)
		printf("  run        %s instructions; not cycles: no time was recorded\n",
		    with_commas(p->end.instructions));
	print_harts(&r->profiled->loaded, 10);
	print_not_traced(&remainder, stdout);
	if (!isnan(r->overlap))
		printf("  overlap    %.2f%% with the exact profile (%s traces in %s paths)\n", 100 * r->overlap,
		    with_commas(r->exact_traces), with_commas(r->exact_paths));
	if (!isnan(r->overhead))
		printf("  overhead   %.2f%% over %s cycles with tracing off\n", 100 * r->overhead,
		    with_commas(r->baseline_cycles));
}

void report_footer(const struct report *r)
{
	const struct account *a = report_account(r);
	double count = (double)a->all.count, cycles = (double)a->all.cycles;
	if (a->cut.paths > 0) {
		printf("\n%s paths (%.2f%% of the counts) were cut off at an unknown place: their known part is shown",
		    with_commas(a->cut.paths), 100 * (double)a->cut.count / count);
		if (a->cut.cycles > 0)
			printf(";\n%.2f%% of the cycles are of the unknown part", 100 * (double)a->cut.cycles / cycles);
		printf(".\n");
	}
	if (a->unaccounted.paths > 0) {
		printf("\nunaccounted: %s counts (%.2f%%) of %s paths that do not fit the program",
		    with_commas(a->unaccounted.count), 100 * (double)a->unaccounted.count / count,
		    with_commas(a->unaccounted.paths));
		if (a->timed && cycles > 0)
			printf(
			    ", %.2f%% of the cycles", 100 * (double)(a->unaccounted.cycles - a->cut.cycles) / cycles);
		printf(".\n");
	}
	if (a->timed && a->unmeasured > 0)
		printf("\n%s counts (%.2f%%) are of paths without cycles: they count as 0 cycles.\n",
		    with_commas(a->unmeasured), 100 * (double)a->unmeasured / count);
}
