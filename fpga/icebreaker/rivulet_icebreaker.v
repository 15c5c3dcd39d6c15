// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC on the iCEBreaker (iCE40UP5K-SG48): 128 KiB of RAM, firmware from the configuration flash or over the UART (docs/fpga.md).
`default_nettype none
module rivulet_icebreaker #(
	// The clock and the baud rate of the board are these numbers; fpga/icebreaker/board.mk reads them here.
	parameter CLOCK_MHZ = 18,                // Requires: 12, the pin itself, or 18 to 133 whose PLL numbers below are whole
	parameter BAUD = 500000,
	parameter PMP_REGIONS = 0,               // memory protection, and its grain: as of rivulet_soc; icebreaker_pmp has 3
	parameter PMP_GRAIN = 0,
	parameter TRACE_RANGES = 1,              // as of rivulet_soc; icebreaker_pmp has no room for these three
	parameter [0:0] TRACE_LIFO = 1,
	parameter [0:0] TRACE_REPEAT = 1,
	parameter TRACE_FULL = 1,                // 0: reasons, modes, freezing and losses, and what is said here; and so on, for icebreaker_table
	parameter TRACE_HIST = 32,
	parameter TRACE_TABLE_ENTRIES = 0,
	parameter TRACE_TABLE_WAYS = 4,
	parameter TRACE_TABLE_COUNT_BITS = 24,
	parameter ROM_FILE = ""
) (
	input  wire clk12_i,
	input  wire uart_rx_i,
	output wire uart_tx_o,
	output wire flash_cs_n_o,
	output wire flash_sck_o,
	output wire flash_mosi_o,
	input  wire flash_miso_i,
	input  wire button_n_i,                  // pressed: firmware over the UART
	output wire led_red_n_o,                 // in reset, or no clock
	output wire led_green_n_o                // the UART sends
);
	// 12 MHz * (PLL_DIVF + 1) is 533 to 1066 MHz, and 2^PLL_DIVQ times the clock.
	localparam [2:0] PLL_DIVQ = CLOCK_MHZ >= 134 ? 3'd2 : CLOCK_MHZ >= 67 ? 3'd3 : CLOCK_MHZ >= 34 ? 3'd4 : 3'd5;
	localparam PLL_DIVF = (CLOCK_MHZ << PLL_DIVQ) / 12 - 1;
	localparam UART_DIV = (CLOCK_MHZ * 1000000 + BAUD / 2) / BAUD - 1;
	wire clk, locked;
	generate if (CLOCK_MHZ == 12) begin : g_pin
		assign clk = clk12_i;
		assign locked = 1'b1;
	end else begin : g_pll
		SB_PLL40_PAD #(
			.FEEDBACK_PATH("SIMPLE"),
			.DIVR(4'd0),
			.DIVF(PLL_DIVF[6:0]),
			.DIVQ(PLL_DIVQ),
			.FILTER_RANGE(3'd1)
		) pll (
			.PACKAGEPIN(clk12_i),
			.PLLOUTGLOBAL(clk),
			.LOCK(locked),
			.RESETB(1'b1),
			.BYPASS(1'b0)
		);
	end endgenerate
	wire rst;
	rivulet_reset reset (
		.clk_i(clk),
		.ready_i(locked),
		.rst_o(rst)
	);

	rivulet_soc #(
		.RAM_BYTES(131072),
		.UART_DIV(UART_DIV[15:0]),
		.UART_DIV_BITS(11),
		.MUL_FAST(0),
		.PMP_REGIONS(PMP_REGIONS),
		.PMP_GRAIN(PMP_GRAIN),
		.TRACE_RANGES(TRACE_RANGES),
		.TRACE_LIFO(TRACE_LIFO),
		.TRACE_REPEAT(TRACE_REPEAT),
		.TRACE_FULL(TRACE_FULL),
		.TRACE_REASON(1),
		.TRACE_MODE(1),
		.TRACE_FREEZE(1),
		.TRACE_LOST(1),
		.TRACE_HIST(TRACE_HIST),
		.TRACE_TABLE_ENTRIES(TRACE_TABLE_ENTRIES),
		.TRACE_TABLE_WAYS(TRACE_TABLE_WAYS),
		.TRACE_TABLE_COUNT_BITS(TRACE_TABLE_COUNT_BITS),
		.STATE_IN_RAM(1),
		.WITH_BOOT(1),
		.ROM_FILE(ROM_FILE)
	) soc (
		.clk_i(clk),
		.rst_i(rst),
		.bus_wait_i(1'b0),
		.irq_ext_i(1'b0),
		.uart_rx_i(uart_rx_i),
		.uart_tx_o(uart_tx_o),
		.spi_cs_n_o(flash_cs_n_o),
		.spi_sck_o(flash_sck_o),
		.spi_mosi_o(flash_mosi_o),
		.spi_miso_i(flash_miso_i),
		.strap_i(!button_n_i),
		.freeze_i(1'b0),
		.dense_i(1'b1),
		.dense_o()
	);
	assign led_red_n_o = !rst;
	assign led_green_n_o = uart_tx_o;
endmodule
`default_nettype wire
