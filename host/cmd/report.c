/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet report: hot paths of a program from a profile. */
#include "host/cmd/report.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "model/trace.h"

enum { KEY_EXACT = 256, KEY_BASELINE, KEY_OVERLAP, KEY_OVERHEAD, KEY_BY, KEY_SORT, KEY_PARTIAL, KEY_FORCE };
enum { BY_PATH, BY_FUNCTION, BY_LINE };

struct arguments {
	const char *program, *profile, *exact, *baseline;
	uint64_t top, disassemble;
	double require_overlap, require_overhead; /* < 0: not required */
	int by;
	enum profile_order order;
	bool partial, force;
};

static const struct argp_option options[] = {
    {"top", 'n', "N", 0, "Show the N hottest (default 10; 0: all)", 0},
    {"disassemble", 'd', "K", 0, "Disassemble the K hottest paths (default 1)", 0},
    {"by", KEY_BY, "WHAT", 0, "path (default), function or line", 0},
    {"sort", KEY_SORT, "ORDER", 0, "Order paths by count (default) or cycles", 0},
    {"exact", KEY_EXACT, "FILE", 0, "Exact profile of the same program: print the overlap with it", 0},
    {"baseline", KEY_BASELINE, "FILE", 0, "Profile or capture of the same run with tracing off: print the overhead", 0},
    {"require-overlap", KEY_OVERLAP, "PERCENT", 0, "Exit with 1 if the overlap is smaller (needs --exact)", 0},
    {"require-overhead", KEY_OVERHEAD, "PERCENT", 0, "Exit with 1 if the overhead is larger (needs --baseline)", 0},
    {"partial", KEY_PARTIAL, NULL, 0, "Accept a damaged or incomplete profile", 0},
    {"force", KEY_FORCE, NULL, 0, "Accept a profile of another build", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case 'n':
		if (!parse_number(value, UINT32_MAX, &a->top))
			argp_error(state, "--top %s: a number of paths is expected", value);
		return 0;
	case 'd':
		if (!parse_number(value, UINT32_MAX, &a->disassemble))
			argp_error(state, "--disassemble %s: a number of paths is expected", value);
		return 0;
	case KEY_BY:
		if (strcmp(value, "path") == 0)
			a->by = BY_PATH;
		else if (strcmp(value, "function") == 0)
			a->by = BY_FUNCTION;
		else if (strcmp(value, "line") == 0)
			a->by = BY_LINE;
		else
			argp_error(state, "--by %s: path, function or line is expected", value);
		return 0;
	case KEY_SORT:
		if (strcmp(value, "count") == 0)
			a->order = PROFILE_BY_COUNT;
		else if (strcmp(value, "cycles") == 0)
			a->order = PROFILE_BY_CYCLES;
		else
			argp_error(state, "--sort %s: count or cycles is expected", value);
		return 0;
	case KEY_EXACT:
		a->exact = value;
		return 0;
	case KEY_BASELINE:
		a->baseline = value;
		return 0;
	case KEY_OVERLAP:
		if (!parse_percent(value, &a->require_overlap))
			argp_error(state, "--require-overlap %s: a percentage is expected", value);
		return 0;
	case KEY_OVERHEAD:
		if (!parse_percent(value, &a->require_overhead))
			argp_error(state, "--require-overhead %s: a percentage is expected", value);
		return 0;
	case KEY_PARTIAL:
		a->partial = true;
		return 0;
	case KEY_FORCE:
		a->force = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->program == NULL)
			a->program = value;
		else if (a->profile == NULL)
			a->profile = value;
		else
			argp_error(state, "a program and a profile are expected, `%s' is too many", value);
		return 0;
	case ARGP_KEY_END:
		if (a->profile == NULL)
			argp_error(state, "a program (ELF) and a profile are expected");
		if (a->require_overlap >= 0 && a->exact == NULL)
			argp_error(state, "--require-overlap needs --exact FILE");
		if (a->require_overhead >= 0 && a->baseline == NULL)
			argp_error(state, "--require-overhead needs --baseline FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Whether the profile was made from this image. */
static int check_build(const struct arguments *a, const struct image *image, const struct profile *profile)
{
	char detail[1024];
	uint32_t build;
	if (!profile->has_header) {
		complain("%s: without its header it cannot be checked that it is of %s", a->profile, a->program);
		return STATUS_OK;
	}
	int error = image_build(image, &build, detail, sizeof detail);
	if (error != IMAGE_OK) {
		if (image_has_build(image, profile->header.build))
			return STATUS_OK;
		complain("%s; it is not checked that the profile is of this build", detail);
		return STATUS_OK;
	}
	if (build == profile->header.build)
		return STATUS_OK;
	complain("%s: is of build %08" PRIx32 " (application %s), but %s is build %08" PRIx32 ": %s", a->profile,
	    profile->header.build, profile->header.name, a->program, build,
	    a->force ? "used because of --force" : "give the program that ran, or --force to use it nevertheless");
	return a->force ? STATUS_OK : STATUS_FAILED;
}

/* Same build and same way of ending traces. what: for the message. */
static bool comparable(const char *what, const struct profile *a, const struct profile *b, bool traces)
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

static void print_header(const struct arguments *a, const struct report *report, const struct loaded *loaded)
{
	const struct profile *p = &loaded->profile;
	const struct profile_header *h = &p->header;
	const struct style *s = report->style;
	if (p->has_header) {
		printf("%s%s%s  %s%s, build %08" PRIx32 "%s\n", s->bold, h->name[0] != '\0' ? h->name : "(no name)",
		    s->off, s->dim, a->program, h->build, s->off);
		printf("  way        %s", profile_way_name(h->way));
		if (h->period > 1)
			printf(", one trace in %s", with_commas(h->period));
		if (h->dither > 0)
			printf(" (%s to %s)", with_commas(h->period > h->dither / 2 ? h->period - h->dither / 2 : 1),
			    with_commas(h->period > h->dither / 2 ? h->period - h->dither / 2 + h->dither : h->dither));
		printf("; history %" PRIu64 " bits; counted by the %s\n", h->hist,
		    h->source == PROFILE_MODEL ? "golden model" : "firmware");
	} else
		printf("%s  %s(header missing)%s\n", a->program, s->dim, s->off);
	printf("  %s    %s in %s distinct paths", h->period == 1 ? "traces " : "samples", with_commas(p->total),
	    with_commas(p->used));
	if (p->has_end)
		printf("; dropped %s, lost %s", with_commas(p->end.dropped), with_commas(p->end.lost));
	printf("\n");
	if (p->has_end && p->end.cycles > 0) {
		printf("  run        %s cycles, %s instructions", with_commas(p->end.cycles),
		    with_commas(p->end.instructions));
		if (p->end.instructions > 0)
			printf(", %.2f cycles each", (double)p->end.cycles / (double)p->end.instructions);
		if (p->end.interrupts > 0)
			printf("; %s interrupts", with_commas(p->end.interrupts));
		printf("\n");
	}
}

/* Prints overlap with the exact profile, and checks what is required. */
static int print_overlap(const struct arguments *a, const struct profile *profile)
{
	struct loaded exact = {0};
	int status = load_profile(&exact, a->exact);
	if (status == STATUS_NO && a->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED) {
		if (!comparable(a->exact, profile, &exact.profile, true))
			status = STATUS_NO;
		double overlap = 100 * profile_overlap(profile, &exact.profile);
		printf("  overlap    %.2f%% with the exact profile (%s traces in %s paths)\n", overlap,
		    with_commas(exact.profile.total), with_commas(exact.profile.used));
		if (a->require_overlap >= 0 && overlap < a->require_overlap) {
			complain("the overlap is %.2f%%, %.2f%% is required", overlap, a->require_overlap);
			status = STATUS_NO;
		}
	}
	free_profile(&exact);
	return status;
}

static int print_overhead(const struct arguments *a, const struct profile *profile)
{
	struct loaded base = {0};
	int status = load_profile(&base, a->baseline);
	if (status == STATUS_NO && a->partial)
		status = STATUS_OK;
	if (status != STATUS_FAILED && (!profile->has_end || !base.profile.has_end || base.profile.end.cycles == 0)) {
		complain(
		    "%s: no overhead without the end frame's cycles", !profile->has_end ? a->profile : a->baseline);
		status = a->require_overhead >= 0 || status == STATUS_NO ? STATUS_NO : STATUS_OK;
	} else if (status != STATUS_FAILED) {
		double before = (double)base.profile.end.cycles, with = (double)profile->end.cycles;
		double overhead = 100 * (with - before) / before;
		if (!comparable(a->baseline, profile, &base.profile, false))
			status = STATUS_NO;
		if (base.profile.end.interrupts > 0) {
			complain("%s: has %s trace interrupts; a baseline is a run with way = off", a->baseline,
			    with_commas(base.profile.end.interrupts));
			status = STATUS_NO;
		}
		printf("  overhead   %.2f%% over %s cycles with tracing off\n", overhead,
		    with_commas(base.profile.end.cycles));
		if (a->require_overhead >= 0 && overhead > a->require_overhead) {
			complain("the overhead is %.2f%%, %.2f%% or less is required", overhead, a->require_overhead);
			status = STATUS_NO;
		}
	}
	free_profile(&base);
	return status;
}

static int worse(int a, int b)
{
	return a > b ? a : b;
}

/* Everything behind the header, once all files are there. */
static int print_body(const struct arguments *a, struct report *report)
{
	const struct profile *profile = report->profile;
	const struct profile_header *h = &profile->header;
	const struct walk_config config = {.hist = profile->has_header ? (unsigned)h->hist : 32,
	    .ctrl = profile->has_header ? (uint32_t)h->ctrl : 0,
	    .insn_bits = 16};
	if (walk_open(&report->walk, report->image, &config) != WALK_OK ||
	    profile_sort(profile, a->order, &report->sorted) != PROFILE_OK) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < profile->used; i++) {
		report->all_cycles += profile_cycles(report->sorted[i]);
		report->timed |= report->sorted[i]->timed > 0 && report->sorted[i]->cycles > 0;
	}
	int status = a->by == BY_PATH ? report_paths(report) : report_code(report, a->by == BY_LINE);
	if (report->unknown_paths > 0)
		printf(
		    "\n%s paths (%.2f%% of the counts) were cut off at an unknown place: their known part is shown.\n",
		    with_commas(report->unknown_paths), 100 * (double)report->unknown_counts / (double)profile->total);
	if (report->unfit_paths > 0) {
		complain("%s: %s of the paths looked at (%.2f%% of the counts) do not fit %s", a->profile,
		    with_commas(report->unfit_paths), 100 * (double)report->unfit_counts / (double)profile->total,
		    a->program);
		status = worse(status, STATUS_NO);
	}
	return status;
}

int cmd_report(int argc, char **argv)
{
	static const struct argp argp = {options, parse, "PROGRAM.elf PROFILE",
	    "Hot paths of a program, from a profile or the captured UART bytes of a run.\v"
	    "Shares are of the traces that were counted. Cycles are estimated from the cycles of the counted traces "
	    "and the sampling period. "
	    "Exit status: 0 all is well; 1 the profile is damaged, does not fit the program, or a requirement is not "
	    "met; 2 a file cannot be "
	    "used.",
	    NULL, NULL, NULL};
	struct arguments a = {
	    .top = 10, .disassemble = 1, .require_overlap = -1, .require_overhead = -1, .order = PROFILE_BY_COUNT};
	struct report report = {.period = 1, .style = style_for(stdout)};
	struct loaded loaded = {0};
	char detail[1024];
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	report.top = a.top == 0 ? UINT64_MAX : a.top;
	report.disassemble = a.disassemble;

	int status = STATUS_FAILED;
	if (image_open(&report.image, a.program, detail, sizeof detail) != IMAGE_OK) {
		complain("%s", detail);
		goto out;
	}
	int read = load_profile(&loaded, a.profile);
	report.profile = &loaded.profile;
	if (read == STATUS_FAILED || check_build(&a, report.image, report.profile) != STATUS_OK)
		goto out;
	if (read == STATUS_NO && !a.partial) {
		complain("%s: is not whole; what there is follows (--partial accepts it)", a.profile);
		status = STATUS_NO;
	} else
		status = STATUS_OK;
	if (image_symbol_count(report.image) == 0)
		complain("%s: is stripped: functions are shown as addresses; use the program before strip", a.program);
	report.debug = image_debug(report.image, detail, sizeof detail) == IMAGE_OK;
	if (!report.debug)
		complain("%s", detail);
	if (loaded.profile.has_header && loaded.profile.header.period > 1) {
		report.scaled = true;
		report.period = (double)loaded.profile.header.period;
	}

	print_header(&a, &report, &loaded);
	if (a.exact != NULL)
		status = worse(status, print_overlap(&a, report.profile));
	if (a.baseline != NULL)
		status = worse(status, print_overhead(&a, report.profile));
	if (loaded.profile.total == 0) {
		complain("%s: has no traces%s", a.profile,
		    loaded.profile.has_header && loaded.profile.header.way == PROFILE_OFF
			? ": it was made with tracing off"
			: "");
		status = worse(status, STATUS_NO);
	} else
		status = worse(status, print_body(&a, &report));
out:
	free(report.sorted);
	walk_close(report.walk);
	free_profile(&loaded);
	image_close(report.image);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output: write error");
		status = STATUS_FAILED;
	}
	return status;
}
