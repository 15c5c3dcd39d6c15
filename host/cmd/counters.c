/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
#include "host/cmd/counters.h"
#include "host/base/order.h"
#include "host/insert/counted_elsewhere.h"
#include "host/insert/counted_twin.h"
#include "host/insert/insert.h"

#define CYCLES_OF_A_COUNT 3 /* at least: load, addition, store */

static void tell_unknown(const struct counted *c, const char *file)
{
	if (c->unknown_prefixes > c->no_bounds)
		complain(
		    "%s: of %s calls that had not ended it is not known what their paths had run through: at most %s "
		    "instructions are missing, or %s too many",
		    file, with_commas(c->unknown_prefixes), with_commas(c->few_at_most), with_commas(c->many_at_most));
	else if (c->unknown_prefixes > 0)
		complain("%s: of %s calls that had not ended it is not known what their paths had run through", file,
		    with_commas(c->unknown_prefixes));
}

/* The runtime sends the stack that the program ends on. What lies on others nobody unwinds. */
static void tell_switched_stacks(const char *file, const struct image *image)
{
	static const char *const names[] = {"swapcontext", "setcontext", "makecontext"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (!image_uses(image, names[i]))
			continue;
		complain("%s: %s switches stacks (%s): of calls that had not ended, on a stack that it had left, it is "
			 "not known what they had run",
		    file, image_path(image), names[i]);
		return;
	}
}

/* "on for 10.2% of the time", as far as that is known. */
static const char *on_share_text(const struct profile *profile)
{
	static char text[64];
	const double share = profile_on_share(profile);
	if (share < 0)
		snprintf(text, sizeof text, "for how long it was on is not known");
	else
		snprintf(text, sizeof text, "it was on for %.1f%% of the time", 100 * share);
	return text;
}

void part_text(const struct profile *profile, char *text, size_t size)
{
	if (profile->total == 0)
		snprintf(text, size, "counting was off all the time, so nothing was counted");
	else
		snprintf(text, size, "counting was switched off (%s %s), and %s", with_commas(profile->end.offs),
		    profile->end.offs == 1 ? "time" : "times", on_share_text(profile));
}

void complain_part(const char *file, const struct profile *profile)
{
	char text[192];
	if (!profile_is_part(profile))
		return;
	part_text(profile, text, sizeof text);
	complain("%s: is of a part of the run: %s. It has the calls that began while it was on, each to its end; what "
		 "it does not have may have run all the same",
	    file, text);
}

static void tell_left_calls(const struct counted *counted, const char *file)
{
	const char *name = counted_elsewhere(counted);
	if (name != NULL)
		complain("%s: %s may leave calls by a stack pointer from elsewhere (a goto out of a nested function, "
			 "__builtin_longjmp, a switch of tasks): it is not known what those had run",
		    file, name);
}

struct counted *open_counters(
    const struct profile *profile, const char *file, const struct image *image, const struct image *twin, int *status)
{
	struct counted *counted;
	if (profile->header.ctrl != INSERT_PATHS && profile->header.ctrl != INSERT_BLOCKS &&
	    profile->header.ctrl != INSERT_EDGES && profile->header.ctrl != INSERT_REGIONS) {
		if (profile->header.ctrl == INSERT_TRACE || profile->header.ctrl == INSERT_CYCLES)
			complain("%s: has %s: `rivulet %s' reads it", file,
			    profile->header.ctrl == INSERT_TRACE ? "a sequence of blocks" : "the contexts of calls",
			    profile->header.ctrl == INSERT_TRACE ? "phases" : "calls");
		else if (profile->header.ctrl == INSERT_MAP)
			complain(
			    "%s: has no counters: no part of the program that ran had any, or none had begun to count",
			    file);
		else
			complain("%s: has counters of %s, which this command does not read", file,
			    insert_mode_name((unsigned)profile->header.ctrl));
		*status = STATUS_FAILED;
		return NULL;
	}
	int error = counted_open(&counted, image, profile);
	if (error == COUNTED_OK && twin != NULL)
		error = counted_move(counted, twin);
	if (error == COUNTED_EOTHER)
		complain("%s: %s: its objects are not in %s", file, counted_strerror(error), image_path(image));
	else if (error != COUNTED_OK)
		complain("%s: counters of inserted code; %s: %s", file, image_path(image), counted_strerror(error));
	*status = error != COUNTED_OK ? STATUS_FAILED : STATUS_OK;
	if (error != COUNTED_OK) {
		counted_close(counted);
		return NULL;
	}
	if (counted->mode != profile->header.ctrl) {
		complain("%s: has counters of %s, but %s is made for those of %s: give the program that ran, or its "
			 "twin (rivulet insert --map --%s)",
		    file, insert_mode_name((unsigned)profile->header.ctrl), image_path(image),
		    insert_mode_name(counted->mode), insert_mode_name((unsigned)profile->header.ctrl));
		counted_close(counted);
		*status = STATUS_FAILED;
		return NULL;
	}
	if (counted->strange > 0) {
		complain("%s: %s of its counts have no place in %s: it is not the program that ran, nor a twin made "
			 "with the same options",
		    file, with_commas(counted->strange), image_path(image));
		*status = STATUS_NO;
	}
	if (counted->libraries > 0)
		complain("%s: %s counts are of another part of the process, and are not in the numbers: give the "
			 "program, and its shared libraries by --library",
		    file, with_commas(counted->elsewhere));
	if (profile->has_end && profile->end.dropped > 0) {
		complain("%s: %s counts of paths found no room in the hash tables and are lost: give the runtime more "
			 "buckets (sw/probe/probe.h), or a larger --array",
		    file, with_commas(profile->end.dropped));
		*status = STATUS_NO;
	}
	if (counted->narrow && profile->has_end && profile->end.cycles >> 32 >= CYCLES_OF_A_COUNT) {
		complain("%s: the program ran for %s cycles: counters of 32 bits may have started again after "
			 "4,294,967,295 counts (rivulet insert --wide has larger ones)",
		    file, with_commas(profile->end.cycles));
		*status = STATUS_NO;
	}
	if (counted->narrow && profile->has_end && profile->end.cycles == 0)
		complain("%s: the runtime had no clock: nobody knows whether a counter of 32 bits has started again "
			 "after 4,294,967,295 counts (rivulet cc --clock, rivulet insert --wide)",
		    file);
	if (counted->lost_stacks > 0) {
		complain("%s: %s calls of longjmp() and exceptions are not known: the runtime's table had no room "
			 "(RIVULET_PROBE_LEFT, sw/probe/left.c), a shared library threw them, or threads of a linked "
			 "program at once; what they left is not in "
			 "the numbers",
		    file, with_commas(counted->lost_stacks));
		*status = STATUS_NO;
	}
	if (counted->broken_stacks > 0)
		complain("%s: %s stacks could not be followed to where the program begins: %s", file,
		    with_commas(counted->broken_stacks), counted->broken_why);
	complain_part(file, profile);
	tell_unknown(counted, file);
	tell_switched_stacks(file, image);
	if (!profile->has_end)
		complain("%s: it has no end: counters may be missing", file);
	if (counted->left > 0)
		complain("%s: %s functions of %s have counters; %s have none and are not in the numbers "
			 "(rivulet insert --verbose says why)%s",
		    file, with_commas(counted->functions), image_path(image), with_commas(counted->left),
		    image_hosted(image) ? "" : ", nor is what ran before the constructors");
	return counted;
}

int convert_counters(
    struct loaded *loaded, const char *file, const struct image *image, const struct image *twin, struct counted **out)
{
	*out = NULL;
	struct profile stretches;
	int status;
	struct counted *counted = open_counters(&loaded->profile, file, image, twin, &status);
	if (counted == NULL)
		return status;
	if (profile_init(&stretches) != PROFILE_OK ||
	    counted_profile(counted, &loaded->profile, &stretches) != COUNTED_OK) {
		complain("%s: out of memory", file);
		profile_fini(&stretches);
		counted_close(counted);
		return STATUS_FAILED;
	}
	if (counted->pads > 0)
		complain("%s: at most %s instructions of padding are not in the numbers: it is not known which way the "
			 "branches before them went",
		    file, with_commas(counted->pads));
	if (counted->unsure > 0)
		complain("%s: of %s executions it is not known behind which call of a block they ended: instructions "
			 "between "
			 "its calls may be as many off",
		    file, with_commas(counted->unsure));
	if (counted->mode != INSERT_BLOCKS) /* there each call ends what is counted */
		tell_left_calls(counted, file);
	profile_fini(&loaded->profile);
	loaded->profile = stretches;
	*out = counted;
	return status;
}

/* How often a function was entered from outside: its first block without what came there from its own blocks. */
static uint64_t entered_from_outside(const struct counted *c, const struct map_function *f)
{
	uint64_t all = c->blocks[f->blocks];
	for (uint32_t e = f->edges; e < f->edges + f->edge_count; e++) {
		const uint64_t back = c->map->edges[e].to == 0 ? c->edges[e] : 0;
		if (back != COUNTED_UNKNOWN)
			all -= back < all ? back : all;
	}
	return all;
}

void count_entries(struct account *account, const struct counted *counted)
{
	const struct map *m = counted->map;
	for (uint32_t i = 0; i < m->function_count; i++) {
		const struct map_function *f = &m->functions[i];
		if (f->address == 0 || (f->flags & MAP_COUNTED) == 0)
			continue;
		size_t low;
		ORDER_FIRST(low, 0, account->function_count, account->functions[low].start < f->address);
		if (low < account->function_count && account->functions[low].start == f->address) {
			account->functions[low].self.count = counted->blocks[f->blocks];
			account->functions[low].begun = entered_from_outside(counted, f);
		}
	}
}
