/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* The golden model: privilege, CSRs, code that writes itself, devices, configurations. */
#include "tests/model_bench.h"
#include "tests/suite.h"

/* ---------------------------------------------------------------- U mode, MRET, mstatus */

START_TEST(counters_in_user)
{
	for (uint32_t enable = 0; enable < 8; enable++) {
		static const uint32_t csrs[] = {0xC00, 0xC80, 0xC02, 0xC82, 0xC01};
		for (size_t i = 0; i < 5; i++) {
			start_handled(0);
			set_csr(MCOUNTEREN, enable | 0xFFFFFFF8u);
			enter_user(0);
			uint32_t pc = at;
			word(csrrs(A0, csrs[i], ZERO));
			run(60);
			bool allowed = i < 2 ? enable & 1 : i < 4 ? enable & 4 : false;
			ck_assert_msg(retired[find(pc)].trap == !allowed, "0x%x with mcounteren %u", csrs[i], enable);
			ck_assert_uint_eq(csr_now(MODEL_MCOUNTEREN), enable & 5);
		}
	}
}
END_TEST

START_TEST(wfi_in_user)
{
	start_handled(0);
	set_csr(MIE, 8);
	enter_user(0);
	uint32_t pc = at;
	word(WFI);
	run(60);
	ck_assert(!happened(pc)); /* legal with TW = 0: it waits */
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0);
	ck_assert_uint_eq(csr_now(MODEL_MODE), 0);
	start_handled(0);
	set_csr(MSTATUS, 1u << 21);
	pc = at;
	word(WFI);
	run(60);
	ck_assert(!happened(pc)); /* TW does not matter in M */
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 0);
}
END_TEST

/* Every combination of the bits that MRET moves. */
START_TEST(mret_rules)
{
	for (uint32_t bits = 0; bits < 32; bits++) {
		uint32_t mie = 0, mpie = bits >> 1 & 1, mpp = bits >> 2 & 1 ? 3 : 0, mprv = bits >> 3 & 1,
			 tw = bits >> 4 & 1;
		start_handled(0);
		set_csr(MEPC, USER);
		set_csr(MSTATUS, mie << 3 | mpie << 7 | mpp << 11 | mprv << 17 | tw << 21);
		word(MRET);
		at = USER;
		for (int i = 0; i < 16; i++)
			word(NOP);
		word(jal(ZERO, 0));
		run(40);
		ck_assert(happened(USER) && retired[find(USER)].mode == mpp);
		ck_assert_uint_eq(csr_now(MODEL_MODE), mpp);
		ck_assert_uint_eq(csr_now(MODEL_MSTATUS), mpie << 3 | 1u << 7 | (mpp == 3 ? mprv : 0) << 17 | tw << 21);
	}
}
END_TEST

START_TEST(csr_fields)
{
	static const struct {
		uint32_t csr, write, reads;
	} fields[] = {{0x300, 0xFFFFFFFF, 0x00221888}, {0x300, 0x00000800, 0}, {0x300, 0x00001000, 0},
	    {0x310, 0xFFFFFFFF, 0}, {0x301, 0, 0x40101104}, {0x305, 0xFFFFFFFF, 0xFFFFFF81},
	    {0x305, 0xFFFFFFFE, 0xFFFFFFFC}, {0x305, 0x8000007D, 0x80000001}, {0x341, 0xFFFFFFFF, 0xFFFFFFFE},
	    {0x342, 0xFFFFFFFF, 0x8000001F}, {0x343, 0xFFFFFFFF, 0xFFFFFFFF}, {0x340, 0xA5A5A5A5, 0xA5A5A5A5},
	    {0x306, 0xFFFFFFFF, 5}, {0x320, 0xFFFFFFFF, 0}, {0xB03, 0xFFFFFFFF, 0}, {0xB1F, 0xFFFFFFFF, 0},
	    {0xB83, 0xFFFFFFFF, 0}, {0xB9F, 1, 0}, {0x323, 1, 0}, {0x33F, 1, 0}, {0x30A, 0xFFFFFFFF, 0},
	    {0x31A, 0xFFFFFFFF, 0}, {0x7A0, 0xFFFFFFFF, 0}, {0x7A1, 0xFFFFFFFF, 0}};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		start();
		set_csr(fields[i].csr, fields[i].write);
		uint32_t pc = at;
		word(csrrs(A0, fields[i].csr, ZERO));
		run(30);
		ck_assert(!retired[find(pc)].trap);
		ck_assert_msg(model_reg(model, A0) == fields[i].reads, "0x%x: 0x%x, expected 0x%x", fields[i].csr,
		    model_reg(model, A0), fields[i].reads);
	}
	static const uint32_t constants[][2] = {{0xF11, 0}, {0xF12, 0}, {0xF13, 0x52495631}, {0xF14, 0}, {0xF15, 0}};
	for (size_t i = 0; i < 5; i++) {
		start();
		word(csrrs(A0, constants[i][0], ZERO));
		run(20);
		ck_assert(!retired[0].trap);
		ck_assert_uint_eq(model_reg(model, A0), constants[i][1]);
	}
	config.with_c = config.with_m = false;
	start();
	model_set_reg(model, A0, 0xFFFFFFFF);
	word(csrrs(A1, 0x301, ZERO));
	word(csrrw(ZERO, MEPC, A0));
	word(jal(ZERO, 0));
	run(20);
	ck_assert_uint_eq(model_reg(model, A1), 0x40100100);
	ck_assert_uint_eq(csr_now(MODEL_MEPC), 0xFFFFFFFC);
}
END_TEST

/* Set and clear, by register and by number; with x0 or 0 they do not write. */
START_TEST(csr_operations)
{
	model_set_reg(model, A0, 0xF0F0F0F0);
	model_set_reg(model, A1, 0x00FF00FF);
	word(csrrw(A2, MSCRATCH, A0));
	word(csrrs(A3, MSCRATCH, A1));
	word(csrrw(A4, MSCRATCH, A1) ^ 2 << 12); /* csrrc */
	word(csrrsi(A5, MSCRATCH, 31));
	word(csrrci(T1, MSCRATCH, 5));
	word(csrrw(T2, MSCRATCH, 9) ^ 4 << 12); /* csrrwi: mscratch := 9 */
	word(csrrs(S0, 0xF14, ZERO));
	word(csrrci(S1, 0xC00, 0));
	run(40);
	ck_assert_uint_eq(model_reg(model, A2), 0);
	ck_assert_uint_eq(model_reg(model, A3), 0xF0F0F0F0);
	ck_assert_uint_eq(model_reg(model, A4), 0xF0FFF0FF);
	ck_assert_uint_eq(model_reg(model, A5), 0xF000F000);
	ck_assert_uint_eq(model_reg(model, T1), 0xF000F01F);
	ck_assert_uint_eq(model_reg(model, T2), 0xF000F01A);
	ck_assert_uint_eq(csr_now(MODEL_MSCRATCH), 9);
	for (unsigned i = 0; i < 8; i++)
		ck_assert(!retired[i].trap);
}
END_TEST

/* Counters: what a read sees, what a write replaces. */
START_TEST(counters)
{
	word(csrrs(A0, MCYCLE, ZERO));
	word(csrrs(A1, MINSTRET, ZERO));
	word(csrrs(A2, CYCLE, ZERO));
	word(csrrs(A3, INSTRET, ZERO));
	word(NOP);
	word(NOP);
	word(csrrs(A4, MINSTRET, ZERO));
	run(40);
	/* read in the second cycle in X, one before W; the first cycle sees 0 */
	ck_assert_uint_eq(model_reg(model, A0), retired[0].cycle - 1);
	ck_assert_uint_eq(model_reg(model, A2), retired[2].cycle - 1);
	/* every instruction before it has counted, if it retired before this cycle */
	ck_assert_uint_eq(model_reg(model, A1), 1);
	ck_assert_uint_eq(model_reg(model, A3), 3);
	ck_assert_uint_eq(model_reg(model, A4), 6);

	start();
	set_csr(0xB82, 5);
	set_csr(0xB02, 0xFFFFFFFF);
	word(NOP);
	word(NOP);
	word(csrrs(A0, 0xB02, ZERO));
	word(csrrs(A1, 0xB82, ZERO));
	set_csr(0xB80, 7);
	set_csr(0xB00, 0xFFFFFFF0);
	uint32_t written = at - 4;
	for (int i = 0; i < 30; i++)
		word(NOP);
	run(30);
	/* the write does not count itself: two nops */
	ck_assert_uint_eq(model_reg(model, A0), 1);
	ck_assert_uint_eq(model_reg(model, A1), 6);
	run(30);
	uint64_t cycle = (uint64_t)csr_now(MODEL_MCYCLEH) << 32 | csr_now(MODEL_MCYCLE);
	/* written at the end of its last cycle in X: in W it reads as written; csr_now is after the last cycle */
	ck_assert_uint_eq(cycle, 0x7FFFFFFF0 + (last.cycle + 1 - retired[find(written)].cycle));
}
END_TEST

/* A trapped instruction does not count, nor does an interrupt marker. */
START_TEST(minstret_of_traps)
{
	start_handled(0);
	word(NOP);
	word(ECALL);
	run(60);
	unsigned n = 0;
	for (unsigned i = 0; i < count; i++)
		n += !retired[i].trap;
	ck_assert_uint_eq(csr_now(MODEL_MINSTRET), n);
	ck_assert_uint_eq(last.order + 1 - (last.valid ? 0u : 1u), count);
}
END_TEST

/* ---------------------------------------------------------------- self-modifying code */

START_TEST(self_modifying)
{
	for (int fenced = 0; fenced < 2; fenced++) {
		start();
		uint32_t target = BASE + 8 + (fenced ? 4 : 0);
		model_set_reg(model, A0, target);
		model_set_reg(model, A1, addi(A2, ZERO, 2));
		word(NOP);
		word(store(2, A1, A0, 0));
		if (fenced)
			word(FENCE_I);
		word(addi(A2, ZERO, 1));
		word(NOP);
		run(20);
		ck_assert_uint_eq(retired[find(target)].insn, fenced ? addi(A2, ZERO, 2) : addi(A2, ZERO, 1));
		ck_assert_uint_eq(model_reg(model, A2), fenced ? 2 : 1);
		ck_assert_uint_eq(memory(target), addi(A2, ZERO, 2));
	}
}
END_TEST

/* ---------------------------------------------------------------- devices */

START_TEST(timer_counts)
{
	li(A0, CLINT + 0xBFF8);
	uint32_t pc = at;
	word(load(2, A1, A0, 0));
	word(load(2, A2, A0, 4));
	li(A0, CLINT + 0x4000);
	uint32_t compare = at;
	word(load(2, A3, A0, 0));
	word(load(2, A4, A0, 4));
	word(addi(A5, ZERO, 80));
	word(store(2, A5, A0, 0));
	word(store(2, ZERO, A0, 4));
	run(60);
	/* read in the request cycle, one before W */
	ck_assert_uint_eq(model_reg(model, A1), retired[find(pc)].cycle - 1);
	ck_assert_uint_eq(model_reg(model, A2), 0);
	ck_assert(happened(compare));
	ck_assert_uint_eq(model_reg(model, A3), 0xFFFFFFFF);
	ck_assert_uint_eq(model_reg(model, A4), 0xFFFFFFFF);
	/* mtime is the cycle; the line is mtime >= mtimecmp of the cycle before */
	for (unsigned n = 60; n < 100; n++) {
		run(1);
		ck_assert_uint_eq(last.cycle, n);
		ck_assert_msg(last.irq_timer == (n >= 81), "cycle %u", n);
	}
}
END_TEST

START_TEST(timer_written)
{
	li(A0, CLINT + 0xBFF8);
	word(addi(A1, ZERO, 1000));
	uint32_t low = at;
	word(store(2, A1, A0, 0));
	word(NOP);
	uint32_t reads = at;
	word(load(2, A2, A0, 0));
	word(addi(A1, ZERO, 3));
	word(store(2, A1, A0, 4));
	word(load(2, A3, A0, 4));
	run(60);
	ck_assert_uint_eq(model_reg(model, A2), 1000 + (retired[find(reads)].cycle - retired[find(low)].cycle) - 1);
	ck_assert_uint_eq(model_reg(model, A3), 3);
}
END_TEST

/* Drives one byte into the UART's receiver. */
static void drive(uint8_t byte, unsigned period, bool stop)
{
	in.uart_rx = false;
	run(period);
	for (unsigned i = 0; i < 8; i++) {
		in.uart_rx = byte >> i & 1;
		run(period);
	}
	in.uart_rx = stop;
	run(period);
	in.uart_rx = true;
}

/* A program that reads STATUS to a1, DATA to a2, STATUS to a3, after the byte has come. */
static void uart_reader(void)
{
	start();
	li(A0, UART);
	uint32_t loop = at;
	word(branch(0, A5, ZERO, 0)); /* waits for a5, which the test sets */
	ck_assert_uint_eq(loop, BASE + 8);
	word(load(2, A1, A0, 4));
	word(load(2, A2, A0, 0));
	word(load(2, A3, A0, 4));
	word(load(2, A4, A0, 0));
	word(addi(A5, ZERO, 0));
	word(jal(ZERO, -24));
}

START_TEST(uart_receives)
{
	static const uint8_t bytes[] = {0x00, 0xFF, 0x55, 0xA3};
	static const uint16_t divs[] = {3, 7, 100};
	for (size_t d = 0; d < 3; d++)
		for (size_t i = 0; i < sizeof bytes; i++) {
			config.uart_div = divs[d];
			uart_reader();
			drive(bytes[i], divs[d] + 1u, true);
			run(divs[d] + 4u);
			model_set_reg(model, A5, 1);
			run(30);
			ck_assert_uint_eq(model_reg(model, A1), 1 | 2 | 8);
			ck_assert_uint_eq(model_reg(model, A2), bytes[i]);
			ck_assert_uint_eq(model_reg(model, A3), 1 | 8);
			ck_assert_uint_eq(model_reg(model, A4), 0x80000000u | bytes[i]);
		}
}
END_TEST

/* A second byte before the first is taken is dropped and sets overrun; a low stop bit drops the byte; a glitch is no
 * start bit. */
START_TEST(uart_receive_errors)
{
	uart_reader();
	drive(0x12, 8, true);
	run(20);
	drive(0x34, 8, true);
	run(20);
	model_set_reg(model, A5, 1);
	run(30);
	ck_assert_uint_eq(model_reg(model, A1), 1 | 2 | 4 | 8);
	ck_assert_uint_eq(model_reg(model, A2), 0x12);
	ck_assert_uint_eq(model_reg(model, A3), 1 | 8);
	uart_reader();
	drive(0x12, 8, false);
	run(40);
	in.uart_rx = false;
	run(2);
	in.uart_rx = true;
	run(200);
	model_set_reg(model, A5, 1);
	run(30);
	ck_assert_uint_eq(model_reg(model, A1), 1 | 8);
	ck_assert_uint_eq(model_reg(model, A2) >> 31, 1);
}
END_TEST

/* The receive interrupt is line 11, if enabled. */
START_TEST(uart_interrupt)
{
	for (uint32_t enable = 0; enable < 2; enable++) {
		start();
		li(A0, UART);
		li(A1, enable << 8);
		word(store(2, A1, A0, 4));
		word(jal(ZERO, 0));
		run(40);
		ck_assert(!last.irq_ext);
		drive(0x5A, 8, true);
		run(10);
		ck_assert_int_eq(last.irq_ext, (int)enable);
	}
}
END_TEST

/* The line of a sent byte, cycle by cycle. */
START_TEST(uart_sends)
{
	li(A0, UART);
	word(addi(A1, ZERO, 0xC5));
	uint32_t pc = at;
	word(store(2, A1, A0, 0));
	word(jal(ZERO, 0));
	unsigned n = 0;
	while (!happened(pc) && n++ < 50)
		run(1);
	/* written in the cycle before W; it moves in the cycle of W; low from the next one on */
	static const bool bits[] = {0, 1, 0, 1, 0, 0, 0, 1, 1, 1};
	ck_assert(last.uart_tx);
	for (unsigned bit = 0; bit < 10; bit++)
		for (unsigned i = 0; i < 8; i++) {
			run(1);
			ck_assert_msg(last.uart_tx == bits[bit], "bit %u, cycle %u", bit, i);
		}
	for (unsigned i = 0; i < 40; i++) {
		run(1);
		ck_assert(last.uart_tx);
	}
}
END_TEST

START_TEST(console_and_exit)
{
	li(A0, 0x10010000);
	word(addi(A1, ZERO, 'x'));
	word(store(0, A1, A0, 0));
	word(store(2, A1, A0, 4));
	bool console = false, exits = false;
	for (int i = 0; i < 20; i++) {
		run(1);
		console |= last.console_valid && last.console_byte == 'x';
		exits |= last.exit_valid && last.exit_code == 'x';
	}
	ck_assert(console && exits);
}
END_TEST

/* Reset in the middle of a run starts again, and RAM and registers keep theirs. */
START_TEST(reset_again)
{
	start_handled(0);
	li(A3, 77);
	word(ECALL);
	run(50);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 11);
	in.rst = true;
	run(3);
	in.rst = false;
	ck_assert_uint_eq(csr_now(MODEL_MCYCLE), 0);
	ck_assert_uint_eq(csr_now(MODEL_MODE), 3);
	ck_assert_uint_eq(model_reg(model, A3), 77);
	run(1);
	ck_assert(last.cycle == 0 && last.bus_valid && last.bus_fetch && last.bus_addr == BASE);
	count = 0;
	run(50);
	ck_assert_uint_eq(retired[0].pc, BASE);
	ck_assert_uint_eq(csr_now(MODEL_MCAUSE), 11);
}
END_TEST

START_TEST(configurations)
{
	struct model *m = NULL;
	struct model_config c;
	static const uint32_t sizes[] = {0, 1, 1022, (64u << 20) + 4, UINT32_MAX};
	for (size_t i = 0; i < 5; i++) {
		model_config_default(&c);
		c.ram_size = sizes[i];
		ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	}
	model_config_default(&c);
	c.trace.hist = 65;
	ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	c.trace.hist = 7;
	ck_assert_int_eq(model_open(&m, &c), MODEL_ECONFIG);
	ck_assert_ptr_null(m);
	model_close(NULL);
	/* direct access ends where RAM ends */
	uint8_t bytes[8] = {0};
	uint32_t end = config.ram_base + config.ram_size;
	ck_assert_int_eq(model_write(model, end - 8, bytes, 8), 0);
	ck_assert_int_eq(model_write(model, end - 7, bytes, 8), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, BASE - 1, bytes, 1), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, end, bytes, 1), MODEL_EADDRESS);
	ck_assert_int_eq(model_read(model, 0xFFFFFFFF, bytes, 8), MODEL_EADDRESS);
	for (int e = MODEL_OK; e >= MODEL_EADDRESS; e--)
		ck_assert(strlen(model_strerror(e)) > 0 && strcmp(model_strerror(e), model_strerror(-99)));
}
END_TEST

int main(void)
{
	const struct suite_case cases[] = {
	    {"privilege", counters_in_user, 0},
	    {"privilege", wfi_in_user, 0},
	    {"privilege", mret_rules, 0},
	    {"privilege", csr_fields, 0},
	    {"privilege", csr_operations, 0},
	    {"privilege", counters, 0},
	    {"privilege", minstret_of_traps, 0},
	    {"privilege", self_modifying, 0},
	    {"devices", timer_counts, 0},
	    {"devices", timer_written, 0},
	    {"devices", uart_receives, 0},
	    {"devices", uart_receive_errors, 0},
	    {"devices", uart_interrupt, 0},
	    {"devices", uart_sends, 0},
	    {"devices", console_and_exit, 0},
	    {"devices", reset_again, 0},
	    {"devices", configurations, 0},
	};
	return SUITE_RUN("model machine", cases, setup, teardown);
}
