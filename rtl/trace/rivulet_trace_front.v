// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The register-bus front: decodes which register is written, and collects what is read, with a flip-flop behind it. Two registers share a gate and
// a flip-flop for each bit (LANE in regs/trace_regs.def). A FIFO's records come out of its memory a register at a time.
// Cost: a LUT4 and a flip-flop for two register bits that can be read, a third to collect them, and about 30 LUT4 to decode the index; nothing
// for a bit that is not there. With a FIFO a third of a LUT4 for each bit of the bus, and nothing for the bits of REC_*.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_front #(
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter FIFO_DEPTH = 0,
	parameter COUNT_BITS = 1,                // of COUNT and WATERMARK
	parameter RANGES = 0,
	parameter [0:0] WITH_REASON = 0,
	parameter [0:0] WITH_CYCLES = 0,
	parameter CYCLE_BITS = 16,
	parameter [0:0] WITH_INSNS = 0,
	parameter INSN_BITS = 16,
	parameter [0:0] WITH_REPEAT = 0,
	parameter REPEAT_BITS = 8,
	parameter [0:0] WITH_SAMPLE = 0,
	parameter SAMPLE_BITS = 24,
	parameter [0:0] WITH_DITHER = 0,
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_FREEZE = 0,
	parameter [0:0] WITH_HEAL = 0,
	parameter [0:0] WITH_LOST = 0,
	parameter [0:0] WITH_LIFO = 0,
	parameter [0:0] WITH_CONTEXT = 0,
	parameter [0:0] WITH_TERM = 0,
	parameter [0:0] WITH_RANGE_START = 0,
	parameter [0:0] WITH_RECORDER = 0,
	parameter [0:0] WITH_SINK = 0,
	parameter TABLE_ENTRIES = 0,
	parameter TABLE_COUNT_BITS = 24,
	parameter TABLE_CYCLE_BITS = 32,
	parameter TABLE_CONTEXT_BITS = 0,
	parameter TABLE_RATE = 0,
	parameter TABLE_INDEX = 0,
	parameter [0:0] WITH_CHECK = 0,
	parameter RETIRE = 1
) (
	input  wire             clk_i,
	// register bus
	input  wire             reg_write_i,
	input  wire [5:0]       reg_index_i,
	output wire [31:0]      reg_rdata_o,
	// bit i: register i is written in this cycle
	output wire [63:0]      write_o,
	// by register index: what it reads. Bits that are not there need not be 0.
	input  wire [32*64-1:0] values_i,
	// the registers of a record, FIFO_DEPTH > 0
	input  wire             readable_i,      // REC_* are the head; else they are 0
	input  wire [31:0]      word_i           // the register of the head that was asked for in the cycle before, if it is one
);
`include "rivulet_regs.vh"
`include "rivulet_reg_bits.vh"
	wire [63:0] selected = 64'd1 << reg_index_i;
	assign write_o = reg_write_i ? selected : 64'd0;

	// ---------------------------------------------------------------- what the registers read, two at a time
`include "rivulet_reg_lanes.vh"

	// A REC_INFO that is a constant is not in the memory.
	localparam [0:0] WITH_TABLE = TABLE_ENTRIES > 0, WIDE = XLEN > 32 || HIST > 32 || WITH_TABLE;
	localparam [0:0] WITH_INFO = WITH_REASON || WITH_REPEAT || WITH_CYCLES || WITH_INSNS;      // a record has more than start and history
	localparam [0:0] WITH_FIFO = FIFO_DEPTH > 0;
	localparam [31:0] ONCE = WITH_FIFO && !WITH_INFO ? 32'd1 << RV_REC_INFO_REPEAT_LSB : 32'd0;
	wire [31:0] once;
	rivulet_trace_read #(.A(RV_REG_REC_INFO), .A_BITS(ONCE)) read_once (
		.clk_i(clk_i),
		.index_i(reg_index_i),
		.selected_i(selected),
		.a_there_i(readable_i),
		.a_i(ONCE),
		.b_i(32'd0),
		.data_o(once)
	);

	// The registers of a record in the memory
	wire sel_word = readable_i && (selected[RV_REG_REC_START] || selected[RV_REG_REC_HIST] || (WITH_INFO && selected[RV_REG_REC_INFO]) ||
		(WITH_INFO && selected[RV_REG_REC_CYCLES]) || (WIDE && (selected[RV_REG_REC_START_HI] || selected[RV_REG_REC_HIST_HI])) ||
		(WITH_TABLE && selected[RV_REG_REC_COUNT]) || (WITH_TABLE && TABLE_CONTEXT_BITS > 0 && selected[RV_REG_REC_CONTEXT]));
	reg  word_q;
	always @(posedge clk_i)
		word_q <= WITH_FIFO && sel_word;

	// One of them is not 0.
	localparam SOURCES = RV_LANES + 2;
	wire [32*SOURCES-1:0] sources = {{32{word_q}} & word_i, once, lanes};
	genvar i;
	genvar k;
	generate for (i = 0; i < 32; i = i + 1) begin : g_bit
		wire [SOURCES-1:0] any;
		for (k = 0; k < SOURCES; k = k + 1) begin : g_any
			assign any[k] = sources[32*k+i];
		end
		assign reg_rdata_o[i] = any != {SOURCES{1'b0}};
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
