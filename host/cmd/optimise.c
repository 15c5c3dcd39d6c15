/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* rivulet optimise: the hot traces of a program made into faster code (sw/optimise), on the host. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "host/cmd/optimise_linked.h"
#include "host/cmd/optimise_print.h"
#include "host/cmd/parse_options.h"
#include "host/cmd/profiled.h"
#include "host/optimise/divisors.h"
#include "host/optimise/elf.h"

COMMAND(170, optimise, "hot traces made into faster code: shows them, writes a new program");

enum { KEY_CACHE = 256, KEY_PASSES, KEY_RANGE, KEY_ONLY };

#define MEMORY (64u << 20)
#define SEGMENTS 16

struct arguments {
	struct operands operands;
	const char *output, *divisors;
	struct optimise_config config;
	uint64_t top;
	bool dot, cache_given;
	const char *traces_only; /* an option that a program for Linux does not have */
	struct layout_request layout;
	bool layout_given;
};

#define OPTIONS_OF struct arguments
static const struct option_row options[] = {
    {"output", 'o', "FILE", "Write the program with its optimised traces", OPTION_TEXT(output)},
    {"top", 'n', "N", "Show the N traces that save most (default 3; 0: all)",
	OPTION_AMOUNT(top, 1024, 0, UINT32_MAX, NULL), OPTION_NAMED(traces_only)},
    {"dot", 0, NULL, "For Graphviz: the traces, and how often each goes to which", OPTION_FLAG(dot),
	OPTION_NAMED(traces_only)},
    {"cache", KEY_CACHE, "ADDRESS", "Where the code cache lies (default: behind the program and its stack)", OPTION_OWN,
	OPTION_NAMED(traces_only)},
    {"cache-size", 0, "BYTES", "Its size (default 64k; also 512, 16k)",
	OPTION_AMOUNT(config.cache_size, 1024, 64, 120 << 10, NULL), OPTION_NAMED(traces_only)},
    {"length", 0, "N", "Instructions that a trace has at least, where it can (default 64, at most 200)",
	OPTION_AMOUNT(config.length, 1024, 1, 200, NULL), OPTION_NAMED(traces_only)},
    {"hot", 0, "N", "A trace is hot if one in N begins where it does (default 2000)",
	OPTION_AMOUNT(config.hot_share, 1024, 1, UINT32_MAX, NULL), OPTION_NAMED(traces_only)},
    {"gain", 0, "PERCENT", "A patch must save more than it costs by this (default 10)",
	OPTION_AMOUNT(config.gain_percent, 1024, 0, 100000, NULL), OPTION_NAMED(traces_only)},
    {"passes", KEY_PASSES, "LIST",
	"Only these: all, none, or names with commas, of unroll, inline, forward, dead, stack, divide, slots, align, "
	"compress, link, rename, reciprocal; with - before it a name is left out",
	OPTION_OWN, OPTION_NAMED(traces_only)},
    {"divisors", 0, "FILE", "Divisors that repeat, of `rivulet run --divisors': such divisions become multiplications",
	OPTION_TEXT(divisors), OPTION_NAMED(traces_only)},
    {"range", KEY_RANGE, "A-B", "Only code from address A to below B", OPTION_OWN, OPTION_NAMED(traces_only)},
    {"only", KEY_ONLY, "WHAT", "Of a program for Linux: only `functions' or `blocks' get another order", OPTION_OWN,
	OPTION_ALSO(layout_given)},
    OPTION_CHILD(operands),
    {0},
};

/* "all", "none", "unroll,slots", "-divide,-slots" */
static bool parse_passes(const char *list, unsigned *passes)
{
	char name[32];
	*passes = *list == '-' ? OPTIMISE_ALL : 0;
	while (*list != '\0') {
		bool without = *list == '-';
		size_t length = strcspn(list += without, ",");
		unsigned bit = 0;
		if (length >= sizeof name)
			return false;
		memcpy(name, list, length);
		name[length] = '\0';
		for (unsigned i = 0; i < OPTIMISE_PASSES; i++)
			bit |= strcmp(name, optimise_pass_names[i]) == 0 ? 1u << i : 0;
		if (strcmp(name, "all") == 0)
			bit = OPTIMISE_ALL;
		else if (bit == 0 && strcmp(name, "none") != 0)
			return false;
		*passes = without ? *passes & ~bit : *passes | bit;
		list += length;
		list += *list == ',';
	}
	return true;
}

static uint32_t optimise_number(
    struct argp_state *state, const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = 0;
	if (!parse_amount(text, 1024, most, &value) || value < least)
		argp_error(
		    state, "--%s %s: a number from %" PRIu64 " to %" PRIu64 " is expected", option, text, least, most);
	return (uint32_t)value;
}

static void parse_address_range(struct argp_state *state, const char *text, struct optimise_config *config)
{
	char first[32] = "";
	uint64_t a = 0, b = 0;
	const char *dash = strchr(text, '-');
	if (dash != NULL && (size_t)(dash - text) < sizeof first)
		memcpy(first, text, (size_t)(dash - text));
	if (dash == NULL || !parse_number(first, UINT32_MAX, &a) || !parse_number(dash + 1, UINT32_MAX, &b) || a >= b)
		argp_error(state,
		    "--range %s: two addresses are expected, the first below the second: 0x80000000-0x80001000", text);
	config->range_start = (uint32_t)a;
	config->range_end = (uint32_t)b;
}

static void parse_only(struct argp_state *state, const char *text, struct layout_request *r)
{
	r->functions = strcmp(text, "functions") == 0;
	r->blocks = strcmp(text, "blocks") == 0;
	if (!r->functions && !r->blocks)
		argp_error(state, "--only %s: `functions' or `blocks' is expected", text);
}

static error_t parse_optimise_option(int key, char *value, struct argp_state *state)
{
	struct arguments *a = state->input;
	switch (key) {
	case KEY_CACHE:
		a->config.cache = optimise_number(state, "cache", value, 4, UINT32_MAX);
		a->cache_given = true;
		if (a->config.cache % 4 != 0)
			argp_error(state, "--cache %s: a multiple of 4 is expected", value);
		return 0;
	case KEY_PASSES:
		if (!parse_passes(value, &a->config.passes))
			argp_error(state, "--passes %s: all, none, or names of passes with commas are expected", value);
		return 0;
	case KEY_ONLY:
		parse_only(state, value, &a->layout);
		return 0;
	case KEY_RANGE:
		parse_address_range(state, value, &a->config);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint32_t align_to_16(uint64_t address)
{
	return (uint32_t)((address + 15) & ~UINT64_C(15));
}

/* Behind all segments, and behind the stack that the program names. */
static uint32_t free_address(const struct image *image)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	uint64_t end = 0, stack;
	for (size_t i = 0; i < count; i++)
		end = segments[i].address + segments[i].size > end ? segments[i].address + segments[i].size : end;
	if (image_symbol(image, "__stack", &stack) == IMAGE_OK && stack > end)
		end = stack;
	return align_to_16(end);
}

/* Does the cache lie on a segment of the program? */
static bool cache_overlaps(const struct image *image, const struct optimise_config *config)
{
	size_t count;
	const struct elf_segment *segments = image_segments(image, &count);
	for (size_t i = 0; i < count; i++)
		if (config->cache < segments[i].address + segments[i].size &&
		    segments[i].address < (uint64_t)config->cache + config->cache_size)
			return true;
	return false;
}

static int make_optimised(
    struct optimise *optimise, const struct optimise_config *config, void *memory, const struct profile *profile)
{
	int error = optimise_init(optimise, config, memory, MEMORY);
	for (size_t i = 0; error == OPTIMISE_OK && i < profile->used; i++) {
		const struct record *r = &profile->entries[i];
		if (!record_partial(r) && r->start <= UINT32_MAX && r->hist <= UINT32_MAX)
			optimise_record(optimise, (uint32_t)r->start, (uint32_t)r->hist,
			    r->count > UINT32_MAX ? UINT32_MAX : (uint32_t)r->count);
	}
	for (size_t i = 0; error == OPTIMISE_OK && i < profile->used; i++)
		optimise_witness(optimise, (uint32_t)profile->entries[i].start, (uint32_t)profile->entries[i].hist);
	if (error == OPTIMISE_OK)
		optimise_build(optimise);
	return error;
}

static const struct optimise *sorted_by;
static int by_saved(const void *a, const void *b)
{
	const struct optimise_trace *x = &sorted_by->traces[*(const uint32_t *)a],
				    *y = &sorted_by->traces[*(const uint32_t *)b];
	return (x->saved < y->saved) - (x->saved > y->saved);
}

static int show_optimised(
    const struct arguments *a, const struct image *image, struct optimise *optimise, const struct optimise *plain)
{
	uint64_t saved = 0;
	uint32_t count = optimise->trace_count;
	uint32_t *index = calloc(count + 1u, sizeof *index);
	if (index == NULL) {
		complain("out of memory");
		return STATUS_FAILED;
	}
	for (uint32_t i = 0; i < count; i++) {
		index[i] = i;
		saved += optimise->traces[i].saved;
	}
	sorted_by = optimise;
	qsort(index, count, sizeof *index, by_saved);
	printf("%s traces, %s patches, %s bytes at 0x%08" PRIx32 "; about %s cycles saved of the profile's run\n",
	    with_commas(count), with_commas(optimise->patch_count), with_commas(optimise->cache_used),
	    optimise->config.cache, with_commas(saved));
	if (optimise->unpaid + optimise->full + optimise->refused > 0)
		printf("left alone: %s would not pay, %s found no room; %s records do not fit the code\n",
		    with_commas(optimise->unpaid), with_commas(optimise->full), with_commas(optimise->refused));
	int status = STATUS_OK;
	/* both have the same traces, unless the cache was too small */
	for (uint32_t i = 0; status == STATUS_OK && i < count && (a->top == 0 || i < a->top); i++)
		if (index[i] < plain->trace_count &&
		    optimise_print_trace(image, optimise, plain, index[i], stdout) < 0) {
			complain("out of memory");
			status = STATUS_FAILED;
		}
	free(index);
	return status;
}

static int write_program(const struct arguments *a, const struct optimise *optimise)
{
	const char *const inputs[] = {a->operands.program, a->operands.file};
	struct elf_file file;
	char detail[1024];
	if (elf_file_open(&file, a->operands.program, detail, sizeof detail) != ELF_FILE_OK) {
		complain("%s", detail);
		return STATUS_FAILED;
	}
	int status = STATUS_FAILED;
	struct output *output = begin_output(a->output, OUTPUT_REPLACE, inputs, 2);
	if (output != NULL) {
		errno = 0;
		int error = optimise_elf_write(&file, optimise, output_file(output));
		if (error != OPTIMISE_ELF_OK)
			complain("%s: %s", a->output,
			    error == OPTIMISE_ELF_EWRITE ? strerror(errno) : optimise_elf_strerror(error));
		status = finish_output(output, error == OPTIMISE_ELF_OK ? STATUS_OK : STATUS_FAILED);
	}
	elf_file_close(&file);
	return status;
}

static bool read_divisors(const char *file, struct optimise_config *config)
{
	static struct optimise_divisor divisors[OPTIMISE_DIVISORS_ROOM];
	size_t line;
	if (file == NULL)
		return true;
	config->divisors = divisors;
	config->divisor_room = OPTIMISE_DIVISORS_ROOM;
	int error = optimise_divisors_read(file, config, &line);
	if (error == OPTIMISE_DIVISORS_EOPEN)
		complain("%s: %s", file, errno != 0 ? strerror(errno) : optimise_divisors_strerror(error));
	else if (error != OPTIMISE_DIVISORS_OK)
		complain("%s:%zu: %s", file, line, optimise_divisors_strerror(error));
	return error == OPTIMISE_DIVISORS_OK;
}

static int optimise_traces(struct arguments *a, struct profiled *p)
{
	struct optimise optimise, plain;
	struct optimise_code code[SEGMENTS];
	size_t count;
	const struct elf_segment *segments = image_segments(p->image, &count);
	int status = STATUS_OK;
	for (size_t i = 0; i < count && a->config.code_count < SEGMENTS; i++)
		if (segments[i].execute && segments[i].file_size > 0)
			code[a->config.code_count++] = (struct optimise_code){
			    (uint32_t)segments[i].address, (uint32_t)segments[i].file_size, segments[i].bytes};
	a->config.code = code;
	if (!a->cache_given)
		a->config.cache = free_address(p->image);
	if (cache_overlaps(p->image, &a->config)) {
		complain("the code cache at 0x%08" PRIx32 " lies on the program; --cache=ADDRESS puts it elsewhere",
		    a->config.cache);
		return STATUS_FAILED;
	}
	void *memory = malloc(MEMORY), *plain_memory = malloc(MEMORY);
	struct optimise_config without = a->config;
	without.passes &= OPTIMISE_UNROLL | OPTIMISE_INLINE;
	without.cache_size = 120 << 10;
	int error = memory == NULL || plain_memory == NULL
			? OPTIMISE_EMEMORY
			: make_optimised(&optimise, &a->config, memory, &p->loaded.profile);
	if (error == OPTIMISE_OK)
		error = make_optimised(&plain, &without, plain_memory, &p->loaded.profile);
	if (error != OPTIMISE_OK) {
		complain("%s", optimise_strerror(error));
		status = STATUS_FAILED;
	} else if (a->output != NULL && write_program(a, &optimise) != STATUS_OK)
		status = STATUS_FAILED;
	else if (a->dot)
		optimise_print_dot(p->image, &optimise, stdout);
	else
		status = show_optimised(a, p->image, &optimise, &plain);
	free(memory);
	free(plain_memory);
	return status;
}

/* Traces of a bare-metal program, the layout of one for Linux. */
static int optimise_opened(struct arguments *a, struct profiled *p)
{
	const bool hosted = image_hosted(p->image);
	if (hosted && image_xlen(p->image) == 64) {
		if (a->traces_only == NULL) {
			a->layout.output = a->output;
			return optimise_linked(p, &a->layout);
		}
		complain("%s: is a program for Linux, whose code gets another order: --%s is for the traces of "
			 "bare-metal programs",
		    p->program, a->traces_only);
		return STATUS_FAILED;
	}
	if (hosted || image_xlen(p->image) != 32) {
		complain("%s: is neither a bare-metal RV32 program nor one of RV64 Linux", p->program);
		return STATUS_FAILED;
	}
	if (a->layout_given) {
		complain("%s: --only is for programs for Linux", p->program);
		return STATUS_FAILED;
	}
	return read_divisors(a->divisors, &a->config) ? optimise_traces(a, p) : STATUS_FAILED;
}

int cmd_optimise(int argc, char **argv)
{
	static const struct argp_child children[] = {OPERANDS_CHILD, {0}};
	static const struct argp argp = {NULL, parse_optimise_option, "PROGRAM.elf PROFILE",
	    "Makes a program faster by a profile of it. Of a bare-metal RV32 program: hot traces become straight, "
	    "faster code, by the optimiser that firmware runs on the core (sw/optimise); shows each trace before and "
	    "after, with cycles, and writes a program that uses them. Of a program of RV64 Linux, linked with "
	    "-Wl,--emit-relocs: functions and blocks get the order in which they run, and the cold ones go behind "
	    "them.\v"
	    "The written bare-metal program needs memory up to the end of its code cache: rivulet run --ram=BYTES.\n"
	    "Manual: docs/optimise.md",
	    children, NULL, NULL};
	struct arguments a = {.top = 3,
	    .layout = {.functions = true, .blocks = true},
	    .config = {
		.passes = OPTIMISE_ALL, .cache_size = 64 << 10, .length = 64, .hot_share = 2000, .gain_percent = 10}};
	struct profiled profiled = {0};
	a.operands.wanted = "a program (ELF) and a profile of it";
	parse_options(&argp, options, argc, argv, 0, &a);
	take_operands(&profiled, &a.operands);
	int status = open_profiled(&profiled);
	if (status != STATUS_FAILED)
		status = worse_status(status, optimise_opened(&a, &profiled));
	status = end_output(status);
	close_profiled(&profiled);
	return status;
}
