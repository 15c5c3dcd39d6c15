/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/not_traced.h"

#include <string.h>
#include "host/export/gather.h"
#include "host/insert/uncounted.h"
#include "host/records/records.h"
#include "host/table/line.h"

#define INDENT 13 /* of the report's header: "  run        " */

void shown_by_counters(struct remainder_shown *shown, const struct image *image, const struct counted *counted)
{
	size_t size;
	shown->counters = true;
	shown->libraries = image_section(image, ".interp", &size) != NULL;
	if (uncounted_functions(image, &shown->uncounted) != 0)
		shown->uncounted = 0;
	if (counted == NULL)
		return;
	shown->elsewhere = counted->elsewhere;
	shown->unfit = counted->strange;
	shown->cut = counted->unknown_prefixes + counted->broken_stacks;
}

void remainder_profiled(struct remainder *r, const struct profiled *p)
{
	const struct account *a = p->account;
	struct remainder_shown shown = {.damaged = !p->loaded.whole};
	if (a != NULL)
		shown = (struct remainder_shown){.insns = a->accounted.insns,
		    .cycles = a->accounted.cycles,
		    .timed = a->timed,
		    .unfit = a->unaccounted.count,
		    .unfit_insns = a->unaccounted.insns,
		    .unfit_cycles = a->unaccounted.cycles - a->cut.cycles,
		    .cut = a->cut.count,
		    .cut_cycles = a->cut.cycles,
		    .damaged = !p->loaded.whole};
	if (p->counted != NULL)
		shown_by_counters(&shown, p->image, p->counted);
	remainder_find(r, &p->loaded.profile, &shown);
}

void remainder_of_gather(struct remainder *r, const struct profile *head, const struct gather_result *result,
    const struct counted *counted, bool damaged)
{
	const uint64_t scale = result->scale > 0 ? result->scale : 1; /* the law multiplies itself */
	struct remainder_shown shown = {.insns = result->count / scale,
	    .cycles = result->cycles / scale,
	    .timed = result->cycles > 0,
	    .unfit = result->unfit,
	    .unfit_insns = result->unfit_insns,
	    .unfit_cycles = result->lost_cycles,
	    .cut = result->cut,
	    .damaged = damaged};
	if (counted != NULL)
		shown_by_counters(&shown, counted->image, counted);
	remainder_find(r, head, &shown);
}

void remainder_gathered(struct remainder *r, const struct records *records, const struct gather_result *result)
{
	struct profile head = {0};
	size_t kept;
	uint64_t damages;
	records_damage(records, &kept, &damages);
	records_describe(records, &head);
	remainder_of_gather(r, &head, result, NULL, damages > 0);
}

void print_not_traced(const struct remainder *r, FILE *out)
{
	char text[1024], *word = text;
	size_t width = line_width() > 2 * INDENT ? line_width() : LINE_WIDTH, column = INDENT;
	if (!remainder_any(r))
		return;
	remainder_text(r, text, sizeof text);
	/* what samples overrate is no part of the run */
	bool over = r->left_insns == 0 && r->left_cycles == 0 && (r->over_insns > 0 || r->over_cycles > 0);
	const char *label = r->counters ? "not counted" : "not traced";
	column += (size_t)fprintf(out, "  %-10s", over ? "too many" : label) - 12;
	for (char *next; word != NULL; word = next) {
		next = strchr(word, ' ');
		if (next != NULL)
			*next++ = '\0';
		if (column + strlen(word) >= width) {
			fprintf(out, "\n%*s", INDENT - 1, "");
			column = INDENT;
		}
		column += (size_t)fprintf(out, " %s", word);
	}
	fprintf(out, "\n");
}

void complain_not_traced(const char *file, const struct remainder *r)
{
	char why[1024];
	if (!remainder_any(r))
		return;
	remainder_text(r, why, sizeof why);
	complain("%s: not %s: %s", file, r->counters ? "counted" : "traced", why);
}

void json_not_traced(struct json *j, const struct remainder *r)
{
	json_object(j, "not_traced");
	json_bool(j, "known", r->known);
	json_number(j, "run_instructions", r->insns);
	json_number(j, "run_cycles", r->cycles);
	json_number(j, "shown_instructions", r->shown_insns);
	json_number(j, "shown_cycles", r->shown_cycles);
	json_number(j, "instructions", r->left_insns);
	json_number(j, "cycles", r->left_cycles);
	json_number(j, "instructions_too_many", r->over_insns);
	json_number(j, "cycles_too_many", r->over_cycles);
	json_real(j, "share", remainder_share(r));
	json_array(j, "causes");
	for (unsigned i = 0; i < REMAINDER_CAUSES; i++) {
		const struct remainder_part *part = &r->parts[i];
		if (!part->there)
			continue;
		json_line(j, NULL);
		json_text(j, "cause", remainder_name((enum remainder_cause)i));
		if (part->measured) {
			json_number(j, "instructions", part->insns);
			json_number(j, "cycles", part->cycles);
		}
		json_number(j, "count", part->count);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

void complain_astray(const char *file, uint64_t returns, const char *what)
{
	complain(
	    "%s: %s returns went past the calls that led there: another stack (a task, a coroutine), longjmp() or an "
	    "exception; %s may be wrong from there on",
	    file, with_commas(returns), what);
}
