/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/*
 * Runs an application under the sampling trace unit and sends the profile, in the 8 KiB of the HX8K board: takes the
 * place of sw/run/main.c, sw/trace/trace.c and sw/trace/handler.S. Of the run configuration it knows input, period,
 * dither and watermark; whatever the way, it collects by the table of a unit that has one, else by watermark, and
 * way=off.
 */
#include "common/frame.h"
#include "sw/run/app.h"
#include "sw/hal/hal.h"
#include "sw/trace/front.h"
#include "sw/trace/profile.h"
#include "common/run_config.h"

struct run_config rivulet_config __attribute__((section(".data.rivulet_config"), used)) = {
#define RUN_WORD(name, value, text) value,
    RUN_CONFIG_WORDS(RUN_WORD)
#undef RUN_WORD
};

extern const uint8_t __text_start[], __text_end[];
extern uint8_t __table_start[], __table_end[];

static struct table table;
static uint32_t interrupts;
static bool tabled; /* the unit has a table */

int app_check(const char *what, uint32_t got, uint32_t expected)
{
	if (got == expected)
		return 0;
	hal_print(what);
	hal_print(": got ");
	hal_print_hex(got);
	hal_print(", expected ");
	hal_print_hex(expected);
	hal_print("\n");
	return 1;
}

static void take_records(void)
{
	while ((csr_read(RV_CSR_STATUS) & TRACE_MASK(STATUS, NONEMPTY)) != 0) {
		uint32_t info = csr_read(RV_CSR_REC_INFO);
		uint32_t repeat = tabled ? csr_read(RV_CSR_REC_COUNT) : TRACE_GET(REC_INFO, REPEAT, info);
		table_add(&table, csr_read(RV_CSR_REC_START), csr_read(RV_CSR_REC_HIST),
		    TRACE_GET(REC_INFO, REASON, info), repeat != 0 ? repeat : 1, csr_read(RV_CSR_REC_CYCLES),
		    TRACE_GET(REC_INFO, INSNS, info));
		csr_write(RV_CSR_POP, 0);
	}
}

/* What is in the table leaves through the buffer; the last two records are still on their way when DRAIN is 0 again. */
static void empty_table(void)
{
	csr_write(RV_CSR_TABLE, TRACE_MASK(TABLE, DRAIN));
	while ((csr_read(RV_CSR_TABLE) & TRACE_MASK(TABLE, DRAIN)) != 0)
		take_records();
}

static int on_trap(struct hal_frame *frame)
{
	(void)frame;
	if (csr_read(mcause) != (0x80000000u | IRQ_TRACE))
		return -1;
	interrupts++;
	take_records();
	return 0;
}

static void put(void *context, const void *bytes, size_t size)
{
	(void)context;
	hal_uart_write(bytes, size);
}

int main(void)
{
	const volatile struct run_config *config = &rivulet_config;
	int input = config->input == APP_TRAIN ? APP_TRAIN : APP_REF;
	uint32_t ctrl = TRACE_MASK(CTRL, MODES) | TRACE_MASK(STATUS, WATERMARK) << TRACE_LSB(CTRL, IE);

	tabled = TRACE_GET(TABLE_CAPS, ENTRIES, csr_read(RV_CSR_TABLE_CAPS)) != 0;
	ctrl |= tabled ? TRACE_MASK(CTRL, TABLE) : TRACE_MASK(CTRL, SAMPLE);
	table_init(&table, __table_start, (size_t)(__table_end - __table_start), 0);
	hal_trap_hook = on_trap;
	csr_write(RV_CSR_CTRL, 0);
	csr_write(RV_CSR_WATERMARK, config->watermark);
	csr_write(RV_CSR_DITHER, config->dither);
	csr_write(RV_CSR_LFSR, config->seed);
	csr_write(RV_CSR_PERIOD, config->period);
	csr_write(RV_CSR_COUNTER, config->period);
	csr_write(RV_CSR_CTRL, ctrl);
	csr_set(mie, 1u << IRQ_TRACE);
	csr_set(mstatus, MSTATUS_MIE);

	uint64_t instructions = hal_instructions();
	uint64_t cycles = hal_cycles();
	if (config->way != RUN_OFF)
		csr_set(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	int result = app_main(input);
	csr_clear(RV_CSR_CTRL, TRACE_MASK(CTRL, ENABLE));
	cycles = hal_cycles() - cycles;
	instructions = hal_instructions() - instructions;
	csr_clear(mie, 1u << IRQ_TRACE);
	if (tabled)
		empty_table();
	take_records();

	struct profile_info info = {
	    .xlen = 32,
	    .hist = TRACE_GET(ID, HIST, csr_read(RV_CSR_ID)),
	    .ctrl = ctrl | TRACE_MASK(CTRL, ENABLE),
	    .way = tabled ? RUN_TABLE : RUN_WATERMARK,
	    .period = tabled ? 1 : config->period + (config->dither + 1) / 2,
	    .dither = tabled ? 0 : config->dither,
	    .build = frame_crc32(0, __text_start, (size_t)(__text_end - __text_start)),
	    .name = app_name,
	    .extras = true,
	    .lost = csr_read(RV_CSR_LOST),
	    .cycles = cycles,
	    .instructions = instructions,
	    .interrupts = interrupts,
	};
	table_sort(&table);
	profile_send(&info, &table, put, NULL);
	hal_print("app ");
	hal_print(app_name);
	hal_print(result == 0 ? ": pass\n" : ": FAIL\n");
	hal_exit(result);
}
