/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet insert: counters in objects and archives. */
#include <argp.h>
#include <string.h>
#include "host/cmd/insert_options.h"
#include "host/cmd/cmd.h"
#include "host/cmd/insert_gdb.h"
#include "host/cmd/insert_linked.h"
#include "host/cmd/insert_regions.h"
#include "host/cmd/insert_weights.h"
#include "host/cmd/parse_options.h"
#include "sw/probe/cycles.h"
#include "host/insert/budget.h"
#include "host/insert/cost.h"
#include "host/insert/near.h"
#include "host/insert/regions_map.h"
#include "host/insert/reserved.h"
#include "host/object/rewrite.h"
#include "host/regions/find.h"

COMMAND(160, insert, "counters in object files and archives, without source");

static int insert_into_object(void *context, struct object *object, const char *name, char *detail, size_t size)
{
	struct insert_arguments *a = context;
	const char *slash = strrchr(name, '/');
	name = slash != NULL ? slash + 1 : name;
	const struct budget_job job = {&a->options, a->budget, a->map, &a->counts, &a->level};
	return budget_insert(&job, object, name, detail, size);
}

static void note_left_file(void *context, const char *name, int error, const char *detail)
{
	(void)context;
	(void)error;
	complain("%s: left as it is: %s", name, detail);
}

static void print_insert_summary(const struct insert_arguments *a, const struct rewrite_counts *files)
{
	const struct insert_counts *c = &a->counts;
	fprintf(stderr, "%s objects, %s functions", with_commas(files->objects), with_commas(c->functions));
	if (!a->map)
		fprintf(stderr, ", %s counters (%s bytes), %s instructions", with_commas(c->counters),
		    with_commas(c->counter_bytes), with_commas(c->instructions));
	if (!a->map && a->options.mode == INSERT_PATHS)
		fprintf(stderr,
		    "; path register: %s need none, %s dead over the function, %s saved and restored, %s in a stack "
		    "slot",
		    with_commas(c->registers[INSERTER_NO_REGISTER]), with_commas(c->registers[INSERTER_FREE]),
		    with_commas(c->registers[INSERTER_SAVED]), with_commas(c->registers[INSERTER_SLOT]));
	if (a->options.mode == INSERT_REGIONS)
		fprintf(stderr,
		    "; %s regions with %s paths, %s of them count turns in a register; %s functions with one array, %s "
		    "with "
		    "push and pop",
		    with_commas(c->regions), with_commas(c->region_paths), with_commas(c->turn_regions),
		    with_commas(c->global_functions), with_commas(c->stack_functions));
	if (c->cut_functions > c->apart)
		fprintf(stderr, "; %s functions have more paths than are counted whole%s",
		    with_commas(c->cut_functions - c->apart), a->level > 0 ? " within the budget" : "");
	if (c->hashed > 0)
		fprintf(stderr, "; %s functions in hash tables", with_commas(c->hashed));
	if (c->apart > 0)
		fprintf(stderr, "; %s without: cut at every branch", with_commas(c->apart));
	fprintf(stderr, "\n");
	if (c->left > 0 || files->left > 0)
		fprintf(stderr, "left without counters: %s functions, %s objects\n", with_commas(c->left),
		    with_commas(files->left));
	char names[160];
	reserved_names(a->shared.registers, names, sizeof names);
	if (a->shared.registers != 0)
		fprintf(stderr,
		    "nothing is kept in %s: %s uses it without saving it; for the other objects of the link give "
		    "--reserve=%s\n",
		    names, a->shared.who, names);
	if (c->unknown > 0)
		fprintf(stderr, "%s objects are not in %s: none of their regions has a name\n", with_commas(c->unknown),
		    a->program);
	if (c->lost_frames > 0)
		fprintf(stderr, "dropped: unwind entries of %s functions, which could not be carried over\n",
		    with_commas(c->lost_frames));
	if (c->lost_lists > 0)
		fprintf(stderr, "dropped: the rest of %s lists of debug information, for want of room\n",
		    with_commas(c->lost_lists));
	for (unsigned i = 0; a->verbose && i < 16 && c->reasons[i] != NULL; i++)
		fprintf(stderr, "  %s functions: %s\n", with_commas(c->reason_counts[i]), c->reasons[i]);
}

/* An archive's members are linked together: what one of them says holds for all. False: it cannot be read. */
static bool share_registers(struct insert_arguments *a, char *detail, size_t size)
{
	if (!a->told && reserved_of_file(a->input, &a->shared, detail, size) != OBJECT_OK)
		return false;
	a->options.reserved |= a->shared.registers;
	return true;
}

static void say_left(const char *function, const char *reason)
{
	fprintf(stderr, "no counters in %s: %s\n", function, reason);
}

int cmd_insert(int argc, char **argv)
{
	static const struct argp argp = {NULL, insert_parse_option, "FILE.o|FILE.a|PROGRAM -o FILE",
	    "Puts counters into an object file or into every object of an archive, without source. Link the result "
	    "with "
	    "the runtime (sw/probe), run the program, and read its profile with the other commands. A program or "
	    "shared "
	    "library of Linux that was linked with -Wl,--emit-relocs gets counters and runtime as it is.\v"
	    "The input is left as it is. What cannot be edited without doubt is passed on unchanged, and said.\n"
	    "Manual: docs/insert.md",
	    NULL, NULL, NULL};
	struct insert_arguments a = {.options = {.mode = INSERT_PATHS}};
	struct rewrite_counts files = {0};
	char detail[1024];
	parse_options(&argp, insert_options, argc, argv, 0, &a);
	if (a.verbose)
		a.counts.on_left = say_left;
	if (!a.near)
		a.options.near = a.weights != NULL ? NEAR_BYTES_WEIGHTED : NEAR_BYTES;
	if (a.gdb != NULL) {
		int status = write_gdb_commands(a.gdb);
		if (status != STATUS_OK || a.input == NULL)
			return status;
	}
	struct insert_original original = {0};
	if (a.program != NULL && insert_original_open(&original, a.program, a.core, detail, sizeof detail) != 0) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	for (unsigned class = 0; class < RIVULET_CYCLES_CLASSES; class ++) {
		if ((a.classes & 1u << class) != 0)
			insert_original_apart(&original, class);
	}
	a.options.original = &original;
	struct user_regions user = {0};
	struct weights *weights = NULL;
	struct output *output = NULL;
	int status = STATUS_FAILED;
	if (a.regions != NULL && open_user_regions(&user, a.regions, &original) != STATUS_OK)
		goto out;
	if (a.regions != NULL)
		a.options.named = &user.named;
	if (a.weights != NULL && load_weights(a.weights_of, a.weights, &weights) != STATUS_OK)
		goto out;
	a.options.weights = weights;
	const struct rewrite rewrite = {
	    .change = insert_into_object, .note = note_left_file, .context = &a, .keep = true};
	if (is_linked_input(a.input)) {
		status = insert_into_linked(&a);
		if (status != STATUS_FAILED && !a.quiet)
			print_insert_summary(&a, &files);
		goto out;
	}
	if (!share_registers(&a, detail, sizeof detail)) {
		complain("%s", detail);
		goto out;
	}
	/* the input may be the output: it is read before that is replaced */
	output = begin_output(a.output, OUTPUT_REPLACE, NULL, 0);
	if (output == NULL)
		goto out;
	if (rewrite_file(&rewrite, a.input, output_beside(output), &files, detail, sizeof detail) != OBJECT_OK) {
		complain("%s", detail);
		output_abandon(output);
		goto out;
	}
	if (finish_output(output, STATUS_OK) != STATUS_OK)
		goto out;
	if (!a.quiet)
		print_insert_summary(&a, &files);
	status = files.left > 0 ? STATUS_NO : STATUS_OK;
	if (a.counts.unknown > 0 && a.counts.unknown == a.counts.objects) {
		complain("%s: is not in %s: link that from the same files, each edited by --map; none of the regions "
			 "of %s is counted here",
		    a.input, a.program, a.regions);
		status = STATUS_NO;
	}
out:
	weights_close(weights);
	close_user_regions(&user);
	insert_original_close(&original);
	return status;
}
