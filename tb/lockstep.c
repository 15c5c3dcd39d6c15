/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * One program in the Verilated SoC and in the golden model, cycle by cycle. The first difference ends the run.
 *
 *   program.c   ELF file, symbols, run configuration     stimulus.c  the pins' pseudo-random input
 *   sample.c    what is compared, from both sides        uart_tap.c  bytes on the transmit line
 *   history.c   the last retirements                     shim.cpp    the RTL
 *   options.c   the command line                         boot.c      from reset to the entry, traced from outside
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "tb/boot.h"
#include "tb/functional.h"
#include "tb/history.h"
#include "tb/operands.h"
#include "tb/options.h"
#include "tb/program.h"
#include "tb/sample.h"
#include "tb/shim.h"
#include "tb/stimulus.h"
#include "tb/uart_tap.h"

enum { RAM_BASE = 0x80000000, UART_DIV_ADDRESS = 0x10000008, RESET_CYCLES = 4, FIFO_SLOTS = 16 };

struct bench {
	struct options options;
	struct program program;
	struct rtl *rtl;
	struct model *model;
	struct functional *functional; /* NULL: nobody asks */
	struct operands *operands;     /* the same */
	struct model_config config;
	struct boot boot;
	uint64_t records; /* that left the trace unit */
	struct stimulus stimulus;
	struct uart_tap tap;
	struct history history;
	FILE *uart, *console;
	uint64_t cycle;
	struct timespec began;
};

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("lockstep: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	return TROUBLE;
}

static double seconds_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - began->tv_sec) + (double)(now.tv_nsec - began->tv_nsec) / 1e9;
}

static int open_file(const char *path, FILE **file)
{
	*file = !strcmp(path, "-") ? stdout : fopen(path, "wb");
	return *file ? PASSED : complain("%s: %s", path, strerror(errno));
}

static uint32_t memory_word(void *context, uint32_t word);

static void memory_write(void *context, uint32_t word, uint32_t value)
{
	const struct bench *b = context;

	if (b->rtl)
		rtl_ram_write(b->rtl, word, value);
	if (b->model)
		model_write(b->model, RAM_BASE + 4 * word, &value, sizeof(value));
}

/* Both sides, loaded and reset. */
static int prepare(struct bench *b)
{
	const struct options *o = &b->options;

	if (program_open(&b->program, o->elf, RAM_BASE, rtl_build.ram_bytes))
		return complain("%s", b->program.error);
	for (size_t i = 0; i < o->set_count; i++)
		if (program_set(&b->program, o->sets[i]))
			return complain("%s", b->program.error);
	b->console = stdout;
	if ((o->console && open_file(o->console, &b->console)) || (o->uart && open_file(o->uart, &b->uart)))
		return TROUBLE;
	model_config_default(&b->config);
	b->config.ram_base = RAM_BASE;
	b->config.ram_size = b->program.size;
	b->config.sim = true;
	b->config.with_c = rtl_build.with_c;
	b->config.with_m = rtl_build.with_m;
	b->config.mul_fast = rtl_build.mul_fast;
	b->config.with_counters = rtl_build.with_counters;
	b->config.pmp_regions = rtl_build.pmp_regions;
	b->config.pmp_grain = rtl_build.pmp_grain;
	b->config.trace.with_sink = rtl_build.trace_sink;
	while (1u << b->config.trace.sink_bits > rtl_build.ram_bytes) /* as rivulet_soc chooses them */
		b->config.trace.sink_bits--;
	while (1u << b->config.trace.sink_bits < rtl_build.ram_bytes)
		b->config.trace.sink_bits++;
	if (!o->rtl_only) {
		int error = model_open(&b->model, &b->config);

		if (!error)
			error = model_write(b->model, RAM_BASE, b->program.ram, b->program.size);
		if (error)
			return complain("golden model: %s", model_strerror(error));
	}
	if (!o->model_only) {
		struct rtl_in in = {.rst = true, .uart_rx = true};
		struct sample ignored;

		b->rtl = rtl_open();
		if (!b->rtl)
			return complain("no memory for the RTL");
		for (uint32_t i = 0; i < b->program.size / 4; i++) {
			uint32_t word;

			memcpy(&word, b->program.ram + 4 * (size_t)i, sizeof(word));
			if (word)
				rtl_ram_write(b->rtl, i, word);
		}
		for (int i = 0; i < RESET_CYCLES; i++)
			rtl_cycle(b->rtl, &in, &ignored);
	}
	b->boot = (struct boot){.wanted = o->trace || b->program.entry != RAM_BASE,
	    .base = RAM_BASE,
	    .size = b->program.size,
	    .entry = b->program.entry,
	    .ctrl = o->ctrl,
	    .read = memory_word,
	    .write = memory_write,
	    .context = b};
	if (b->program.entry < RAM_BASE || b->program.entry - RAM_BASE >= b->program.size)
		return complain("%s: entry %#" PRIx32 " lies outside RAM", o->elf, b->program.entry);
	boot_begin(&b->boot);
	if ((o->functional || o->operands) && o->rtl_only)
		return complain("--functional and --operands need the model");
	if ((o->functional && !(b->functional = functional_open())) ||
	    (o->operands && !(b->operands = operands_open())))
		return complain("no memory");
	stimulus_init(&b->stimulus, o->seeds, b->config.uart_div + 1u);
	uart_tap_init(&b->tap, b->config.uart_div + 1u);
	clock_gettime(CLOCK_MONOTONIC, &b->began);
	return PASSED;
}

static void progress(const struct bench *b)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s: %.0f million cycles, %.2f million a second ", b->options.elf,
		    (double)b->cycle / 1e6, (double)b->cycle / 1e6 / seconds_since(&b->began));
}

static int report_difference(const struct bench *b, const struct sample *rtl, const struct sample *model, int index)
{
	const struct retirement *last = history_last(&b->history);
	char text[256];

	fprintf(stderr, "\ndifference in cycle %" PRIu64 ": %s: RTL 0x%" PRIx64 ", model 0x%" PRIx64 "\n", b->cycle,
	    sample_name((size_t)index), sample_value(rtl, (size_t)index), sample_value(model, (size_t)index));
	for (int other = index; (other = sample_compare(rtl, model, (size_t)other + 1)) >= 0;)
		fprintf(stderr, "  also %s: RTL 0x%" PRIx64 ", model 0x%" PRIx64 "\n", sample_name((size_t)other),
		    sample_value(rtl, (size_t)other), sample_value(model, (size_t)other));
	if (last) {
		history_where(&b->program, last->pc, last->insn, text, sizeof(text));
		fprintf(
		    stderr, "  at %s (%s)\n", text, rtl->rvfi_valid ? "retires in this cycle" : "the last retirement");
	}
	history_print(&b->history, &b->program, stderr);
	return DIFFERENT;
}

/* Passes on the output of the program. Returns PASSED or FAILED, or -1 if the run goes on. */
static int outside(struct bench *b, const struct sample *s)
{
	bool write = s->bus_valid && s->bus_wstrb && !b->stimulus.wait;
	int byte;

	if (s->console_valid)
		putc((int)s->console_byte, b->console);
	if (b->uart && (byte = uart_tap_cycle(&b->tap, s->uart_tx)) >= 0)
		putc(byte, b->uart);
	if (!write)
		return -1;
	if (s->bus_addr == UART_DIV_ADDRESS)
		b->tap.bit_cycles = (s->bus_wdata & 0xFFFF) + 1;
	if (s->exit_valid) {
		if (!s->exit_code)
			return PASSED;
		complain("%s: exit code %" PRIu32, b->options.elf, s->exit_code);
		return FAILED;
	}
	if (b->program.has_tohost && s->bus_addr == b->program.tohost && s->bus_wdata) {
		if (s->bus_wdata == 1)
			return PASSED;
		if (s->bus_wdata & 1)
			complain("%s: failed in test case %" PRIu32 " (tohost)", b->options.elf, s->bus_wdata >> 1);
		else
			complain("%s: tohost 0x%" PRIx32 " asks for a host call; there are none", b->options.elf,
			    s->bus_wdata);
		return FAILED;
	}
	return -1;
}

static int run(struct bench *b)
{
	const struct options *o = &b->options;
	struct sample rtl = {0}, model = {0};
	struct model_out out;
	const struct sample *seen = o->model_only ? &model : &rtl;
	bool requested = false; /* the bus accepted a request in the cycle before */
	unsigned slot = 0;
	uint32_t written = 0; /* FIFO slots since reset, a bit each */

	for (b->cycle = 0; b->cycle < o->max_cycles; b->cycle++) {
		int status;

		stimulus_cycle(&b->stimulus);
		bool rst = b->cycle == o->reset_at || b->stimulus.rst;
		struct rtl_in rtl_in = {.rst = rst,
		    .bus_wait = b->stimulus.wait,
		    .irq_ext = b->stimulus.irq,
		    .uart_rx = b->stimulus.rx,
		    .fifo_index = (uint8_t)slot};
		struct model_in model_in = {
		    .rst = rst, .bus_wait = b->stimulus.wait, .irq_ext = b->stimulus.irq, .uart_rx = b->stimulus.rx};

		if (o->wave && b->cycle == o->wave_from)
			rtl_wave_open(b->rtl, o->wave);
		if (!o->model_only)
			rtl_cycle(b->rtl, &rtl_in, &rtl);
		if (b->functional)
			functional_trace(b->functional, model_trace(b->model), false, 0);
		if (!o->rtl_only)
			sample_model(b->model, &model_in, slot, &model, &out);
		if (b->functional)
			functional_core(b->functional, b->model, &out);
		if (b->operands)
			operands_count(b->operands, &out);
		if (!o->rtl_only && !o->model_only) {
			if (o->inject >= 0 &&
			    (o->inject_mask ? rtl.rvfi_valid && (rtl.rvfi_insn & o->inject_mask) == o->inject_match
					    : b->cycle >= o->inject_cycle))
				sample_flip(&rtl, (size_t)o->inject);
			sample_mask(&rtl, requested, written >> slot & 1);
			sample_mask(&model, requested, written >> slot & 1);
		}
		if (rst)
			boot_begin(&b->boot);
		if (seen->rvfi_valid && !rst)
			boot_retire(&b->boot, seen->rvfi_pc_rdata);
		b->records += seen->tr_rec_valid && !rst;
		if (seen->rvfi_valid)
			history_add(&b->history, b->cycle, seen);
		/* During reset the outputs have no meaning yet; what the registers are afterwards is compared. */
		if (!o->rtl_only && !o->model_only && !rst) {
			int index = sample_compare(&rtl, &model, 0);

			if (index >= 0) {
				if (o->wave)
					for (uint64_t c = b->cycle + 1; c < o->wave_to && c < b->cycle + 100000; c++)
						rtl_cycle(b->rtl, &rtl_in, &(struct sample){0});
				return report_difference(b, &rtl, &model, index);
			}
		}
		status = rst ? -1 : outside(b, seen);
		if (status >= 0)
			return b->cycle++, status;
		if (rst)
			written = 0;
		else if (seen->tr_rec_valid)
			written |= 1u << seen->tr_wr_ptr % FIFO_SLOTS;
		/* The slot that was written at the end of this cycle, otherwise all in turn. */
		slot = (seen->tr_rec_valid ? seen->tr_wr_ptr : (unsigned)b->cycle) % FIFO_SLOTS;
		requested = seen->bus_valid && !rst && !b->stimulus.wait && !seen->sink_valid;
		if (o->wave && b->cycle == o->wave_to)
			rtl_wave_close(b->rtl);
		if (!(b->cycle & 0x3FFFFF) && b->cycle)
			progress(b);
	}
	complain("%s: not ended after %" PRIu64 " cycles (--max-cycles)", o->elf, b->cycle);
	history_print(&b->history, &b->program, stderr);
	return TIMED_OUT;
}

/* The memory of the RTL, or of the model if it ran alone. */
static uint32_t memory_word(void *context, uint32_t word)
{
	const struct bench *b = context;
	uint32_t value = 0;

	if (b->rtl)
		return rtl_ram_read(b->rtl, word);
	model_read(b->model, RAM_BASE + 4 * word, &value, sizeof(value));
	return value;
}

static int compare_memory(const struct bench *b)
{
	for (uint32_t word = 0; word < b->program.size / 4; word++) {
		uint32_t rtl = rtl_ram_read(b->rtl, word), model = 0;
		char where[128];

		model_read(b->model, RAM_BASE + 4 * word, &model, sizeof(model));
		if (rtl == model)
			continue;
		program_where(&b->program, RAM_BASE + 4 * word, where, sizeof(where));
		fprintf(stderr,
		    "\ndifference in cycle %" PRIu64 ": memory 0x%" PRIx32 " <%s>: RTL 0x%" PRIx32 ", model 0x%" PRIx32
		    "\n",
		    b->cycle, RAM_BASE + 4 * word, where, rtl, model);
		return DIFFERENT;
	}
	return PASSED;
}

static int write_signature(struct bench *b)
{
	FILE *file;

	if (!b->program.has_signature)
		return complain("%s: no symbols begin_signature and end_signature", b->options.elf);
	if (open_file(b->options.signature, &file))
		return TROUBLE;
	for (uint32_t at = b->program.signature_begin; at < b->program.signature_end; at += 4)
		fprintf(file, "%08" PRIx32 "\n", memory_word(b, (at - RAM_BASE) / 4));
	if (file != stdout && fclose(file))
		return complain("%s: %s", b->options.signature, strerror(errno));
	return PASSED;
}

static int write_coverage(const struct bench *b)
{
	const struct options *o = &b->options;
	FILE *file;

	if (o->coverage && (!b->rtl || !rtl_coverage(b->rtl, o->coverage)))
		return complain("--coverage %s: this bench was built without it; see make coverage-rtl", o->coverage);
	if (b->operands) {
		if (open_file(o->operands, &file))
			return TROUBLE;
		if (operands_write(b->operands, file) | (file != stdout && fclose(file)))
			return complain("%s: %s", o->operands, strerror(errno));
	}
	if (!b->functional)
		return PASSED;
	if (open_file(o->functional, &file))
		return TROUBLE;
	if (functional_write(b->functional, file) | (file != stdout && fclose(file)))
		return complain("%s: %s", o->functional, strerror(errno));
	return PASSED;
}

static int finish(struct bench *b, int status)
{
	const struct options *o = &b->options;
	static const char *const words[] = {"passed", "DIFFERENT", "FAILED", "DID NOT END", "not run"};

	if (status <= FAILED && status != DIFFERENT && b->rtl && b->model && compare_memory(b))
		status = DIFFERENT;
	if (status <= FAILED && o->signature && write_signature(b) && status == PASSED)
		status = TROUBLE;
	if (status != TROUBLE && write_coverage(b) && status == PASSED)
		status = TROUBLE;
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	if (status != TROUBLE && (!o->quiet || status != PASSED)) {
		double seconds = seconds_since(&b->began);

		fprintf(stderr,
		    "%s: %s, %" PRIu64 " cycles, %" PRIu64 " records, %.2f million a second, %d differences%s\n",
		    o->elf, words[status], b->cycle, b->records, (double)b->cycle / 1e6 / (seconds > 0 ? seconds : 1),
		    status == DIFFERENT, b->rtl && b->model ? "" : " (nothing compared)");
	}
	return status;
}

int main(int argc, char **argv)
{
	static struct bench bench;
	int status;

	options_parse(&bench.options, argc, argv);
	status = prepare(&bench);
	if (status == PASSED)
		status = finish(&bench, run(&bench));
	functional_close(bench.functional);
	operands_close(bench.operands);
	if (bench.rtl)
		rtl_close(bench.rtl);
	if (bench.model)
		model_close(bench.model);
	program_close(&bench.program);
	if (fflush(stdout) || (bench.console && bench.console != stdout && fclose(bench.console)) ||
	    (bench.uart && bench.uart != stdout && fclose(bench.uart)))
		status = status == PASSED ? complain("output: %s", strerror(errno)) : status;
	return status;
}
