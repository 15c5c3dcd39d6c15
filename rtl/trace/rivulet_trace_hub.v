// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Several trace units share one sink: their records go, joined by the arbiter, into one ring in memory. A record of the ring has the words of
// docs/trace-unit.md section 17: those of REC_START to REC_CYCLES that there are, then ORIGIN, then with TIME_BITS the low 32 bits of its time.
// With TABLE_ENTRIES a hot-trace table counts the records of all units first, and what leaves it is what goes into the ring.
// Cost: the arbiter (its queues are the buffer), rivulet_trace_sink, and a multiplexer of the words.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
// verilator lint_off PINCONNECTEMPTY
module rivulet_trace_hub #(
	parameter SOURCES = 2,               // units: 2 to 8; one has a sink of its own
	parameter XLEN = 32,                 // those of the units, as in rivulet_trace_arbiter
	parameter HIST = 32,
	parameter REPEAT_BITS = 8,           // 1 to 8
	parameter CYCLE_BITS = 16,
	parameter INSN_BITS = 16,
	parameter DEPTH = 16,
	parameter TIME_BITS = 32,            // 0 or 32 to 64, since a record has the low 32 bits; 0 with a table
	parameter TABLE_ENTRIES = 0,         // a hot-trace table for all units: 0, or as in rivulet_trace_table, like the next three
	parameter TABLE_WAYS = 4,
	parameter TABLE_COUNT_BITS = 24,
	parameter TABLE_CYCLE_BITS = 32,
	parameter FIFO_DEPTH = 16,           // what left the table waits here for the sink: a power of two from 16 to 1024
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
	// registers: 0: SINK (section 14); 1: STATE, bit 0: records wait; 2: TABLE, bit 0: DRAIN, bit 1: COUNT; 8 + n: LOST of unit n.
	// rdata_o is that of index_i in the same cycle.
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
	wire                   take;           // the arbiter's record goes on
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
	assign rec_taken_o = valid && take;
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
		.ready_i(take),
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
	wire [255:0] words;
	wire         readable, waits;         // for the sink; something is between arbiter and sink
	wire [31:0]  table_word;
	wire [2:0]   word;
	reg  [2:0]   word_q;
	always @(posedge clk_i)
		word_q <= word;
	wire [31:0]  sink_rdata;
	rivulet_trace_sink #(
		.XLEN(XLEN),
		.SINK_BITS(SINK_BITS),
		.WORDS(8),
		.PRESENT({TIME_BITS > 0 || TABLE_ENTRIES > 0, 1'b1, CYCLE_BITS > 1, 1'b1, HIST > 32, 1'b1, XLEN > 32, 1'b1})
	) sink (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(write_i && index_i == 4'd0),
		.wdata_i(wdata_i),
		.sink_o(sink_rdata),
		.irq_o(irq_o),
		.owns_o(owns),
		.readable_i(readable),
		.word_o(word),
		.word_i(words[32 * word_q +: 32]),
		.pop_o(pop),
		.mem_valid_o(mem_valid_o),
		.mem_addr_o(mem_addr_o),
		.mem_wdata_o(mem_wdata_o),
		.mem_ready_i(mem_ready_i)
	);
	wire [32*SOURCES-1:0] lost_words;
	genvar s;
	generate if (TABLE_ENTRIES > 0) begin : g_counted
		// What the arbiter hands over is counted; what leaves the table waits for the sink. Nothing is lost behind the arbiter: while the buffer is half
		// full it waits, and no more than three records leave the table from then on.
		localparam WIDTH = 4 + XLEN + HIST + TABLE_COUNT_BITS + INSN_BITS + TABLE_CYCLE_BITS + SOURCE_W;
		reg                         count_q, late_q, later_q;
		wire                        draining, push, full, lost_one;
		wire [XLEN-1:0]             out_start;
		wire [HIST-1:0]             out_hist;
		wire [3:0]                  out_reason;
		wire [TABLE_COUNT_BITS-1:0] out_count;
		wire [TABLE_CYCLE_BITS-1:0] out_cycles;
		wire [INSN_BITS-1:0]        out_insns;
		wire [SOURCE_W-1:0]         out_source;
		wire [10:0]                 held;
		wire [WIDTH-1:0]            head;
		wire                        room = held < FIFO_DEPTH / 2;
		wire                        write_table = write_i && index_i == 4'd2;
		assign take = room;
		always @(posedge clk_i) begin
			if (write_table)
				count_q <= wdata_i[1];
			{later_q, late_q} <= {late_q, valid && room};
			if (rst_i)
				{count_q, late_q, later_q} <= 3'b000;
		end
		rivulet_trace_table #(
			.XLEN(XLEN),
			.HIST(HIST),
			.ENTRIES(TABLE_ENTRIES),
			.WAYS(TABLE_WAYS),
			.COUNT_BITS(TABLE_COUNT_BITS),
			.REPEAT_W(REPEAT_BITS),
			.WITH_CYCLES(1),
			.CYCLE_BITS(CYCLE_BITS),
			.SUM_BITS(TABLE_CYCLE_BITS),
			.WITH_INSNS(1),
			.INSN_BITS(INSN_BITS),
			.CONTEXT_BITS(SOURCE_W)
		) counts (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.enable_i(count_q),
			.room_i(room),
			.drain_write_i(write_table),
			.drain_i(wdata_i[0]),
			.draining_o(draining),
			.hold_i(1'b0),
			.rate_i(3'd0),
			.random_i(16'd0),
			.missed_o(),
			.missed_count_o(),
			.take_write_i(1'b0),
			.take_index_i({$clog2(TABLE_ENTRIES){1'b0}}),
			.taking_o(),
			.taken_reason_o(),
			.taken_start_o(),
			.taken_hist_o(),
			.taken_count_o(),
			.taken_cycles_o(),
			.taken_insns_o(),
			.taken_context_o(),
			.push_i(valid && room),
			.start_i(start),
			.hist_i(hist),
			.reason_i(reason),
			.repeat_i(repeats),
			.cycles_i(cycles),
			.insns_i(insns),
			.context_i(source),
			.push_o(push),
			.start_o(out_start),
			.hist_o(out_hist),
			.reason_o(out_reason),
			.count_o(out_count),
			.cycles_o(out_cycles),
			.insns_o(out_insns),
			.context_o(out_source)
		);
		rivulet_trace_fifo #(.DEPTH(FIFO_DEPTH), .WORDS(8), .WIDTH(WIDTH), .WITH_LIFO(0)) buffer (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.lifo_i(1'b0),
			.ring_i(1'b0),
			.push_i(push),
			.data_i({out_source, out_cycles, out_insns, out_count, out_reason, out_hist, out_start}),
			.pop_i(pop),
			.lost_o(lost_one),
			.readable_o(readable),
			.word_i(3'd0),
			.word_o(),
			.whole_o(head),
			.last_o(),
			.count_o(held),
			.full_o(full),
			.rd_ptr_o(),
			.wr_ptr_o()
		);
		localparam REASON_AT = XLEN + HIST, COUNT_AT = REASON_AT + 4, INSNS_AT = COUNT_AT + TABLE_COUNT_BITS, CYCLES_AT = INSNS_AT + INSN_BITS;
		wire [31+TABLE_COUNT_BITS:0] count_wide = {32'd0, head[COUNT_AT +: TABLE_COUNT_BITS]};
		wire [31+TABLE_CYCLE_BITS:0] cycles_wide = {32'd0, head[CYCLES_AT +: TABLE_CYCLE_BITS]};
		wire [31:0] head_info = at({28'd0, head[REASON_AT +: 4]}, RV_REC_INFO_REASON_LSB) | at({24'd0, count_wide[7:0]}, RV_REC_INFO_REPEAT_LSB) |
			at({{32-INSN_BITS{1'b0}}, head[INSNS_AT +: INSN_BITS]}, RV_REC_INFO_INSNS_LSB);
		assign words = {{32-SOURCE_W{1'b0}}, head[WIDTH-1 -: SOURCE_W], count_wide[31:0], cycles_wide[31:0], head_info,
			{64-HIST{1'b0}}, head[XLEN +: HIST], {64-XLEN{1'b0}}, head[0 +: XLEN]};
		assign waits = draining || late_q || later_q || push || held != 11'd0;
		assign table_word = {30'd0, count_q, draining};
		// What the arbiter told with a record is kept here, for the table has no place for it.
		for (s = 0; s < SOURCES; s = s + 1) begin : g_lost
			reg  [31:0] lost_q;
			wire [32:0] sum = {1'b0, lost_q} + {9'd0, missed};
			always @(posedge clk_i)
				if (rst_i)
					lost_q <= 32'd0;
				else if (valid && room && source == s)
					lost_q <= sum[31:0] | {32{sum[32]}};
			wire [32:0] all = {1'b0, lost_q} + {9'd0, lost[LOST_BITS*s +: LOST_BITS]};
			assign lost_words[32*s +: 32] = all[31:0] | {32{all[32]}};
		end
	end else begin : g_each
		assign words = {time_words[31:0], origin, cycles_word, info, hist_words, start_words};
		assign readable = valid;
		assign take = pop;
		assign waits = 1'b0;
		assign table_word = 32'd0;
		for (s = 0; s < SOURCES; s = s + 1) begin : g_lost
			assign lost_words[32*s +: 32] = {8'd0, lost[LOST_BITS*s +: LOST_BITS]};
		end
	end endgenerate
	// 32 bits for each of eight units
	reg [31:0] lost_word;
	integer i;
	always @* begin
		lost_word = 32'd0;
		for (i = 0; i < SOURCES; i = i + 1)
			if (index_i[2:0] == i[2:0])
				lost_word = lost_words[32*i +: 32];
	end
	assign rdata_o = index_i == 4'd0 ? sink_rdata : index_i == 4'd1 ? {31'd0, busy || waits} : index_i == 4'd2 ? table_word : index_i[3] ? lost_word : 32'd0;
	generate
	if (SOURCES < 2) begin : g_sources
		rivulet_trace_hub_SOURCES_is_2_to_8 wrong ();
	end
	if (TABLE_ENTRIES > 0 && (TIME_BITS > 0 || FIFO_DEPTH < 16)) begin : g_table
		rivulet_trace_hub_TABLE_ENTRIES_needs_TIME_BITS_0_and_FIFO_DEPTH_16 wrong ();
	end
	if (TIME_BITS != 0 && TIME_BITS < 32) begin : g_time_bits
		rivulet_trace_hub_TIME_BITS_is_0_or_32_to_64 wrong ();
	end
	if (REPEAT_BITS > 8) begin : g_repeat_bits
		rivulet_trace_hub_REPEAT_BITS_is_1_to_8 wrong ();
	end
	endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
