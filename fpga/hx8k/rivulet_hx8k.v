// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC on the iCE40-HX8K breakout board: 8 KiB of block RAM, firmware in its initial content (docs/fpga.md).
`default_nettype none
module rivulet_hx8k #(
	// The clock and the baud rate of the board are these numbers; fpga/hx8k/board.mk reads them here.
	parameter CLOCK_MHZ = 39,                // Requires: 17 to 133 whose PLL numbers below are whole
	parameter BAUD = 1000000,
	parameter TRACE_FULL = 1,                // as of rivulet_soc: hx8k_table has a table in the place of most options
	parameter TRACE_HIST = 32,
	parameter TRACE_FIFO_DEPTH = 16,
	parameter TRACE_RANGES = 1,
	parameter TRACE_TABLE_ENTRIES = 0,
	parameter TRACE_TABLE_WAYS = 4,
	parameter TRACE_TABLE_COUNT_BITS = 24,
	parameter RAM_FILE = ""                  // what icebram will find and replace by the firmware, or the firmware itself
) (
	input  wire clk12_i,
	input  wire uart_rx_i,
	output wire uart_tx_o,
	output wire led_reset_o,                 // in reset, or no clock
	output wire led_uart_o                   // the UART sends
);
	// 12 MHz * (PLL_DIVF + 1) is 533 to 1066 MHz, and 2^PLL_DIVQ times the clock.
	localparam [2:0] PLL_DIVQ = CLOCK_MHZ >= 134 ? 3'd2 : CLOCK_MHZ >= 67 ? 3'd3 : CLOCK_MHZ >= 34 ? 3'd4 : 3'd5;
	localparam PLL_DIVF = (CLOCK_MHZ << PLL_DIVQ) / 12 - 1;
	localparam UART_DIV = (CLOCK_MHZ * 1000000 + BAUD / 2) / BAUD - 1;
	wire clk, locked;
	SB_PLL40_CORE #(
		.FEEDBACK_PATH("SIMPLE"),
		.DIVR(4'd0),
		.DIVF(PLL_DIVF[6:0]),
		.DIVQ(PLL_DIVQ),
		.FILTER_RANGE(3'd1)
	) pll (
		.REFERENCECLK(clk12_i),
		.PLLOUTGLOBAL(clk),
		.LOCK(locked),
		.RESETB(1'b1),
		.BYPASS(1'b0)
	);
	wire rst;
	rivulet_reset reset (
		.clk_i(clk),
		.ready_i(locked),
		.rst_o(rst)
	);

	// 28 of 32 block RAMs: 16 RAM, 4 registers of the core, 8 FIFO of the trace unit
	rivulet_soc #(
		.RAM_BYTES(8192),
		.RAM_FILE(RAM_FILE),
		.UART_DIV(UART_DIV[15:0]),
		.MUL_FAST(0),
		.PMP_REGIONS(0),
		.TRACE_FULL(TRACE_FULL),
		.TRACE_REASON(1),
		.TRACE_MODE(1),
		.TRACE_FREEZE(1),
		.TRACE_LOST(1),
		.TRACE_HIST(TRACE_HIST),
		.TRACE_FIFO_DEPTH(TRACE_FIFO_DEPTH),
		.TRACE_RANGES(TRACE_RANGES),
		.TRACE_TABLE_ENTRIES(TRACE_TABLE_ENTRIES),
		.TRACE_TABLE_WAYS(TRACE_TABLE_WAYS),
		.TRACE_TABLE_COUNT_BITS(TRACE_TABLE_COUNT_BITS)
	) soc (
		.clk_i(clk),
		.rst_i(rst),
		.bus_wait_i(1'b0),
		.irq_ext_i(1'b0),
		.uart_rx_i(uart_rx_i),
		.uart_tx_o(uart_tx_o),
		.spi_cs_n_o(),
		.spi_sck_o(),
		.spi_mosi_o(),
		.spi_miso_i(1'b0),
		.strap_i(1'b0),
		.freeze_i(1'b0),
		.dense_i(1'b1),
		.dense_o()
	);
	assign led_reset_o = rst;
	assign led_uart_o = !uart_tx_o;
endmodule
`default_nettype wire
