// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC on the iCEBreaker with a hot-trace table, as large as its block RAM allows: exact profiles, nothing sampled (docs/fpga.md).
`default_nettype none
module rivulet_icebreaker_table #(
	// The clock and the baud rate of the board are these numbers; fpga/icebreaker_table/board.mk reads them here.
	parameter CLOCK_MHZ = 12,                // Requires: as rivulet_icebreaker
	parameter BAUD = 500000,
	parameter ROM_FILE = ""
) (
	input  wire clk12_i,
	input  wire uart_rx_i,
	output wire uart_tx_o,
	output wire flash_cs_n_o,
	output wire flash_sck_o,
	output wire flash_mosi_o,
	input  wire flash_miso_i,
	input  wire button_n_i,
	output wire led_red_n_o,
	output wire led_green_n_o
);
	// Block RAM: 10 for the entries (76 bits each: start, history, cause, count), 5 for the buffer; 12 are the
	// core's and the boot ROM.
	rivulet_icebreaker #(
		.CLOCK_MHZ(CLOCK_MHZ),
		.BAUD(BAUD),
		.TRACE_RANGES(0),
		.TRACE_LIFO(0),
		.TRACE_REPEAT(0),
		.TRACE_FULL(0),
		.TRACE_HIST(16),
		.TRACE_TABLE_ENTRIES(512),
		.TRACE_TABLE_WAYS(1),
		.TRACE_TABLE_COUNT_BITS(24),
		.ROM_FILE(ROM_FILE)
	) board (
		.clk12_i(clk12_i),
		.uart_rx_i(uart_rx_i),
		.uart_tx_o(uart_tx_o),
		.flash_cs_n_o(flash_cs_n_o),
		.flash_sck_o(flash_sck_o),
		.flash_mosi_o(flash_mosi_o),
		.flash_miso_i(flash_miso_i),
		.button_n_i(button_n_i),
		.led_red_n_o(led_red_n_o),
		.led_green_n_o(led_green_n_o)
	);
endmodule
`default_nettype wire
