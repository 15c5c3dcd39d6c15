// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the hot-trace table, for prove: it counts each trace once and only once (docs/trace-unit.md section 8). CHECK chooses one.
// They speak of one key and one place of the table, which the prover chooses: what holds for it holds for each.
//
//	came in + what a draw adds - went out - missed  =  what the entries have  +  what is on its way in stages B and C
//
// is the property, modulo 2^LEDGER_W. It follows from what the stages know of the memory; these lemmas make it inductive, and hold together.
`default_nettype none
module table_checks #(
	parameter CHECK = 0,
	parameter XLEN = 2,
	parameter HIST = 2,
	parameter ENTRIES = 4,
	parameter WAYS = 2,
	parameter COUNT_BITS = 2,
	parameter REPEAT_W = 1,
	parameter CYCLES = 0,
	parameter CYCLE_BITS = 2,
	parameter SUM_BITS = 3,
	parameter INSNS = 0,
	parameter INSN_BITS = 1,
	parameter CONTEXT_BITS = 0,
	parameter RATE = 0,
	parameter INDEX = 0,
	parameter CONTEXT_W = CONTEXT_BITS > 0 ? CONTEXT_BITS : 1,
	parameter LEDGER_W = 5
) (
	input wire clk,
	input wire enable,
	input wire room,
	input wire drain_write,
	input wire drain,
	input wire push,
	input wire hold,
	input wire take,
	input wire [2:0] rate,
	input wire [15:0] random,
	input wire [$clog2(ENTRIES)-1:0] take_index,
	input wire [CONTEXT_W-1:0] owner,
	input wire [XLEN-1:0] start,
	input wire [HIST-1:0] hist,
	input wire [3:0] reason,
	input wire [REPEAT_W-1:0] repeat_count,
	input wire [CYCLE_BITS-1:0] cycles,
	input wire [INSN_BITS-1:0] insns
);
	localparam SETS = ENTRIES / WAYS, SET_W = $clog2(SETS), WAY_W = WAYS > 1 ? $clog2(WAYS) : 1, WALK_W = $clog2(ENTRIES);
	localparam KEY_W = 4 + XLEN + HIST + (INSNS ? INSN_BITS : 0) + CONTEXT_BITS, ENTRY_W = KEY_W + COUNT_BITS + (CYCLES ? SUM_BITS : 0);
	reg reset_q = 1'b1, started_q = 1'b0;
	always @(posedge clk) begin
		reset_q <= 1'b0;
		started_q <= 1'b1;
	end

	wire draining, out_push;
	wire [XLEN-1:0] out_start;
	wire [HIST-1:0] out_hist;
	wire [3:0] out_reason;
	wire [COUNT_BITS-1:0] out_count;
	wire [SUM_BITS-1:0] out_cycles;
	wire [INSN_BITS-1:0] out_insns, taken_insns;
	wire [CONTEXT_W-1:0] out_owner, taken_owner;
	wire missed, taking;
	wire [REPEAT_W-1:0] missed_count;
	wire [3:0] taken_reason;
	wire [XLEN-1:0] taken_start;
	wire [HIST-1:0] taken_hist;
	wire [COUNT_BITS-1:0] taken_count;
	wire [SUM_BITS-1:0] taken_cycles;
	rivulet_trace_table #(
		.XLEN(XLEN),
		.HIST(HIST),
		.ENTRIES(ENTRIES),
		.WAYS(WAYS),
		.COUNT_BITS(COUNT_BITS),
		.REPEAT_W(REPEAT_W),
		.WITH_CYCLES(CYCLES),
		.CYCLE_BITS(CYCLE_BITS),
		.SUM_BITS(SUM_BITS),
		.WITH_INSNS(INSNS),
		.INSN_BITS(INSN_BITS),
		.CONTEXT_BITS(CONTEXT_BITS),
		.WITH_RATE(RATE),
		.WITH_INDEX(INDEX)
	) unit (
		.clk_i(clk),
		.rst_i(reset_q),
		.enable_i(enable),
		.room_i(room),
		.drain_write_i(drain_write),
		.drain_i(drain),
		.draining_o(draining),
		.hold_i(hold),
		.rate_i(rate),
		.random_i(random),
		.missed_o(missed),
		.missed_count_o(missed_count),
		.take_write_i(take),
		.take_index_i(take_index),
		.taking_o(taking),
		.taken_reason_o(taken_reason),
		.taken_start_o(taken_start),
		.taken_hist_o(taken_hist),
		.taken_count_o(taken_count),
		.taken_cycles_o(taken_cycles),
		.taken_insns_o(taken_insns),
		.taken_context_o(taken_owner),
		.push_i(push),
		.start_i(start),
		.hist_i(hist),
		.reason_i(reason),
		.repeat_i(repeat_count),
		.cycles_i(cycles),
		.insns_i(insns),
		.context_i(owner),
		.push_o(out_push),
		.start_o(out_start),
		.hist_o(out_hist),
		.reason_o(out_reason),
		.count_o(out_count),
		.cycles_o(out_cycles),
		.insns_o(out_insns),
		.context_o(out_owner)
	);
	// Of the rates 2^1 (and 2^0), which small counts have room for
	always @* assume (reason != 4'd0 && repeat_count != {REPEAT_W{1'b0}} && rate[2:1] == 2'd0);

	// ---------------------------------------------------------------- what is looked at inside
	(* hierconn *) wire \unit.clearing_q ;
	(* hierconn *) wire [WALK_W-1:0] \unit.walk_q ;
	(* hierconn *) wire \unit.b_count_q , \unit.b_pass_q , \unit.b_drain_q , \unit.b_take_q ;
	(* hierconn *) wire [SET_W-1:0] \unit.b_set_q ;
	(* hierconn *) wire [WAY_W-1:0] \unit.b_way_q ;
	(* hierconn *) wire [KEY_W-1:0] \unit.b_key_q ;
	(* hierconn *) wire [REPEAT_W-1:0] \unit.b_repeat_q ;
	(* hierconn *) wire [CYCLE_BITS-1:0] \unit.b_cycles_q ;
	(* hierconn *) wire [ENTRY_W*WAYS-1:0] \unit.b_rows ;
	(* hierconn *) wire \unit.c_count_q , \unit.c_pass_q , \unit.c_drain_q , \unit.c_hit_q , \unit.c_take_q , \unit.c_counts , \unit.c_drawn ;
	(* hierconn *) wire [2:0] \unit.c_rate_q ;
	(* hierconn *) wire [SET_W-1:0] \unit.c_set_q ;
	(* hierconn *) wire [WAY_W-1:0] \unit.c_way_q ;
	(* hierconn *) wire [KEY_W-1:0] \unit.c_key_q ;
	(* hierconn *) wire [REPEAT_W-1:0] \unit.c_repeat_q ;
	(* hierconn *) wire [CYCLE_BITS-1:0] \unit.c_cycles_q ;
	(* hierconn *) wire [ENTRY_W-1:0] \unit.c_old ;
	(* hierconn *) wire \unit.d_write_q ;
	(* hierconn *) wire [SET_W-1:0] \unit.d_set_q ;
	(* hierconn *) wire [WAY_W-1:0] \unit.d_way_q ;
	(* hierconn *) wire [ENTRY_W-1:0] \unit.d_entry_q ;
	(* hierconn *) wire [ENTRY_W*ENTRIES-1:0] \unit.entries ;      // by way, then by set
	wire b_record = \unit.b_count_q || \unit.b_pass_q , c_record = \unit.c_count_q || \unit.c_pass_q ;
	wire c_write = \unit.c_counts || \unit.c_drain_q , c_reads = \unit.c_count_q || \unit.c_drain_q || \unit.c_take_q ;

	// The set of a key, by section 8: piece by piece, those of the history reversed, and turned by two.
	function [SET_W-1:0] set_by_pieces(input [KEY_W-1:0] of);
		integer bit_at;
		begin
			set_by_pieces = {SET_W{1'b0}};
			for (bit_at = 1; bit_at < XLEN; bit_at = bit_at + 1)
				set_by_pieces = set_by_pieces ^ ({{SET_W{1'b0}}, of[4 + HIST + bit_at]} << ((bit_at - 1) % SET_W));
			for (bit_at = 0; bit_at < CONTEXT_BITS; bit_at = bit_at + 1)
				set_by_pieces = set_by_pieces ^ ({{SET_W{1'b0}}, of[KEY_W - CONTEXT_BITS + bit_at]} << (bit_at % SET_W));
			for (bit_at = 0; bit_at < HIST; bit_at = bit_at + 1)
				set_by_pieces = set_by_pieces ^ (({of[4 + bit_at], {SET_W{1'b0}}} >> 1) >> (bit_at % SET_W)) ^
					({{SET_W{1'b0}}, of[4 + bit_at]} << ((SET_W + 1 - bit_at % SET_W) % SET_W));
		end
	endfunction
	// ---------------------------------------------------------------- the lemmas: what the stages know of the memory
	integer s, w, v;
	reg known;
	reg [ENTRY_W-1:0] entry, other;
	always @* begin
		known = 1'b1;
		for (w = 0; w < WAYS; w = w + 1)
			for (s = 0; s < SETS; s = s + 1) begin
				entry = \unit.entries [ENTRY_W * (w * SETS + s) +: ENTRY_W];
				// Cleared so far; an entry without a key is empty.
				if (\unit.clearing_q && s < \unit.walk_q / WAYS && entry[3:0] != 4'd0)
					known = 1'b0;
				if (!\unit.clearing_q ) begin
					// A key is in its own set.
					if (entry[3:0] != 4'd0 && set_by_pieces(entry[KEY_W-1:0]) != s[SET_W-1:0])
						known = 1'b0;
					// No key is in two ways of a set.
					for (v = 0; v < w; v = v + 1) begin
						other = \unit.entries [ENTRY_W * (v * SETS + s) +: ENTRY_W];
						if (entry[3:0] != 4'd0 && entry[KEY_W-1:0] == other[KEY_W-1:0])
							known = 1'b0;
					end
					// Stage B has read what is there, but for what D has written in that cycle.
					if ((\unit.b_count_q || \unit.b_drain_q || \unit.b_take_q ) && \unit.b_set_q == s[SET_W-1:0] &&
						!(\unit.d_write_q && \unit.d_set_q == s[SET_W-1:0] && \unit.d_way_q == w[WAY_W-1:0]) &&
						\unit.b_rows [ENTRY_W * w +: ENTRY_W] != entry)
						known = 1'b0;
					// Stage C has what is in its way, and no way has the key if it is no hit.
					if (c_reads && \unit.c_set_q == s[SET_W-1:0] && \unit.c_way_q == w[WAY_W-1:0] && \unit.c_old != entry)
						known = 1'b0;
					if (\unit.c_count_q && !\unit.c_hit_q && \unit.c_set_q == s[SET_W-1:0] && entry[KEY_W-1:0] == \unit.c_key_q )
						known = 1'b0;
					// D is in the memory.
					if (\unit.d_write_q && \unit.d_set_q == s[SET_W-1:0] && \unit.d_way_q == w[WAY_W-1:0] && \unit.d_entry_q != entry)
						known = 1'b0;
				end
			end
		if (\unit.c_count_q && \unit.c_hit_q && \unit.c_old [KEY_W-1:0] != \unit.c_key_q )
			known = 1'b0;
		if ((b_record && \unit.b_key_q [3:0] == 4'd0) || (c_record && \unit.c_key_q [3:0] == 4'd0))
			known = 1'b0;
		if (WAYS == 1 && (((\unit.b_drain_q || \unit.b_take_q ) && \unit.b_way_q ) || (c_reads && \unit.c_way_q ) || (\unit.d_write_q && \unit.d_way_q )))
			known = 1'b0;
		if ((\unit.b_count_q && \unit.b_set_q != set_by_pieces(\unit.b_key_q )) || (\unit.c_count_q && \unit.c_set_q != set_by_pieces(\unit.c_key_q )))
			known = 1'b0;
		// While it is cleared nothing is counted, and nothing is drained.
		if (\unit.clearing_q && (\unit.b_count_q || \unit.b_drain_q || \unit.b_take_q || c_reads || \unit.d_write_q || draining))
			known = 1'b0;
	end

	// ---------------------------------------------------------------- one key, any
	(* anyconst *) wire [KEY_W-1:0] key;
	(* anyconst *) wire [XLEN-1:0] key_start;
	(* anyconst *) wire [HIST-1:0] key_hist;
	(* anyconst *) wire [3:0] key_reason;
	(* anyconst *) wire [INSN_BITS-1:0] key_insns;
	(* anyconst *) wire [CONTEXT_W-1:0] key_owner;
	wire [KEY_W+INSN_BITS+CONTEXT_W-1:0] whole = CONTEXT_BITS == 0 ? (INSNS ? {key_insns, key_start, key_hist, key_reason} : {key_start, key_hist, key_reason}) :
		INSNS ? {key_owner, key_insns, key_start, key_hist, key_reason} : {key_owner, key_start, key_hist, key_reason};
	always @* assume (key == whole[KEY_W-1:0]);
	wire in = push && start == key_start && hist == key_hist && reason == key_reason && (!INSNS || insns == key_insns) &&
		(CONTEXT_BITS == 0 || owner == key_owner);
	wire out = out_push && out_start == key_start && out_hist == key_hist && out_reason == key_reason && (!INSNS || out_insns == key_insns) &&
		(CONTEXT_BITS == 0 || out_owner == key_owner);

	// What came in and has not gone out: traces (or their cycles, CHECK 1), and whether any came in at all.
	wire [LEDGER_W-1:0] in_amount = CHECK == 1 ? cycles : repeat_count, out_amount = CHECK == 1 ? out_cycles : out_count;
	// A record that is missed is gone; one that takes a place by lot counts 2^rate times from then on.
	wire ends = \unit.c_count_q && \unit.c_key_q == key;
	wire [LEDGER_W-1:0] c_amount = CHECK == 1 ? \unit.c_cycles_q : \unit.c_repeat_q ;
	wire [LEDGER_W-1:0] more = ends && \unit.c_counts && \unit.c_drawn ? (c_amount << \unit.c_rate_q ) - c_amount : {LEDGER_W{1'b0}};
	wire [LEDGER_W-1:0] less = ends && missed ? c_amount : {LEDGER_W{1'b0}};
	reg [LEDGER_W-1:0] ledger_q;
	reg came_q;
	always @(posedge clk)
		if (reset_q) begin
			ledger_q <= {LEDGER_W{1'b0}};
			came_q <= 1'b0;
		end else begin
			ledger_q <= ledger_q + (in ? in_amount : {LEDGER_W{1'b0}}) - (out ? out_amount : {LEDGER_W{1'b0}}) + more - less;
			came_q <= came_q || in;
		end
	reg [LEDGER_W-1:0] held;
	reg present;
	integer i;
	reg [ENTRY_W-1:0] one;
	always @* begin
		held = {LEDGER_W{1'b0}};
		present = 1'b0;
		if (!\unit.clearing_q )
			for (i = 0; i < ENTRIES; i = i + 1) begin
				one = \unit.entries [ENTRY_W * i +: ENTRY_W];
				if (one[KEY_W-1:0] == key && key[3:0] != 4'd0) begin
					held = held + (CHECK == 1 ? one[ENTRY_W-1:KEY_W+COUNT_BITS] : one[KEY_W +: COUNT_BITS]);
					present = 1'b1;
				end
			end
		if (b_record && \unit.b_key_q == key) begin
			held = held + (CHECK == 1 ? \unit.b_cycles_q : \unit.b_repeat_q );
			present = 1'b1;
		end
		if (c_record && \unit.c_key_q == key) begin
			held = held + (CHECK == 1 ? \unit.c_cycles_q : \unit.c_repeat_q );
			present = 1'b1;
		end
	end

	// ---------------------------------------------------------------- the drain
	// Steps that are left: a step is a cycle with room in which no record comes in. Each step takes one entry.
	localparam [WALK_W:0] ALL = ENTRIES;
	reg [WALK_W:0] left_q;
	reg alone_q;        // nothing has come in since the drain began, and nothing was on its way then
	always @(posedge clk)
		if (reset_q) begin
			left_q <= {WALK_W+1{1'b0}};
			alone_q <= 1'b0;
		end else begin
			if (drain_write && !\unit.clearing_q )
				left_q <= drain ? ALL : {WALK_W+1{1'b0}};
			else if (left_q != {WALK_W+1{1'b0}} && room && !push)
				left_q <= left_q - 1'b1;
			if (push)
				alone_q <= 1'b0;
			else if (drain_write && !\unit.clearing_q )
				alone_q <= drain && !b_record && !c_record && !\unit.b_drain_q && !\unit.c_drain_q ;
		end
	wire steps = draining == (left_q != {WALK_W+1{1'b0}}) && (!draining || {1'b0, \unit.walk_q } + left_q == ALL);
	// An entry that the walk has passed is empty, or the drain that empties it is on its way.
	reg emptied;
	always @* begin
		emptied = 1'b1;
		if (alone_q)
			for (w = 0; w < WAYS; w = w + 1)
				for (s = 0; s < SETS; s = s + 1)
					if (s * WAYS + w < ENTRIES - left_q &&
						\unit.entries [ENTRY_W * (w * SETS + s) +: 4] != 4'd0 &&
						!(\unit.b_drain_q && \unit.b_set_q == s[SET_W-1:0] && (WAYS == 1 || \unit.b_way_q == w[WAY_W-1:0])) &&
						!(\unit.c_drain_q && \unit.c_set_q == s[SET_W-1:0] && (WAYS == 1 || \unit.c_way_q == w[WAY_W-1:0])))
						emptied = 1'b0;
		if (alone_q && (b_record || c_record))
			emptied = 1'b0;
	end

	// ---------------------------------------------------------------- an entry is read
	// As it was when the third stage had it, before what that writes; and while one is read no other entry changes for it.
	reg [ENTRY_W-1:0] copy_q;
	reg copied_q;
	wire [ENTRY_W-1:0] shown;
	reg [ENTRY_W-1:0] place;
	integer p;
	always @* begin
		place = {ENTRY_W{1'b0}};
		for (p = 0; p < ENTRIES; p = p + 1)
			if (\unit.c_way_q * SETS + \unit.c_set_q == p)
				place = \unit.entries [ENTRY_W * p +: ENTRY_W];
	end
	always @(posedge clk) begin
		copied_q <= !reset_q && INDEX && \unit.c_take_q && !take;
		copy_q <= place[3:0] == 4'd0 ? {ENTRY_W{1'b0}} : place;
	end
	generate if (CYCLES) begin : g_shown_cycles
		assign shown[ENTRY_W-1:KEY_W+COUNT_BITS] = taken_cycles;
	end
	if (INSNS) begin : g_shown_insns
		assign shown[4+HIST+XLEN +: INSN_BITS] = taken_insns;
	end
	if (CONTEXT_BITS > 0) begin : g_shown_owner
		assign shown[KEY_W-CONTEXT_BITS +: CONTEXT_W] = taken_owner;
	end endgenerate
	assign shown[4+HIST+XLEN-1:0] = {taken_start, taken_hist, taken_reason};
	assign shown[KEY_W +: COUNT_BITS] = taken_count;

	always @* if (started_q && !reset_q) begin
		if (CHECK == 0 || CHECK == 1)
			assert (known && ledger_q == held);
		if (CHECK == 2)
			assert (known && (!present || came_q) && (!out || came_q));
		if (CHECK == 4)
			assert (known && (!copied_q || (shown == copy_q && !taking)));
		if (CHECK == 3)
			assert (known && steps && emptied && (!alone_q || !\unit.b_drain_q || !\unit.clearing_q ));
	end
endmodule
`default_nettype wire
