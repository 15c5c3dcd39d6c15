// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The hot-trace table: counts equal records itself, in a set-associative memory; what it throws out leaves with its count (docs/trace-unit.md section 8).
// Cost: block RAM of ENTRIES x (XLEN + HIST + 4 + COUNT_BITS, and SUM_BITS and INSN_BITS where they are counted), each way in a memory of its own;
// docs/trace-unit-cost.md has the LUT4.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_table #(
	parameter XLEN = 32,
	parameter HIST = 32,
	parameter ENTRIES = 256,                // a power of two from 64 to 4096
	parameter WAYS = 4,                     // 1, 2, 4
	parameter COUNT_BITS = 24,              // 8 to 32; Requires: at least REPEAT_W
	parameter REPEAT_W = 1,                 // of the count of a record that comes in
	parameter [0:0] WITH_CYCLES = 1,
	parameter CYCLE_BITS = 16,
	parameter SUM_BITS = 32,                // of an entry's cycles; Requires: CYCLE_BITS to 32
	parameter [0:0] WITH_INSNS = 1,
	parameter INSN_BITS = 16,
	parameter CONTEXT_BITS = 0,             // 0 to 8: of the key, whose trace it is; each a bit of an entry
	parameter [0:0] WITH_RATE = 0,          // sample and hold; about 90 LUT4. Requires: COUNT_BITS >= REPEAT_W + 7, SUM_BITS >= CYCLE_BITS + 7
	parameter [0:0] WITH_INDEX = 0,         // an entry can be read where it is; a flip-flop for each bit of an entry
	parameter CONTEXT_W = CONTEXT_BITS > 0 ? CONTEXT_BITS : 1
) (
	input  wire                  clk_i,
	input  wire                  rst_i,
	input  wire                  enable_i,       // records are counted; else they pass by
	input  wire                  room_i,         // the buffer has room for a drained entry, and for what may leave in this cycle and the two before
	input  wire                  drain_write_i,  // DRAIN := drain_i
	input  wire                  drain_i,
	output wire                  draining_o,
	// WITH_RATE, as they are in the cycle in which a record comes in: hold_i: nothing takes the place of an entry; else, with rate_i above 0, one record in
	// 2^rate_i does, and stands for so many; random_i says which
	input  wire                  hold_i,
	input  wire [2:0]            rate_i,
	input  wire [15:0]           random_i,
	output wire                  missed_o,       // a record finds no place, and is not counted: repeat_o traces
	output wire [REPEAT_W-1:0]   missed_count_o,
	// WITH_INDEX: taken_*_o become what the entry has that take_write_i names
	input  wire                  take_write_i,
	input  wire [$clog2(ENTRIES)-1:0] take_index_i,
	output wire                  taking_o,       // not yet
	output wire [3:0]            taken_reason_o, // 0: it is empty, and so are the others
	output wire [XLEN-1:0]       taken_start_o,
	output wire [HIST-1:0]       taken_hist_o,
	output wire [COUNT_BITS-1:0] taken_count_o,
	output wire [SUM_BITS-1:0]   taken_cycles_o,
	output wire [INSN_BITS-1:0]  taken_insns_o,
	output wire [CONTEXT_W-1:0]  taken_context_o,
	// A record comes in: in any cycle, and in each
	input  wire                  push_i,         // late; the others are registers
	input  wire [XLEN-1:0]       start_i,
	input  wire [HIST-1:0]       hist_i,
	input  wire [3:0]            reason_i,       // never 0
	input  wire [REPEAT_W-1:0]   repeat_i,       // never 0
	input  wire [CYCLE_BITS-1:0] cycles_i,
	input  wire [INSN_BITS-1:0]  insns_i,
	input  wire [CONTEXT_W-1:0]  context_i,
	// A record leaves: two cycles behind the one that throws it out, or that it is itself
	output wire                  push_o,
	output wire [XLEN-1:0]       start_o,
	output wire [HIST-1:0]       hist_o,
	output wire [3:0]            reason_o,
	output wire [COUNT_BITS-1:0] count_o,
	output wire [SUM_BITS-1:0]   cycles_o,
	output wire [INSN_BITS-1:0]  insns_o,
	output wire [CONTEXT_W-1:0]  context_o
);
	localparam SETS = ENTRIES / WAYS, SET_W = $clog2(SETS), WAY_W = WAYS > 1 ? $clog2(WAYS) : 1, WALK_W = $clog2(ENTRIES);
	localparam ORDERS = WAYS > 1 ? WAYS * (WAYS - 1) / 2 : 1;     // pairs of ways
	localparam INSNS_W = WITH_INSNS ? INSN_BITS : 0, SUM_W = WITH_CYCLES ? SUM_BITS : 0;
	// A key: what equal records have in common. The reason is at its low end: 0 says that the entry is empty, and no record has it.
	localparam PAIR_W = 4 + XLEN + HIST, KEY_W = PAIR_W + INSNS_W + CONTEXT_BITS;
	// An entry: its key, its count, the sum of its cycles
	localparam VALUE_W = COUNT_BITS + SUM_W, ENTRY_W = KEY_W + VALUE_W;

	// The set of a pair: start, history and context folded. The low bits of each say most, so that those of the history come in reversed, and once
	// more two places further, which parts the histories of one start.
	function [SET_W-1:0] set_of(input [XLEN-1:0] start, input [HIST-1:0] hist, input [CONTEXT_W-1:0] whose);
		integer i;
		begin
			set_of = {SET_W{1'b0}};
			for (i = 1; i < XLEN; i = i + 1)
				set_of[(i-1) % SET_W] = set_of[(i-1) % SET_W] ^ start[i];
			for (i = 0; i < HIST; i = i + 1) begin
				set_of[SET_W - 1 - i % SET_W] = set_of[SET_W - 1 - i % SET_W] ^ hist[i];
				set_of[(SET_W + 1 - i % SET_W) % SET_W] = set_of[(SET_W + 1 - i % SET_W) % SET_W] ^ hist[i];
			end
			for (i = 0; i < CONTEXT_BITS; i = i + 1)
				set_of[i % SET_W] = set_of[i % SET_W] ^ whose[i];
		end
	endfunction

	// The order of the ways of a set: a bit for each pair of them, 1 if the lower one was used later. Bit of the pair i < j:
	function integer pair_at(input integer i, input integer j);
		pair_at = j * (j - 1) / 2 + i;
	endfunction
	function [ORDERS-1:0] use_way(input [ORDERS-1:0] order, input [WAY_W-1:0] way);
		integer i, j;
		begin
			use_way = order;
			for (j = 1; j < WAYS; j = j + 1)
				for (i = 0; i < j; i = i + 1)
					if (way == i[WAY_W-1:0])
						use_way[pair_at(i, j)] = 1'b1;
					else if (way == j[WAY_W-1:0])
						use_way[pair_at(i, j)] = 1'b0;
		end
	endfunction
	function [WAY_W-1:0] oldest_way(input [ORDERS-1:0] order);
		integer i, j;
		reg [WAYS-1:0] later;      // than another one
		begin
			later = {WAYS{1'b0}};
			for (j = 1; j < WAYS; j = j + 1)
				for (i = 0; i < j; i = i + 1)
					if (order[pair_at(i, j)])
						later[i] = 1'b1;
					else
						later[j] = 1'b1;
			oldest_way = {WAY_W{1'b0}};
			for (i = 1; i < WAYS; i = i + 1)
				if (!later[i])
					oldest_way = oldest_way | i[WAY_W-1:0];
		end
	endfunction

	// ---------------------------------------------------------------- the walk over all entries: to clear them behind a reset, to drain them
	// A record goes before the walk, so a drain takes an entry in a cycle in which none comes in. Cleared is a set at a time.
	reg              clearing_q, draining_q;
	reg [WALK_W-1:0] walk_q;
	localparam [WALK_W:0] STEP = 1;
	wire             a_drain = draining_q && room_i && !push_i;
	wire [WALK_W:0]  walk_next = {1'b0, walk_q} + (clearing_q ? WAYS[WALK_W:0] : STEP);
	wire [SET_W-1:0] walk_set = walk_q[WALK_W-1 -: SET_W];
	wire [WAY_W-1:0] walk_way = WAYS > 1 ? walk_q[WAY_W-1:0] : {WAY_W{1'b0}};
	always @(posedge clk_i) begin
		if (clearing_q || a_drain)
			walk_q <= walk_next[WALK_W-1:0];
		if (clearing_q)
			clearing_q <= !walk_next[WALK_W];
		if (a_drain)
			draining_q <= !walk_next[WALK_W];
		if (drain_write_i && !clearing_q) begin
			draining_q <= drain_i;
			walk_q <= {WALK_W{1'b0}};
		end
		if (rst_i) begin
			clearing_q <= 1'b1;
			draining_q <= 1'b0;
			walk_q <= {WALK_W{1'b0}};
		end
	end
	assign draining_o = draining_q;

	// An entry that is to be read: in the next cycle in which no record comes in and no entry is drained
	wire              take_q;
	wire [WALK_W-1:0] take_index_q;
	wire              a_take = take_q && !clearing_q && !push_i && !(draining_q && room_i);
	wire [WALK_W-1:0] a_walk = draining_q && room_i ? walk_q : take_index_q;

	// ---------------------------------------------------------------- stage A: a record comes in, its set is read
	wire [KEY_W-1:0] a_key;
	wire             a_walks = WITH_INDEX ? take_q || draining_q : draining_q;
	wire [SET_W-1:0] a_walk_set = WITH_INDEX ? a_walk[WALK_W-1 -: SET_W] : walk_set;
	wire [WAY_W-1:0] a_walk_way = WAYS == 1 ? {WAY_W{1'b0}} : WITH_INDEX ? a_walk[WAY_W-1:0] : walk_way;
	wire [SET_W-1:0] a_set = push_i || !a_walks ? set_of(start_i, hist_i, context_i) : a_walk_set;
	generate if (WITH_INSNS) begin : g_key_insns
		assign a_key[PAIR_W +: INSN_BITS] = insns_i;
	end
	if (CONTEXT_BITS > 0) begin : g_key_context
		assign a_key[PAIR_W+INSNS_W +: CONTEXT_W] = context_i;
	end endgenerate
	assign a_key[PAIR_W-1:0] = {start_i, hist_i, reason_i};

	// ---------------------------------------------------------------- stage B: which way
	// C and D, the two operations before, are not in what was read: of the ways that they write it says nothing.
	reg                  b_count_q, b_pass_q, b_drain_q, b_take_q, b_held_q;
	reg [2:0]            b_rate_q;
	reg [SET_W-1:0]      b_set_q;
	reg [WAY_W-1:0]      b_way_q;
	reg [KEY_W-1:0]      b_key_q;
	reg [REPEAT_W-1:0]   b_repeat_q;
	reg [CYCLE_BITS-1:0] b_cycles_q;
	reg                  c_count_q, c_pass_q, c_drain_q, c_take_q, c_hit_q, c_forward_q, c_held_q;
	reg [2:0]            c_rate_q;
	reg [SET_W-1:0]      c_set_q;
	reg [WAY_W-1:0]      c_way_q;
	reg [KEY_W-1:0]      c_key_q;
	reg [REPEAT_W-1:0]   c_repeat_q;
	reg [CYCLE_BITS-1:0] c_cycles_q;
	reg [ENTRY_W-1:0]    c_entry_q;
	reg [ORDERS-1:0]     c_order_q;
	reg                  d_write_q;
	reg [SET_W-1:0]      d_set_q;
	reg [WAY_W-1:0]      d_way_q;
	reg [ENTRY_W-1:0]    d_entry_q;
	reg [ORDERS-1:0]     d_order_q;
	wire                 c_missed;       // the record is not counted: what is in its set stays
	wire                 c_counts = c_count_q && !c_missed, c_write = c_counts || c_drain_q;
	wire [ENTRY_W-1:0]   c_new;
	wire [ORDERS-1:0]    c_order = c_counts ? use_way(c_order_q, c_way_q) : c_order_q;

	wire                 c_same_set = c_write && c_set_q == b_set_q, d_same_set = d_write_q && d_set_q == b_set_q;
	wire [ENTRY_W*WAYS-1:0] b_rows;
	wire [WAYS-1:0]      b_matches;      // the record is in this way, as it was read
	wire                 b_match_c = c_counts && c_key_q == b_key_q;
	wire                 b_match_d = d_write_q && d_entry_q[KEY_W-1:0] == b_key_q && !(c_same_set && c_way_q == d_way_q);
	wire [ORDERS-1:0]    b_order_read;
	wire [ORDERS-1:0]    b_order = c_same_set ? c_order : d_same_set ? d_order_q : b_order_read;
	wire                 b_hit = b_match_c || b_match_d || b_matches != {WAYS{1'b0}};
	reg  [WAY_W-1:0]     b_way;
	reg  [ENTRY_W-1:0]   b_row;
	integer              w;
	always @* begin
		b_way = {WAY_W{1'b0}};
		for (w = 1; w < WAYS; w = w + 1)
			if (b_matches[w])
				b_way = b_way | w[WAY_W-1:0];
		if (b_matches == {WAYS{1'b0}})
			b_way = oldest_way(b_order);
		if (b_match_d)
			b_way = d_way_q;
		if (b_match_c)
			b_way = c_way_q;
		if (b_drain_q || (WITH_INDEX && b_take_q))
			b_way = b_way_q;
		b_row = b_rows[ENTRY_W-1:0];
		for (w = 1; w < WAYS; w = w + 1)
			if (b_way == w[WAY_W-1:0])
				b_row = b_rows[ENTRY_W*w +: ENTRY_W];
		if (d_same_set && d_way_q == b_way)
			b_row = d_entry_q;
	end

	// Of the 16 random bits those that decide at rate_i: the lowest four are new at each record, the highest four move down to them later.
	wire [7:0]  rate_bits = ~(8'hFF << rate_i);
	wire [15:0] random_mask = {rate_bits[7:4], 8'd0, rate_bits[3:0]};
	always @(posedge clk_i) begin
		b_count_q <= push_i && enable_i && !clearing_q && !rst_i;
		b_pass_q <= push_i && !(enable_i && !clearing_q) && !rst_i;
		b_drain_q <= a_drain && !rst_i;
		b_take_q <= WITH_INDEX && a_take && !take_write_i && !rst_i;
		b_held_q <= WITH_RATE && (hold_i || (random_i & random_mask) != 16'd0);
		b_rate_q <= WITH_RATE ? rate_i : 3'd0;
		b_set_q <= a_set;
		b_way_q <= a_walk_way;
		b_key_q <= a_key;
		b_repeat_q <= repeat_i;
		b_cycles_q <= cycles_i;
		c_count_q <= b_count_q && !rst_i;
		c_pass_q <= b_pass_q && !rst_i;
		c_drain_q <= b_drain_q && !rst_i;
		c_take_q <= b_take_q && !take_write_i && !rst_i;
		c_held_q <= b_held_q;
		c_rate_q <= b_rate_q;
		c_hit_q <= b_hit;
		c_forward_q <= c_same_set && c_way_q == b_way;
		c_set_q <= b_set_q;
		c_way_q <= b_way;
		c_key_q <= b_key_q;
		c_repeat_q <= b_repeat_q;
		c_cycles_q <= b_cycles_q;
		c_entry_q <= b_row;
		c_order_q <= b_order;
		d_write_q <= c_write && !rst_i;
		d_set_q <= c_set_q;
		d_way_q <= c_way_q;
		d_entry_q <= c_new;
		d_order_q <= c_order;
	end

	// ---------------------------------------------------------------- stage C: the entry counts, or makes room
	// c_old is what the way holds: D has written it if D was the operation before, on the same way.
	wire [ENTRY_W-1:0]    c_old = c_forward_q ? d_entry_q : c_entry_q;
	wire [COUNT_BITS+REPEAT_W-1:0] c_repeat_wide = {{COUNT_BITS{1'b0}}, c_repeat_q};
	wire [KEY_W-1:0]      c_old_key = c_old[KEY_W-1:0];
	wire [COUNT_BITS-1:0] c_old_count = c_old[KEY_W +: COUNT_BITS], c_one_count = c_repeat_wide[COUNT_BITS-1:0];
	wire [COUNT_BITS:0]   c_count = {1'b0, c_old_count} + {1'b0, c_one_count};
	wire                  c_old_there = c_old_key[3:0] != 4'd0;
	wire                  c_sum_full;
	// A record takes the place of an entry by lot: it stands for 2^c_rate_q.
	wire                  c_drawn = WITH_RATE && !c_hit_q && c_old_there;
	wire [2:0]            c_weight = c_drawn ? c_rate_q : 3'd0;
	assign c_missed = c_count_q && c_drawn && c_held_q;
	assign missed_o = c_missed;
	assign missed_count_o = c_repeat_q;
	wire [COUNT_BITS-1:0] c_new_count = c_one_count << c_weight;
	wire                  c_more = c_hit_q && !c_count[COUNT_BITS] && !c_sum_full;     // the entry goes on
	wire [VALUE_W-1:0]    c_value;
	wire [KEY_W-1:0]      out_key = c_pass_q ? c_key_q : c_old_key;
	generate if (WITH_CYCLES) begin : g_cycles
		wire [SUM_BITS-1:0] c_old_sum = c_old[KEY_W+COUNT_BITS +: SUM_BITS];
		wire [SUM_BITS:0]   c_one_sum = {{SUM_BITS+1-CYCLE_BITS{1'b0}}, c_cycles_q}, c_sum = {1'b0, c_old_sum} + c_one_sum;
		wire [SUM_BITS-1:0] c_new_sum = c_one_sum[SUM_BITS-1:0] << c_weight;
		assign c_sum_full = c_sum[SUM_BITS];
		assign c_value = c_more ? {c_sum[SUM_BITS-1:0], c_count[COUNT_BITS-1:0]} : {c_new_sum, c_new_count};
		assign cycles_o = c_pass_q ? c_one_sum[SUM_BITS-1:0] : c_old_sum;
	end else begin : g_no_cycles
		assign c_sum_full = 1'b0;
		assign c_value = c_more ? c_count[COUNT_BITS-1:0] : c_new_count;
		assign cycles_o = {SUM_BITS{1'b0}};
	end endgenerate
	assign c_new = {c_value, c_drain_q ? {KEY_W{1'b0}} : c_key_q};
	assign push_o = c_pass_q || (c_write && c_old_there && !(c_counts && c_more));
	assign reason_o = out_key[3:0];
	assign hist_o = out_key[4 +: HIST];
	assign start_o = out_key[4+HIST +: XLEN];
	assign count_o = c_pass_q ? c_one_count : c_old_count;
	generate if (WITH_INSNS) begin : g_insns
		assign insns_o = out_key[PAIR_W +: INSN_BITS];
	end else begin : g_no_insns
		assign insns_o = {INSN_BITS{1'b0}};
	end
	if (CONTEXT_BITS > 0) begin : g_context
		assign context_o = out_key[PAIR_W+INSNS_W +: CONTEXT_W];
	end else begin : g_no_context
		assign context_o = {CONTEXT_W{1'b0}};
	end endgenerate

	// ---------------------------------------------------------------- an entry is read where it is
	generate if (WITH_INDEX) begin : g_index
		reg               wanted_q;
		reg [WALK_W-1:0]  index_q;
		reg [ENTRY_W-1:0] taken_q;
		reg               pending_q;
		always @(posedge clk_i) begin
			if (a_take)
				wanted_q <= 1'b0;
			if (c_take_q && !take_write_i) begin
				pending_q <= 1'b0;
				taken_q <= c_old_there ? c_old : {ENTRY_W{1'b0}};
			end
			if (take_write_i) begin
				wanted_q <= 1'b1;
				pending_q <= 1'b1;
				index_q <= take_index_i;
			end
			if (rst_i) begin
				wanted_q <= 1'b0;
				pending_q <= 1'b0;
				index_q <= {WALK_W{1'b0}};
				taken_q <= {ENTRY_W{1'b0}};
			end
		end
		assign take_q = wanted_q;
		assign take_index_q = index_q;
		assign taking_o = pending_q;
		assign taken_reason_o = taken_q[3:0];
		assign taken_hist_o = taken_q[4 +: HIST];
		assign taken_start_o = taken_q[4+HIST +: XLEN];
		assign taken_count_o = taken_q[KEY_W +: COUNT_BITS];
		if (WITH_CYCLES) begin : g_taken_cycles
			assign taken_cycles_o = taken_q[KEY_W+COUNT_BITS +: SUM_BITS];
		end else begin : g_no_taken_cycles
			assign taken_cycles_o = {SUM_BITS{1'b0}};
		end
		if (WITH_INSNS) begin : g_taken_insns
			assign taken_insns_o = taken_q[PAIR_W +: INSN_BITS];
		end else begin : g_no_taken_insns
			assign taken_insns_o = {INSN_BITS{1'b0}};
		end
		if (CONTEXT_BITS > 0) begin : g_taken_context
			assign taken_context_o = taken_q[PAIR_W+INSNS_W +: CONTEXT_W];
		end else begin : g_no_taken_context
			assign taken_context_o = {CONTEXT_W{1'b0}};
		end
	end else begin : g_no_index
		assign take_q = 1'b0;
		assign take_index_q = {WALK_W{1'b0}};
		assign taking_o = 1'b0;
		assign taken_reason_o = 4'd0;
		assign taken_start_o = {XLEN{1'b0}};
		assign taken_hist_o = {HIST{1'b0}};
		assign taken_count_o = {COUNT_BITS{1'b0}};
		assign taken_cycles_o = {SUM_BITS{1'b0}};
		assign taken_insns_o = {INSN_BITS{1'b0}};
		assign taken_context_o = {CONTEXT_W{1'b0}};
	end endgenerate

	// ---------------------------------------------------------------- the memories, a way each
`ifdef FORMAL
	wire [ENTRY_W*ENTRIES-1:0] entries;      // for formal/table: by way, then by set
`endif
	wire [SET_W-1:0] write_set = clearing_q ? walk_set : c_set_q;
	genvar g;
	generate for (g = 0; g < WAYS; g = g + 1) begin : g_way
		// A read may give anything in the cycle in which the same entry is written: it is forwarded then.
		(* no_rw_check *) reg [ENTRY_W-1:0] mem [0:SETS-1];
		reg [ENTRY_W-1:0] row_q;
		localparam [WAY_W-1:0] SELF = g;
		wire write = clearing_q || (c_write && c_way_q == SELF);
		always @(posedge clk_i) begin
			if (write)
				mem[write_set] <= clearing_q ? {ENTRY_W{1'b0}} : c_new;
			row_q <= mem[a_set];
		end
		assign b_rows[ENTRY_W*g +: ENTRY_W] = row_q;
		assign b_matches[g] = row_q[KEY_W-1:0] == b_key_q && !(c_same_set && c_way_q == SELF) && !(d_same_set && d_way_q == SELF);
`ifdef FORMAL
		genvar e;
		for (e = 0; e < SETS; e = e + 1) begin : g_entry
			assign entries[ENTRY_W*(g*SETS+e) +: ENTRY_W] = mem[e];
		end
`endif
	end
	if (WAYS > 1) begin : g_order
		(* no_rw_check *) reg [ORDERS-1:0] mem [0:SETS-1];
		reg [ORDERS-1:0] order_q;
		always @(posedge clk_i) begin
			if (clearing_q || c_counts)
				mem[write_set] <= clearing_q ? {ORDERS{1'b0}} : c_order;
			order_q <= mem[a_set];
		end
		assign b_order_read = order_q;
	end else begin : g_one_way
		assign b_order_read = 1'b0;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
