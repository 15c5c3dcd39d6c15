// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Several trace units share one sink: their records go, joined by the arbiter, into one ring in memory. A record of the ring has the words of
// docs/trace-unit.md section 17: those of REC_START to REC_CYCLES that there are, then ORIGIN, then with TIME_BITS the low 32 bits of its time.
// Cost: the arbiter (its queues are the buffer), rivulet_trace_sink, and a multiplexer of the words.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_hub #(
	parameter SOURCES = 2,               // units: 2 to 8; one has a sink of its own
	parameter XLEN = 32,                 // those of the units, as in rivulet_trace_arbiter
	parameter HIST = 32,
	parameter REPEAT_BITS = 8,           // 1 to 8
	parameter CYCLE_BITS = 16,
	parameter INSN_BITS = 16,
	parameter DEPTH = 16,
	parameter TIME_BITS = 32,            // 0 or 8 to 64
	parameter SINK_BITS = 20             // the largest ring has 2^SINK_BITS bytes; 8 to 28
) (
	input  wire                    clk_i,
	input  wire                    rst_i,
	// the record ports, as in rivulet_trace_arbiter
	input  wire [SOURCES-1:0]      rec_valid_i,
	input  wire [SOURCES*XLEN-1:0] rec_start_i,
	input  wire [SOURCES*HIST-1:0] rec_hist_i,
	input  wire [SOURCES*4-1:0]    rec_reason_i,
	input  wire [SOURCES*32-1:0]   rec_repeat_i,
	input  wire [SOURCES*32-1:0]   rec_cycles_i,
	input  wire [SOURCES*16-1:0]   rec_insns_i,
	// registers: 0: SINK (section 14); 1: STATE, bit 0: records wait; 8 + n: LOST of unit n. rdata_o is that of index_i in the same cycle.
	input  wire                    write_i,
	input  wire [3:0]              index_i,
	input  wire [31:0]             wdata_i,
	output wire [31:0]             rdata_o,
	output wire                    irq_o,          // the ring is half full, or more
	// a word to memory: valid until ready
	output wire                    mem_valid_o,
	output wire [XLEN-1:0]         mem_addr_o,
	output wire [31:0]             mem_wdata_o,
	input  wire                    mem_ready_i,
	// what the arbiter hands over, for benches
	output wire                    rec_taken_o
);
`include "rivulet_regs.vh"
	localparam SOURCE_W = SOURCES > 1 ? $clog2(SOURCES) : 1, TIME_W = TIME_BITS > 0 ? TIME_BITS : 1;
	localparam LOST_BITS = 24;           // with the source they are a word
	wire                   valid, busy, pop, owns;
	wire [SOURCE_W-1:0]    source;
	wire [TIME_W-1:0]      stamp;
	wire [LOST_BITS-1:0]   missed;
	wire [XLEN-1:0]        start;
	wire [HIST-1:0]        hist;
	wire [3:0]             reason;
	wire [REPEAT_BITS-1:0] repeats;
	wire [CYCLE_BITS-1:0]  cycles;
	wire [INSN_BITS-1:0]   insns;
	wire [SOURCES*LOST_BITS-1:0] lost;
	assign rec_taken_o = pop;
	rivulet_trace_arbiter #(
		.SOURCES(SOURCES),
		.XLEN(XLEN),
		.HIST(HIST),
		.REPEAT_BITS(REPEAT_BITS),
		.CYCLE_BITS(CYCLE_BITS),
		.INSN_BITS(INSN_BITS),
		.DEPTH(DEPTH),
		.TIME_BITS(TIME_BITS),
		.LOST_BITS(LOST_BITS)
	) arbiter (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.rec_valid_i(rec_valid_i),
		.rec_start_i(rec_start_i),
		.rec_hist_i(rec_hist_i),
		.rec_reason_i(rec_reason_i),
		.rec_repeat_i(rec_repeat_i),
		.rec_cycles_i(rec_cycles_i),
		.rec_insns_i(rec_insns_i),
		.valid_o(valid),
		.ready_i(pop),
		.source_o(source),
		.time_o(stamp),
		.missed_o(missed),
		.start_o(start),
		.hist_o(hist),
		.reason_o(reason),
		.repeat_o(repeats),
		.cycles_o(cycles),
		.insns_o(insns),
		.busy_o(busy),
		.lost_o(lost)
	);

	// START, START_HI, HIST, HIST_HI, INFO, CYCLES, ORIGIN, TIME; each is a register that follows word_o of the sink.
	function [31:0] at(input [31:0] value, input integer lsb);
		at = value << lsb;
	endfunction
	wire [63:0]  start_words = {{64-XLEN{1'b0}}, start}, hist_words = {{64-HIST{1'b0}}, hist};
	wire [63:0]  time_words = {{64-TIME_W{1'b0}}, stamp};
	wire [31:0]  info = at({28'd0, reason}, RV_REC_INFO_REASON_LSB) | at({{32-REPEAT_BITS{1'b0}}, repeats}, RV_REC_INFO_REPEAT_LSB) |
		at({{32-INSN_BITS{1'b0}}, insns}, RV_REC_INFO_INSNS_LSB);
	wire [31:0]  cycles_word = {{32-CYCLE_BITS{1'b0}}, cycles};
	wire [31:0]  origin = {missed, {8-SOURCE_W{1'b0}}, source};
	wire [255:0] words = {time_words[31:0], origin, cycles_word, info, hist_words, start_words};
	wire [2:0]   word;
	reg  [2:0]   word_q;
	always @(posedge clk_i)
		word_q <= word;
	wire [31:0]  sink_rdata;
	rivulet_trace_sink #(
		.XLEN(XLEN),
		.SINK_BITS(SINK_BITS),
		.WORDS(8),
		.PRESENT({TIME_BITS > 0, 1'b1, CYCLE_BITS > 1, 1'b1, HIST > 32, 1'b1, XLEN > 32, 1'b1})
	) sink (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(write_i && index_i == 4'd0),
		.wdata_i(wdata_i),
		.sink_o(sink_rdata),
		.irq_o(irq_o),
		.owns_o(owns),
		.readable_i(valid),
		.word_o(word),
		.word_i(words[32 * word_q +: 32]),
		.pop_o(pop),
		.mem_valid_o(mem_valid_o),
		.mem_addr_o(mem_addr_o),
		.mem_wdata_o(mem_wdata_o),
		.mem_ready_i(mem_ready_i)
	);
	// 32 bits for each of eight units
	reg [31:0] lost_word;
	integer i;
	always @* begin
		lost_word = 32'd0;
		for (i = 0; i < SOURCES; i = i + 1)
			if (index_i[2:0] == i[2:0])
				lost_word = {8'd0, lost[LOST_BITS*i +: LOST_BITS]};
	end
	assign rdata_o = index_i == 4'd0 ? sink_rdata : index_i == 4'd1 ? {31'd0, busy} : index_i[3] ? lost_word : 32'd0;
	generate
	if (SOURCES < 2) begin : g_sources
		rivulet_trace_hub_SOURCES_is_2_to_8 wrong ();
	end
	if (REPEAT_BITS > 8) begin : g_repeat_bits
		rivulet_trace_hub_REPEAT_BITS_is_1_to_8 wrong ();
	end
	endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
