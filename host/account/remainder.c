/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/account/remainder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "common/rivulet_regs.h"
#include "common/run_config.h"

static const struct {
	const char *name, *text;
	const char *of;                   /* what count counts; NULL: nothing */
	const char *counted, *counted_of; /* the same of counters in code, if it is something else there */
} causes[REMAINDER_CAUSES] = {
    [REMAINDER_OFF] = {"off", "with tracing off", NULL},
    [REMAINDER_OUTSIDE] = {"outside", "outside of the program, or in jumps behind which the log ends or breaks off",
	NULL},
    [REMAINDER_UNFIT] = {"unfit", "in traces that do not fit the program", "traces",
	"in counts that have no place in the program", "counts"},
    [REMAINDER_CUT] = {"cut", "behind the known part of traces that were cut", "traces",
	"in calls of which it is not known what they had run", "calls"},
    [REMAINDER_HANDLERS] = {"handlers", "in trap handlers, which were not traced", NULL},
    [REMAINDER_TRACELESS] = {"traceless",
	"without a trace: the unit was not there, or was not simulated (run --fast traces for --profile and --records)",
	NULL},
    [REMAINDER_LOST] = {"lost", "in records that were lost", "records",
	"in calls that were left, for which there was no room", "calls"},
    [REMAINDER_DROPPED] = {"dropped", "in traces thrown out, for which the table had no place", "traces",
	"in paths for which the hash tables had no room", "paths"},
    [REMAINDER_DAMAGED] = {"damaged", "in what is damaged or missing in the file", NULL},
    [REMAINDER_SAMPLED] = {"sampled", "by the error of sampling", NULL},
    [REMAINDER_SWITCHED] = {"switched", "in calls that began while counting was switched off", "times"},
    [REMAINDER_UNCOUNTED] = {"uncounted", "in code without counters", "functions"},
    [REMAINDER_ELSEWHERE] = {"elsewhere", "in parts of the process that were not given", "counts"},
    [REMAINDER_LIBRARIES] = {"libraries", "in shared libraries without counters", NULL},
    [REMAINDER_CONTEXTS] = {"contexts", "in calls for whose contexts the runtime had no room", NULL},
    [REMAINDER_NO_TIME] = {"no_time", "in traces that have no time of the encoder before or behind them", NULL},
    [REMAINDER_UNKNOWN] = {"unknown", "in no record: behind the last one, or where nobody says", NULL},
};

const char *remainder_name(enum remainder_cause cause)
{
	return causes[cause].name;
}

/* What is left of all, and what is too much. */
static void split_difference(uint64_t all, uint64_t shown, uint64_t *left, uint64_t *over)
{
	*left = all > shown ? all - shown : 0;
	*over = shown > all ? shown - all : 0;
}

static uint64_t saturated_difference(uint64_t from, uint64_t by)
{
	return from > by ? from - by : 0;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* No trace came out of the run; those that were lost, or do not fit, were there. */
static bool is_traceless(const struct profile *profile, const struct remainder_shown *shown)
{
	return profile->has_header && !shown->counters && !profile->imported && !shown->damaged &&
	       shown->insns + shown->unfit + shown->cut + profile->end.lost + profile->end.dropped == 0;
}

static bool made_with_tracing_off(const struct profile *profile, const struct remainder_shown *shown)
{
	return is_traceless(profile, shown) && profile->header.way == RUN_OFF;
}

/* The parts whose size is known; what is left of the remainder is the rest. */
static void measure_parts(struct remainder *r, const struct profile *profile, const struct remainder_shown *shown)
{
	const struct profile_end *end = &profile->end;
	/* a log is never off: what it has and no record does could not be followed */
	struct remainder_part *off = &r->parts[profile->imported ? REMAINDER_OUTSIDE : REMAINDER_OFF];
	struct remainder_part *unfit = &r->parts[REMAINDER_UNFIT];
	const bool on = !made_with_tracing_off(profile, shown);
	r->rest_insns = r->left_insns;
	r->rest_cycles = r->left_cycles;
	off->insns = least_of(saturated_difference(r->insns, on ? end->instructions : 0), r->rest_insns);
	off->cycles = least_of(saturated_difference(r->cycles, on ? end->cycles : 0), r->rest_cycles);
	off->there = off->insns > 0 || (r->timed && off->cycles > 0);
	unfit->insns = least_of(shown->unfit_insns, saturated_difference(r->rest_insns, off->insns));
	unfit->cycles = least_of(shown->unfit_cycles, saturated_difference(r->rest_cycles, off->cycles));
	off->measured = unfit->measured = true;
	r->rest_insns = saturated_difference(r->rest_insns, off->insns + unfit->insns);
	r->rest_cycles = saturated_difference(r->rest_cycles, off->cycles + unfit->cycles);
}

/* A part is there if a cause has something to explain. */
static void explain_cause(struct remainder *r, enum remainder_cause cause, bool there, uint64_t count)
{
	struct remainder_part *part = &r->parts[cause];
	part->there = part->there || there || count > 0;
	part->count = count;
}

/* Who the rest may belong to. One cause alone gets it all. */
static void name_causes(struct remainder *r, const struct profile *profile, const struct remainder_shown *shown)
{
	const struct profile_header *h = &profile->header;
	const struct profile_end *end = &profile->end;
	const bool rest = r->rest_insns > 0 || (r->timed && r->rest_cycles > 0);
	const bool sampled = profile->has_header && profile_sampled(profile), over = r->over_insns + r->over_cycles > 0;
	const bool no_time = profile->shared && r->timed && r->rest_cycles > 0;
	const bool traceless = rest && is_traceless(profile, shown);
	const bool handlers = !traceless && profile->has_header && (h->ctrl & RV_CTRL_HANDLERS_MASK) == 0 &&
			      (!profile->shared || r->rest_insns > 0);
	unsigned others = 0, last = 0;
	/* a log's counter does not have the lines that are missing in it */
	r->unseen = r->known && !rest && !over && !sampled && profile->has_end && end->lost > 0;
	r->known = r->known && !r->unseen;
	explain_cause(r, REMAINDER_UNFIT, false, shown->unfit);
	explain_cause(r, REMAINDER_CUT, shown->cut_cycles > 0, shown->cut);
	explain_cause(r, REMAINDER_LOST, false, profile->has_end ? end->lost : 0);
	explain_cause(r, REMAINDER_DROPPED, false, profile->has_end ? end->dropped : 0);
	explain_cause(r, REMAINDER_DAMAGED, shown->damaged, 0);
	explain_cause(r, REMAINDER_TRACELESS, traceless, 0);
	explain_cause(r, REMAINDER_SAMPLED, sampled && !traceless && (rest || r->over_insns > 0), 0);
	explain_cause(r, REMAINDER_SWITCHED, false, profile_is_part(profile) ? end->offs : 0);
	explain_cause(r, REMAINDER_UNCOUNTED, shown->counters, shown->uncounted);
	explain_cause(r, REMAINDER_ELSEWHERE, false, shown->elsewhere);
	explain_cause(r, REMAINDER_LIBRARIES, shown->libraries, 0);
	explain_cause(r, REMAINDER_CONTEXTS, shown->contexts, 0);
	explain_cause(r, REMAINDER_HANDLERS, handlers && rest, 0);
	explain_cause(r, REMAINDER_NO_TIME, no_time, 0);
	for (unsigned i = 0; i < REMAINDER_CAUSES; i++) {
		if (r->parts[i].there && !r->parts[i].measured) {
			others++;
			last = i;
		}
	}
	if (others == 0 && rest) {
		last = REMAINDER_UNKNOWN;
		others = 1;
		r->parts[last].there = true;
	}
	if (others == 1 && r->known) {
		r->parts[last].measured = true;
		r->parts[last].insns = r->rest_insns;
		r->parts[last].cycles = r->rest_cycles;
		r->rest_insns = r->rest_cycles = 0;
	}
}

void remainder_find(struct remainder *r, const struct profile *profile, const struct remainder_shown *shown)
{
	const struct profile_end *end = &profile->end;
	const uint64_t period =
	    profile->has_header && !made_with_tracing_off(profile, shown) ? profile->header.period : 1;
	*r = (struct remainder){
	    .known = !shown->counters && !shown->lengthless && profile->has_end && end->instructions > 0 && period != 0,
	    .counters = shown->counters,
	    .lengthless = shown->lengthless && profile->has_end,
	    .timer = profile->has_end && end->instructions > 0 && period == 0,
	    .insns = end->run_instructions > 0 ? end->run_instructions : end->instructions,
	    .cycles = end->run_cycles > 0 ? end->run_cycles : end->cycles,
	    .shown_insns = shown->insns * period,
	    .shown_cycles = shown->cycles * period};
	r->timed = r->known && shown->timed && r->cycles > 0;
	if (r->known)
		split_difference(r->insns, r->shown_insns, &r->left_insns, &r->over_insns);
	if (r->timed)
		split_difference(r->cycles, r->shown_cycles, &r->left_cycles, &r->over_cycles);
	if (r->known)
		measure_parts(r, profile, shown);
	name_causes(r, profile, shown);
}

bool remainder_any(const struct remainder *r)
{
	bool any = !r->known || r->left_insns > 0 || r->over_insns > 0 ||
		   (r->timed && (r->left_cycles > 0 || r->over_cycles > 0));
	for (unsigned i = 0; i < REMAINDER_CAUSES; i++)
		any = any || r->parts[i].there;
	return any;
}

double remainder_share(const struct remainder *r)
{
	if (r->timed)
		return (double)r->left_cycles / (double)r->cycles;
	return r->known && r->insns > 0 ? (double)r->left_insns / (double)r->insns : 0;
}

/* ---------------------------------------------------------------- words */

struct words {
	char *text;
	size_t size;
	int length; /* of all of it, as snprintf counts */
};

__attribute__((format(printf, 2, 3))) static void append_words(struct words *w, const char *format, ...)
{
	va_list list;
	size_t used = (size_t)w->length < w->size ? (size_t)w->length : w->size;
	va_start(list, format);
	w->length += vsnprintf(w->text + used, w->size - used, format, list);
	va_end(list);
}

/* 1234567 as 1,234,567. */
static void add_number(struct words *w, uint64_t value)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
	for (int i = 0; i < length; i++)
		append_words(w, i > 0 && (length - i) % 3 == 0 ? ",%c" : "%c", digits[i]);
}

static void add_amount(struct words *w, uint64_t value, const char *unit, uint64_t all)
{
	add_number(w, value);
	append_words(w, " %s (%.2f%% of the run)", unit, all > 0 ? 100 * (double)value / (double)all : 0);
}

static void append_cause(struct words *w, const struct remainder *r, enum remainder_cause cause, bool first)
{
	const struct remainder_part *part = &r->parts[cause];
	const bool other = r->counters && causes[cause].counted != NULL;
	const char *of = other ? causes[cause].counted_of : causes[cause].of;
	append_words(w, "%s", first ? ": " : "; ");
	if (part->measured && (r->known || r->unseen) && part->insns + part->cycles > 0) {
		const bool insns = part->insns > 0 || !r->timed;
		add_number(w, insns ? part->insns : part->cycles);
		append_words(w, insns ? " " : " cycles ");
	}
	append_words(w, "%s", other ? causes[cause].counted : causes[cause].text);
	if (part->count > 0 && of != NULL) {
		append_words(w, " (");
		add_number(w, part->count);
		append_words(w, " %s)", of);
	}
}

static const char *why_unknown(const struct remainder *r)
{
	if (r->counters)
		return "counters in code know their own functions alone";
	if (r->lengthless)
		return "the file has no lengths of traces; rivulet report takes them from the program";
	if (r->timer)
		return "samples at equal times do not count instructions";
	if (r->unseen)
		return "no counter of the run has what was lost";
	return "the run's own counters are not";
}

int remainder_text(const struct remainder *r, char *text, size_t size)
{
	struct words w = {.text = text, .size = size};
	bool first = true, over = r->over_insns > 0 || (r->timed && r->over_cycles > 0);
	if (size > 0)
		text[0] = '\0';
	if (!r->known)
		append_words(&w, "how much is not known: %s", why_unknown(r));
	if (r->known && (r->left_insns > 0 || r->left_cycles > 0 || !over)) {
		add_amount(&w, r->left_insns, "instructions", r->insns);
		if (r->timed) {
			append_words(&w, ", ");
			add_amount(&w, r->left_cycles, "cycles", r->cycles);
		}
	}
	if (r->known && over) {
		append_words(&w, "%s", w.length > 0 ? ", and " : "");
		add_number(&w, r->over_insns > 0 ? r->over_insns : r->over_cycles);
		append_words(&w, " %s more than ran", r->over_insns > 0 ? "instructions" : "cycles");
	}
	for (unsigned i = 0; i < REMAINDER_CAUSES; i++) {
		if (!r->parts[i].there)
			continue;
		append_cause(&w, r, (enum remainder_cause)i, first);
		first = false;
	}
	return w.length;
}
