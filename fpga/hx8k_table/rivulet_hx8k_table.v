// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC on the iCE40-HX8K breakout board with a hot-trace table, as large as its block RAM allows: exact profiles (docs/fpga.md).
`default_nettype none
module rivulet_hx8k_table #(
	// The clock and the baud rate of the board are these numbers; fpga/hx8k_table/board.mk reads them here.
	parameter CLOCK_MHZ = 39,                // Requires: as rivulet_hx8k
	parameter BAUD = 1000000,
	parameter RAM_FILE = ""
) (
	input  wire clk12_i,
	input  wire uart_rx_i,
	output wire uart_tx_o,
	output wire led_reset_o,
	output wire led_uart_o
);
	// Block RAM: 16 RAM, 4 registers of the core, 5 for each of the two ways (an entry has 76 bits: start, history, cause, count), 1 for their
	// order; the buffer of 4 records is flip-flops.
	rivulet_hx8k #(
		.CLOCK_MHZ(CLOCK_MHZ),
		.BAUD(BAUD),
		.TRACE_FULL(0),
		.TRACE_HIST(16),
		.TRACE_FIFO_DEPTH(4),
		.TRACE_RANGES(0),
		.TRACE_TABLE_ENTRIES(512),
		.TRACE_TABLE_WAYS(2),
		.TRACE_TABLE_COUNT_BITS(24),
		.RAM_FILE(RAM_FILE)
	) board (
		.clk12_i(clk12_i),
		.uart_rx_i(uart_rx_i),
		.uart_tx_o(uart_tx_o),
		.led_reset_o(led_reset_o),
		.led_uart_o(led_uart_o)
	);
endmodule
`default_nettype wire
