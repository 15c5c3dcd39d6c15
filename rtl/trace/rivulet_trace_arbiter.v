// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Joins the record ports of several trace units into one stream. Each record has the number of its unit, and leaves in the order in which they all
// came; of those that came in one cycle the lowest unit is first. So none waits longer than for those before it. docs/trace-unit.md section 17.
// Cost: block RAM of SOURCES x DEPTH records; docs/trace-unit-cost.md has the LUT4. With SOURCES 1 nothing: what comes goes out.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_arbiter #(
	parameter SOURCES = 2,               // units: 1 to 8
	parameter XLEN = 32,                 // those of the units: 32 or 64,
	parameter HIST = 32,                 // 8 to 64,
	parameter REPEAT_BITS = 8,           // 1 to 32; 1 for units without WITH_REPEAT
	parameter CYCLE_BITS = 16,           // 1 to 32; 1 for units without WITH_CYCLES
	parameter INSN_BITS = 16,            // 1 to 16; 1 for units without WITH_INSNS
	parameter DEPTH = 16,                // records of each unit that wait: a power of two from 4 to 512
	parameter TIME_BITS = 0,             // of the cycle in which a record came: 0 (it is not kept) or 8 to 64
	parameter LOST_BITS = 16,            // of the number of traces lost before a record: 1 to 32
	parameter SOURCE_W = SOURCES > 1 ? $clog2(SOURCES) : 1,
	parameter TIME_W = TIME_BITS > 0 ? TIME_BITS : 1
) (
	input  wire                         clk_i,
	input  wire                         rst_i,
	// the record ports, unit 0 in the low part of each: a record in each cycle with its bit of rec_valid_i
	input  wire [SOURCES-1:0]           rec_valid_i,
	input  wire [SOURCES*XLEN-1:0]      rec_start_i,
	input  wire [SOURCES*HIST-1:0]      rec_hist_i,
	input  wire [SOURCES*4-1:0]         rec_reason_i,
	input  wire [SOURCES*32-1:0]        rec_repeat_i,
	input  wire [SOURCES*32-1:0]        rec_cycles_i,
	input  wire [SOURCES*16-1:0]        rec_insns_i,
	// the stream: valid until ready; with SOURCES 1 it does not wait for ready
	output wire                         valid_o,
	input  wire                         ready_i,
	output wire [SOURCE_W-1:0]          source_o,
	output wire [TIME_W-1:0]            time_o,      // cycle behind the reset, modulo 2^TIME_BITS; 0 with TIME_BITS 0
	output wire [LOST_BITS-1:0]         missed_o,    // traces of this unit that were lost just before; all ones: that many or more
	output wire [XLEN-1:0]              start_o,
	output wire [HIST-1:0]              hist_o,
	output wire [3:0]                   reason_o,
	output wire [REPEAT_BITS-1:0]       repeat_o,
	output wire [CYCLE_BITS-1:0]        cycles_o,
	output wire [INSN_BITS-1:0]         insns_o,
	// state
	output wire                         busy_o,      // something waits, or came in this cycle
	output wire [SOURCES*LOST_BITS-1:0] lost_o       // traces of each unit that were lost since its last record that was taken
);
	localparam WIDTH = XLEN + HIST + 4 + REPEAT_BITS + CYCLE_BITS + INSN_BITS;
	wire [SOURCES*WIDTH-1:0] came;
	genvar s;
	generate for (s = 0; s < SOURCES; s = s + 1) begin : g_came
		assign came[WIDTH*s +: WIDTH] = {rec_start_i[XLEN*s +: XLEN], rec_hist_i[HIST*s +: HIST], rec_reason_i[4*s +: 4],
			rec_repeat_i[32*s +: REPEAT_BITS], rec_cycles_i[32*s +: CYCLE_BITS], rec_insns_i[16*s +: INSN_BITS]};
	end endgenerate

	wire [TIME_W-1:0] now;
	generate if (TIME_BITS > 0) begin : g_time
		localparam [TIME_BITS-1:0] ONE = 1;
		reg [TIME_BITS-1:0] now_q;
		always @(posedge clk_i)
			now_q <= rst_i ? {TIME_BITS{1'b0}} : now_q + ONE;
		assign now = now_q;
	end else begin : g_no_time
		assign now = 1'b0;
	end endgenerate

	generate if (SOURCES == 1) begin : g_one
		assign valid_o = rec_valid_i[0];
		assign {start_o, hist_o, reason_o, repeat_o, cycles_o, insns_o} = came;
		assign source_o = 1'b0;
		assign time_o = now;
		assign missed_o = {LOST_BITS{1'b0}};
		assign busy_o = rec_valid_i[0];
		assign lost_o = {LOST_BITS{1'b0}};
	end else begin : g_several
		// The records of each unit, and for each cycle in which any came, of which units they were.
		localparam ROW = LOST_BITS + WIDTH, ORDER = SOURCES + TIME_BITS;
		localparam [SOURCES-1:0] UNIT = 1;
		wire [SOURCES-1:0]     full, hollow, head, take, pop;
		wire [SOURCES*ROW-1:0] rows;
		wire                   ordered, no_room, waits_not;
		wire [ORDER-1:0]       order;
		reg  [SOURCES-1:0]     served_q;         // of the oldest cycle
		assign take = rec_valid_i & ~full;
		for (s = 0; s < SOURCES; s = s + 1) begin : g_source
			// What is lost is told with the next record that finds room.
			reg  [LOST_BITS-1:0] missed_q;
			wire [32:0] sum = {{33-LOST_BITS{1'b0}}, missed_q} + {{33-REPEAT_BITS{1'b0}}, rec_repeat_i[32*s +: REPEAT_BITS]};
			always @(posedge clk_i) begin
				if (rec_valid_i[s])
					missed_q <= !full[s] ? {LOST_BITS{1'b0}} : sum[LOST_BITS-1:0] | {LOST_BITS{sum[32:LOST_BITS] != {33-LOST_BITS{1'b0}}}};
				if (rst_i)
					missed_q <= {LOST_BITS{1'b0}};
			end
			assign lost_o[LOST_BITS*s +: LOST_BITS] = missed_q;
			rivulet_trace_queue #(.WIDTH(ROW), .DEPTH(DEPTH)) queue (
				.clk_i(clk_i),
				.rst_i(rst_i),
				.push_i(take[s]),
				.data_i({missed_q, came[WIDTH*s +: WIDTH]}),
				.full_o(full[s]),
				.empty_o(hollow[s]),
				.valid_o(head[s]),
				.data_o(rows[ROW*s +: ROW]),
				.pop_i(pop[s])
			);
		end
		// A cycle's row goes when its last record does, so there are never more rows than records.
		wire [SOURCES-1:0] left = order[SOURCES-1:0] & ~served_q, next = left & ~(left - UNIT);
		wire               last = left == next, step = ordered && ready_i;
		assign pop = step ? next : {SOURCES{1'b0}};
		always @(posedge clk_i)
			if (rst_i || (step && last))
				served_q <= {SOURCES{1'b0}};
			else if (step)
				served_q <= served_q | next;
		wire [ORDER-1:0] came_now;
		if (TIME_BITS > 0) begin : g_stamp
			assign came_now = {now, take};
			assign time_o = order[SOURCES +: TIME_W];
		end else begin : g_no_stamp
			assign came_now = take;
			assign time_o = 1'b0;
		end
		rivulet_trace_queue #(.WIDTH(ORDER), .DEPTH(DEPTH << SOURCE_W)) orders (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.push_i(take != {SOURCES{1'b0}}),
			.data_i(came_now),
			.full_o(no_room),
			.empty_o(waits_not),
			.valid_o(ordered),
			.data_o(order),
			.pop_i(step && last)
		);
		// One of the heads, and its number
		reg [ROW-1:0]      row;
		reg [SOURCE_W-1:0] number;
		integer i;
		always @* begin
			row = {ROW{1'b0}};
			number = {SOURCE_W{1'b0}};
			for (i = 0; i < SOURCES; i = i + 1) begin
				row = row | (rows[ROW*i +: ROW] & {ROW{next[i]}});
				number = number | (i[SOURCE_W-1:0] & {SOURCE_W{next[i]}});
			end
		end
		assign valid_o = ordered;
		assign source_o = number;
		assign {missed_o, start_o, hist_o, reason_o, repeat_o, cycles_o, insns_o} = row;
		assign busy_o = !waits_not || rec_valid_i != {SOURCES{1'b0}};
	end endgenerate

	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (SOURCES < 1 || SOURCES > 8) begin : g_sources
		rivulet_trace_arbiter_SOURCES_is_1_to_8 wrong ();
	end
	if (XLEN != 32 && XLEN != 64) begin : g_xlen
		rivulet_trace_arbiter_XLEN_is_32_or_64 wrong ();
	end
	if (HIST < 8 || HIST > 64) begin : g_hist
		rivulet_trace_arbiter_HIST_is_8_to_64 wrong ();
	end
	if (REPEAT_BITS < 1 || REPEAT_BITS > 32 || CYCLE_BITS < 1 || CYCLE_BITS > 32 || INSN_BITS < 1 || INSN_BITS > 16) begin : g_bits
		rivulet_trace_arbiter_REPEAT_BITS_and_CYCLE_BITS_are_1_to_32_INSN_BITS_1_to_16 wrong ();
	end
	if (DEPTH < 4 || DEPTH > 512 || (DEPTH & (DEPTH - 1)) != 0) begin : g_depth
		rivulet_trace_arbiter_DEPTH_is_a_power_of_two_from_4_to_512 wrong ();
	end
	if (TIME_BITS != 0 && (TIME_BITS < 8 || TIME_BITS > 64)) begin : g_time_bits
		rivulet_trace_arbiter_TIME_BITS_is_0_or_8_to_64 wrong ();
	end
	if (LOST_BITS < 1 || LOST_BITS > 32) begin : g_lost_bits
		rivulet_trace_arbiter_LOST_BITS_is_1_to_32 wrong ();
	end
	endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
