// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense coder with one of its ports, for the pins of a chip (docs/trace-unit.md section 15). Cost: docs/trace-dense-cost.md.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_dense_port #(
	parameter PORT = 1,                  // 1: UART, 2: SPI, 3: eight bits and a strobe
	parameter DIV = 8,                   // of the port
	// of the coder
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter ENTRIES = 256,
	parameter PLACES = 1024,
	parameter REPEAT_BITS = 8,
	parameter INSN_BITS = 16,
	parameter QUEUE = 256,
	parameter BUFFER = 512,
	parameter CHECK_BITS = 10,
	parameter START_BITS = 16
) (
	input  wire            clk_i,
	input  wire            rst_i,
	// the record port of the trace unit
	input  wire            rec_valid_i,
	input  wire [XLEN-1:0] rec_start_i,
	input  wire [HIST-1:0] rec_hist_i,
	input  wire [3:0]      rec_reason_i,
	input  wire [31:0]     rec_repeat_i,
	input  wire [15:0]     rec_insns_i,
	input  wire            flush_i,      // level: a frame ends when nothing waits
	input  wire            begin_i,      // pulse: a receiver has come; of any port
	input  wire            pin_i,        // UART: the line from the receiver, on which a byte asks for a start; eight bits: full. Of any clock
	output wire [8:0]      pins_o,       // UART: bit 0; SPI: cs_n, sck, mosi from bit 0 on; eight bits: the byte, and wr_n
	output wire            busy_o
);
	wire byte_valid, byte_ready, asked;
	wire [7:0] data;
	rivulet_trace_dense #(
		.XLEN(XLEN),
		.HIST(HIST),
		.ENTRIES(ENTRIES),
		.PLACES(PLACES),
		.REPEAT_BITS(REPEAT_BITS),
		.INSN_BITS(INSN_BITS),
		.QUEUE(QUEUE),
		.BUFFER(BUFFER),
		.CHECK_BITS(CHECK_BITS),
		.START_BITS(START_BITS)
	) coder (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.rec_valid_i(rec_valid_i),
		.rec_start_i(rec_start_i),
		.rec_hist_i(rec_hist_i),
		.rec_reason_i(rec_reason_i),
		.rec_repeat_i(rec_repeat_i),
		.rec_insns_i(rec_insns_i),
		.flush_i(flush_i),
		.begin_i(begin_i || asked),
		.byte_valid_o(byte_valid),
		.byte_o(data),
		.byte_ready_i(byte_ready),
		.busy_o(busy_o)
	);
	generate if (PORT == 1) begin : g_uart
		rivulet_trace_dense_uart #(.DIV(DIV)) port (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.byte_valid_i(byte_valid),
			.byte_i(data),
			.byte_ready_o(byte_ready),
			.tx_o(pins_o[0]),
			.rx_i(pin_i),
			.begin_o(asked)
		);
		assign pins_o[8:1] = 8'd0;
	end else if (PORT == 2) begin : g_spi
		rivulet_trace_dense_spi #(.DIV(DIV)) port (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.byte_valid_i(byte_valid),
			.byte_i(data),
			.byte_ready_o(byte_ready),
			.cs_n_o(pins_o[0]),
			.sck_o(pins_o[1]),
			.mosi_o(pins_o[2])
		);
		assign asked = 1'b0;
		assign pins_o[8:3] = 6'd0;
	end else begin : g_bus
		rivulet_trace_dense_bus #(.DIV(DIV)) port (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.byte_valid_i(byte_valid),
			.byte_i(data),
			.byte_ready_o(byte_ready),
			.data_o(pins_o[7:0]),
			.wr_n_o(pins_o[8]),
			.full_i(pin_i)
		);
		assign asked = 1'b0;
	end endgenerate
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (PORT < 1 || PORT > 3) begin : g_port
		rivulet_trace_dense_port_PORT_is_1_to_3 wrong ();
	end
	endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
