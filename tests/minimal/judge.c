/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Judges a run of minimal_bench: the golden model of the trace unit, fed with the retirements and register writes of
 * the other core, must push the same records in the same cycles, and every record walked through the program must give
 * the retired instructions. Then the samples of the profile that the program's driver sent must be among the paths that
 * were taken. Usage: judge PROGRAM.elf EVENTS CONSOLE [NAME=VALUE...]: CONSOLE "-": the program prints no samples;
 * NAME: a parameter of the unit in small letters (with_repeat is not among them: EVENTS has no repeats), 0x allowed;
 * without any the unit is that of minimal_soc. Prints one line; exit status 0 if all agrees, 2 if the arguments cannot
 * be used.
 */
#include "host/image/image.h"
#include "host/profile/profile.h"
#include "host/profile/stream.h"
#include "host/walk/follow.h"
#include "model/trace.h"
#include "common/rivulet_regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct event {
	struct trace_retire retire;
	struct trace_bus bus;
	bool rec_valid;
	struct record rec;
};

/* With WITH_CHECK the port need not keep its promise, and a handler may be traced that returns by an instruction which
 * no walker knows. So a record is held against the retirements themselves: those that were traced, in order. */
struct traced {
	uint64_t pc, next_pc;
	int outcome; /* of a conditional branch; else -1 */
};
#define TRACED 65536u /* a power of two, above the instructions of a trace */

struct judge {
	struct traced traced[TRACED];
	uint64_t first, waiting; /* traced[first % TRACED] is the oldest */
	struct trace trace;
	struct follow follow;
	struct profile taken; /* every path whose record was made, sampled or not */
	bool sampling;
	uint64_t cycle, retired, records, sampled, held;
};

static int complain(const char *what, uint64_t cycle)
{
	fprintf(stderr, "judge: cycle %" PRIu64 ": %s\n", cycle, what);
	return 1;
}

/* The instruction in stage S is traced. */
static void remember(struct judge *judge)
{
	const struct trace_retire *s = &judge->trace.s;
	bool wide = (s->insn & 3) == 3;
	bool branch = wide ? (s->insn & 0x7F) == 0x63 : (s->insn & 0xC003) == 0xC001;
	judge->traced[(judge->first + judge->waiting++) % TRACED] =
	    (struct traced){s->pc, s->next_pc, branch ? s->next_pc != s->pc + (wide ? 4 : 2) : -1};
}

/* The oldest traced instructions are those of this record: its start, its outcomes, each the next_pc of the one before.
 * Returns what is wrong. */
static const char *hold(struct judge *judge, const struct record *record)
{
	uint64_t hist = 1, expect = record->start;
	if (record->insns > judge->waiting)
		return "a record has more instructions than were traced";
	for (uint32_t i = 0; i < record->insns; i++, judge->first++, judge->waiting--) {
		const struct traced *t = &judge->traced[judge->first % TRACED];
		if (t->pc != expect)
			return i == 0 ? "a record starts elsewhere" : "a record goes over a gap";
		expect = t->next_pc;
		if (t->outcome >= 0)
			hist = hist << 1 | (uint64_t)t->outcome;
	}
	judge->held += record->insns;
	return hist == record->hist ? NULL : "a record has other outcomes";
}

/* Feeds the model with one cycle. */
static int cycle(struct judge *judge, const struct event *event)
{
	struct trace *trace = &judge->trace;
	struct trace_out out;
	/* that of the current pair: switching off hands over one more */
	if (trace->ctrl & RV_CTRL_ENABLE_MASK)
		judge->sampling = trace->ctrl >> RV_CTRL_SAMPLE_LSB & 1;
	bool sampling = judge->sampling;
	bool latch = trace->cur_valid && (trace->end || !(trace->ctrl & RV_CTRL_ENABLE_MASK));
	if (latch && !trace->config.with_check) {
		struct record path = {.start = trace->cur_start,
		    .hist = trace->cur_hist,
		    .count = 1,
		    .reason = trace->end ? trace->end_reason : (uint8_t)TRACE_OFF};
		if (profile_add(&judge->taken, &path) != PROFILE_OK)
			return complain("no memory for the paths", judge->cycle);
	}
	/* With sampling, most instructions have no record: nothing to follow. */
	bool check = trace->config.with_check;
	if (check && trace_takes(trace))
		remember(judge);
	if (!check && !sampling && follow_taken(trace) && follow_retire(&judge->follow, trace) != FOLLOW_OK)
		return complain("too many instructions without a record", judge->cycle);
	trace_cycle(trace, &event->retire, &event->bus, &out);
	if (out.rec_valid != event->rec_valid)
		return complain(
		    out.rec_valid ? "a record is missing" : "a record that the model does not make", judge->cycle);
	if (out.rec_valid) {
		const struct record *a = &out.rec, *b = &event->rec;
		if (a->start != b->start || a->hist != b->hist || a->reason != b->reason || a->cycles != b->cycles ||
		    a->insns != b->insns)
			return complain("another record than the model's", judge->cycle);
		judge->records++;
		judge->sampled += sampling && (trace->ctrl & RV_CTRL_ENABLE_MASK);
		const char *wrong = check ? hold(judge, &out.rec) : NULL;
		if (wrong != NULL)
			return complain(wrong, judge->cycle);
		if (!check && !sampling) {
			int error = follow_record(&judge->follow, trace, &out.rec);
			if (error != FOLLOW_OK)
				return complain(follow_strerror(error), judge->cycle);
		}
	}
	judge->retired += event->retire.valid;
	judge->cycle++;
	return 0;
}

/* One line of the bench, or an X in it. */
static int parse(const char *line, uint64_t *at, struct event *event)
{
	unsigned valid, trap, intr, mode, write, index, rec, reason, insns;
	uint32_t insn, pc, next_pc, wdata, start, hist, cycles;
	if (sscanf(line,
		"C %" SCNu64 " %1u %1u %1u %u %" SCNx32 " %" SCNx32 " %" SCNx32 " %1u %u %" SCNx32 " %1u %" SCNx32
		" %" SCNx32 " %u %" SCNu32 " %u",
		at, &valid, &trap, &intr, &mode, &insn, &pc, &next_pc, &write, &index, &wdata, &rec, &start, &hist,
		&reason, &cycles, &insns) != 17)
		return 1;
	*event = (struct event){.retire = {.valid = valid,
				    .trap = trap,
				    .intr = intr,
				    .mode = (uint8_t)mode,
				    .insn = insn,
				    .pc = pc,
				    .next_pc = next_pc},
	    .bus = {.write = write, .index = (uint8_t)index, .wdata = wdata},
	    .rec_valid = rec,
	    .rec = {.start = start,
		.hist = hist,
		.reason = (uint8_t)reason,
		.count = 1,
		.cycles = cycles,
		.insns = (uint16_t)insns}};
	return 0;
}

static int run(struct judge *judge, FILE *events)
{
	char line[256];
	const struct event nothing = {0};
	while (fgets(line, sizeof line, events) != NULL) {
		struct event event;
		uint64_t at;
		int code;
		if (sscanf(line, "E %d", &code) == 1)
			return code == 0 ? 0 : complain("the program failed", judge->cycle);
		/* X and Z stand for what has no value; where nothing retires or is written only the flags count */
		if (strchr("C", line[0]) == NULL || parse(line, &at, &event) != 0) {
			fprintf(stderr, "judge: cannot be used: %s", line);
			return 1;
		}
		while (judge->cycle < at) {
			if (cycle(judge, &nothing) != 0)
				return 1;
		}
		if (cycle(judge, &event) != 0)
			return 1;
	}
	return complain("the events end before the program", judge->cycle);
}

/* The profile that the driver has sent against the paths that the model saw. */
static int samples(const struct judge *judge, FILE *console)
{
	static struct profile_reader reader;
	struct profile profile;
	uint8_t bytes[4096];
	int status = 0;
	if (profile_init(&profile) != PROFILE_OK)
		return complain("no memory for the profile", judge->cycle);
	profile_reader_init(&reader, &profile);
	for (size_t got; (got = fread(bytes, 1, sizeof bytes, console)) > 0;)
		profile_feed(&reader, bytes, got);
	profile_finish(&reader);
	for (size_t i = 0; i < profile.used; i++) {
		const struct record *r = &profile.entries[i];
		const struct record *all = profile_find(&judge->taken, r->start, r->hist, record_partial(r));
		if (all == NULL || r->count > all->count) {
			fprintf(stderr,
			    "judge: path %08" PRIx64 " %08" PRIx64 " sampled %" PRIu64 " times, taken %" PRIu64 "\n",
			    r->start, r->hist, r->count, all == NULL ? 0 : all->count);
			status = 1;
		}
	}
	uint64_t told = profile.total + profile.end.dropped + profile.end.lost;
	if (reader.damage_count != 0 || profile.total == 0 || judge->sampled != told) {
		fprintf(stderr,
		    "judge: %" PRIu64 " samples counted, %" PRIu64 " dropped, %" PRIu64 " lost, %" PRIu64
		    " made, damage %" PRIu64 "\n",
		    profile.total, profile.end.dropped, profile.end.lost, judge->sampled, reader.damage_count);
		status = 1;
	}
	if (status == 0)
		printf("judge: %" PRIu64 " cycles, %" PRIu64 " instructions, %" PRIu64 " walked back, %" PRIu64
		       " records, %" PRIu64 " samples of %zu paths, 0 differences\n",
		    judge->cycle, judge->retired, judge->follow.instructions, judge->records, told, profile.used);
	profile_fini(&profile);
	return status;
}

/* The unit's parameters: those of minimal_soc, and what the arguments say. Returns false for an unknown name. */
static bool configure(struct trace_config *c, char **arguments, int count)
{
	trace_config_fig5(c);
	if (count == 0) {
		c->hist = 16;
		c->fifo_depth = 4;
		c->with_reason = c->with_cycles = c->with_insns = c->with_sample = c->with_freeze = c->with_lost = true;
	}
	for (int i = 0; i < count; i++) {
		char name[32];
		unsigned value;
		if (sscanf(arguments[i], "%31[a-z_]=%i", name, (int *)&value) != 2)
			return false;
		const struct {
			const char *name;
			unsigned *number;
			bool *flag;
		} all[] = {{"xlen", &c->xlen, NULL}, {"hist", &c->hist, NULL}, {"fifo_depth", &c->fifo_depth, NULL},
		    {"ranges", &c->ranges, NULL}, {"ret_match", &c->ret_match, NULL}, {"ret_mask", &c->ret_mask, NULL},
		    {"cycle_bits", &c->cycle_bits, NULL}, {"insn_bits", &c->insn_bits, NULL},
		    {"sample_bits", &c->sample_bits, NULL}, {"with_reason", NULL, &c->with_reason},
		    {"with_cycles", NULL, &c->with_cycles}, {"with_insns", NULL, &c->with_insns},
		    {"with_sample", NULL, &c->with_sample}, {"with_dither", NULL, &c->with_dither},
		    {"with_mode", NULL, &c->with_mode}, {"with_freeze", NULL, &c->with_freeze},
		    {"with_lost", NULL, &c->with_lost}, {"with_lifo", NULL, &c->with_lifo},
		    {"with_context", NULL, &c->with_context}, {"with_term", NULL, &c->with_term},
		    {"with_range_start", NULL, &c->with_range_start}, {"with_next_pc", NULL, &c->with_next_pc},
		    {"with_zcmp", NULL, &c->with_zcmp}, {"with_heal", NULL, &c->with_heal},
		    {"with_check", NULL, &c->with_check}, {"with_recorder", NULL, &c->with_recorder}};
		size_t at = 0;
		while (at < sizeof all / sizeof *all && strcmp(all[at].name, name) != 0)
			at++;
		if (at == sizeof all / sizeof *all) {
			fprintf(stderr, "judge: %s: no parameter that it knows\n", name);
			return false;
		}
		if (all[at].number != NULL)
			*all[at].number = value;
		else
			*all[at].flag = value != 0;
	}
	return true;
}

int main(int argc, char **argv)
{
	static struct judge judge;
	struct trace_config config;
	struct image *image;
	char detail[300];
	if (argc < 4 || !configure(&config, argv + 4, argc - 4)) {
		fprintf(stderr, "Usage: judge PROGRAM.elf EVENTS CONSOLE|- [NAME=VALUE...]\n");
		return 2;
	}
	trace_reset(&judge.trace, &config);
	if (image_open(&image, argv[1], detail, sizeof detail) != IMAGE_OK) {
		fprintf(stderr, "judge: %s\n", detail);
		return 2;
	}
	FILE *events = fopen(argv[2], "r"), *console = strcmp(argv[3], "-") == 0 ? NULL : fopen(argv[3], "r");
	if (events == NULL || (console == NULL && strcmp(argv[3], "-") != 0) ||
	    follow_open(&judge.follow, image) != FOLLOW_OK || profile_init(&judge.taken) != PROFILE_OK) {
		fprintf(stderr, "judge: %s or %s cannot be read\n", argv[2], argv[3]);
		return 2;
	}
	int status = run(&judge, events);
	if (status == 0 && judge.follow.instructions + judge.held < (config.with_check ? 1000 : 10000))
		status = complain("too little was walked back", judge.cycle);
	if (status == 0 && console != NULL)
		status = samples(&judge, console);
	else if (status == 0)
		printf("judge: %" PRIu64 " cycles, %" PRIu64 " instructions, %" PRIu64 " in %" PRIu64
		       " records, %u gaps, %u heals, 0 differences\n",
		    judge.cycle, judge.retired, judge.held, judge.records, judge.trace.gaps, judge.trace.heals);
	fclose(events);
	if (console != NULL)
		fclose(console);
	profile_fini(&judge.taken);
	follow_close(&judge.follow);
	image_close(image);
	return status;
}
