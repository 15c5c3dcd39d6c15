// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the arbiter of several units' records, for prove: with anything on the record ports, and a receiver of any pace. Beside it stands
// a single row in which all records wait as they came, and of which one is followed.
`default_nettype none
module arbiter_checks #(
	parameter CHECK = 0,
	parameter SOURCES = 2,
	parameter BIT = 0                        // of the followed record: from 0 on it, then what was missed, then its time
) (
	input wire clk
);
	localparam ORDER = 0, TOLD = 1, FAIR = 2;
	localparam XLEN = 32, HIST = 32, REPEAT_BITS = 8, CYCLE_BITS = 16, INSN_BITS = 16, DEPTH = 4, TIME_BITS = 8, LOST_BITS = 16;
	localparam SOURCE_W = SOURCES > 2 ? 2 : 1, WIDTH = XLEN + HIST + 4 + REPEAT_BITS + CYCLE_BITS + INSN_BITS;
	localparam ROW = LOST_BITS + WIDTH, ALL = ROW + TIME_BITS, COUNT = 3 + SOURCE_W, ORDERS = DEPTH << SOURCE_W;
	reg reset_q = 1'b1;
	always @(posedge clk)
		reset_q <= 1'b0;

	(* anyseq *) wire [SOURCES-1:0] valid;
	(* anyseq *) wire [SOURCES*WIDTH-1:0] records;
	(* anyseq *) wire ready, follow;
	(* anyconst *) wire [SOURCE_W-1:0] which;        // the unit whose record is followed
	wire out_valid, busy;
	wire [SOURCE_W-1:0] source;
	wire [ALL-1:0] out;
	wire [SOURCES*LOST_BITS-1:0] lost;
	wire [SOURCES*XLEN-1:0] start;
	wire [SOURCES*HIST-1:0] hist;
	wire [SOURCES*4-1:0] reason;
	wire [SOURCES*32-1:0] repeats, cycles;
	wire [SOURCES*16-1:0] insns;
	genvar s;
	generate for (s = 0; s < SOURCES; s = s + 1) begin : g_record
		wire [WIDTH-1:0] one = records[WIDTH*s +: WIDTH];
		assign start[XLEN*s +: XLEN] = one[WIDTH-1 -: XLEN];
		assign hist[HIST*s +: HIST] = one[WIDTH-XLEN-1 -: HIST];
		assign reason[4*s +: 4] = one[43:40];
		assign repeats[32*s +: 32] = {24'd0, one[39:32]};
		assign cycles[32*s +: 32] = {16'd0, one[31:16]};
		assign insns[16*s +: 16] = one[15:0];
	end endgenerate
	rivulet_trace_arbiter #(.SOURCES(SOURCES), .XLEN(XLEN), .HIST(HIST), .REPEAT_BITS(REPEAT_BITS), .CYCLE_BITS(CYCLE_BITS), .INSN_BITS(INSN_BITS),
		.DEPTH(DEPTH), .TIME_BITS(TIME_BITS), .LOST_BITS(LOST_BITS)) unit (
		.clk_i(clk),
		.rst_i(reset_q),
		.rec_valid_i(valid),
		.rec_start_i(start),
		.rec_hist_i(hist),
		.rec_reason_i(reason),
		.rec_repeat_i(repeats),
		.rec_cycles_i(cycles),
		.rec_insns_i(insns),
		.valid_o(out_valid),
		.ready_i(ready),
		.source_o(source),
		.time_o(out[ROW +: TIME_BITS]),
		.missed_o(out[WIDTH +: LOST_BITS]),
		.start_o(out[WIDTH-1 -: XLEN]),
		.hist_o(out[WIDTH-XLEN-1 -: HIST]),
		.reason_o(out[43:40]),
		.repeat_o(out[39:32]),
		.cycles_o(out[31:16]),
		.insns_o(out[15:0]),
		.busy_o(busy),
		.lost_o(lost)
	);

	// How many records of each unit wait, and which come; so the row is known without a look into the unit.
	localparam [COUNT-1:0] ONE = 1;
	wire goes = out_valid && ready && !reset_q;
	wire [SOURCES-1:0] comes;
	reg  [SOURCES*3-1:0] held_q;
	reg  [SOURCES*LOST_BITS-1:0] missed_q;
	generate for (s = 0; s < SOURCES; s = s + 1) begin : g_held
		wire [2:0] held = held_q[3*s +: 3];
		wire [16:0] sum = {1'b0, missed_q[LOST_BITS*s +: LOST_BITS]} + {9'd0, repeats[32*s +: 8]};
		assign comes[s] = valid[s] && held < DEPTH && !reset_q;
		always @(posedge clk) begin
			held_q[3*s +: 3] <= reset_q ? 3'd0 : held + {2'd0, comes[s]} - {2'd0, goes && source == s};
			if (reset_q || comes[s])
				missed_q[LOST_BITS*s +: LOST_BITS] <= 16'd0;
			else if (valid[s])
				missed_q[LOST_BITS*s +: LOST_BITS] <= sum[15:0] | {16{sum[16]}};
		end
	end endgenerate
	// All together, those that were there a cycle ago, and how many the followed record of unit `which` finds before it.
	reg  [COUNT-1:0] all_q, older_q, came, lower;
	integer i;
	always @* begin
		{came, lower} = {2*COUNT{1'b0}};
		for (i = 0; i < SOURCES; i = i + 1) begin
			came = came + {{COUNT-1{1'b0}}, comes[i]};
			lower = lower + {{COUNT-1{1'b0}}, comes[i] && i < which};
		end
	end
	reg  [TIME_BITS-1:0] now_q;
	reg  [COUNT-1:0] ahead_q;
	reg  have_q, data_q;
	wire leaves = goes && have_q && ahead_q == {COUNT{1'b0}};
	wire [ALL-1:0] expected = {now_q, missed_q[LOST_BITS*which +: LOST_BITS], records[WIDTH*which +: WIDTH]};
	always @* assume (which < SOURCES);
	always @(posedge clk) begin
		now_q <= reset_q ? {TIME_BITS{1'b0}} : now_q + 1'b1;
		older_q <= all_q - {{COUNT-1{1'b0}}, goes};
		all_q <= all_q - {{COUNT-1{1'b0}}, goes} + came;
		if (comes[which] && follow && (!have_q || leaves)) begin
			have_q <= 1'b1;
			data_q <= expected[BIT];
			ahead_q <= all_q - {{COUNT-1{1'b0}}, goes} + lower;
		end else if (leaves)
			have_q <= 1'b0;
		else if (goes)
			ahead_q <= ahead_q - ONE;
		if (reset_q)
			{all_q, older_q, have_q} <= {2*COUNT+1{1'b0}};
	end

	// ---------------------------------------------------------------- the lemma: where in the unit's queues the row is
	localparam PTR = 2, ORDER_W = SOURCES + TIME_BITS, OPTR = PTR + SOURCE_W;
	(* hierconn *) wire [ORDER_W*ORDERS-1:0] \unit.g_several.orders.rows ;
	(* hierconn *) wire [OPTR:0] \unit.g_several.orders.wr_q , \unit.g_several.orders.rd_q ;
	(* hierconn *) wire [ORDER_W-1:0] \unit.g_several.order ;
	(* hierconn *) wire \unit.g_several.ordered ;
	(* hierconn *) wire [SOURCES-1:0] \unit.g_several.served_q , \unit.g_several.head ;
	(* hierconn *) wire [SOURCES*ROW-1:0] \unit.g_several.rows ;
	(* hierconn *) wire [TIME_BITS-1:0] \unit.now ;
	(* hierconn *) wire [ROW*DEPTH-1:0] \unit.g_several.g_source[0].queue.rows , \unit.g_several.g_source[1].queue.rows ;
	(* hierconn *) wire [PTR:0] \unit.g_several.g_source[0].queue.wr_q , \unit.g_several.g_source[0].queue.rd_q ;
	(* hierconn *) wire [PTR:0] \unit.g_several.g_source[1].queue.wr_q , \unit.g_several.g_source[1].queue.rd_q ;
	localparam RECORD_BIT = BIT < ROW ? BIT : 0, TIME_BIT = BIT < ROW ? 0 : BIT - ROW;
	wire [SOURCES*DEPTH-1:0] bits;               // the followed bit of each record
	wire [SOURCES*3-1:0] tails, heads;
	assign tails[5:0] = {\unit.g_several.g_source[1].queue.wr_q , \unit.g_several.g_source[0].queue.wr_q };
	assign heads[5:0] = {\unit.g_several.g_source[1].queue.rd_q , \unit.g_several.g_source[0].queue.rd_q };
	genvar d;
	generate for (d = 0; d < DEPTH; d = d + 1) begin : g_bits
		assign bits[d] = \unit.g_several.g_source[0].queue.rows [ROW*d + RECORD_BIT];
		assign bits[DEPTH + d] = \unit.g_several.g_source[1].queue.rows [ROW*d + RECORD_BIT];
	end
	if (SOURCES == 3) begin : g_third
		(* hierconn *) wire [ROW*DEPTH-1:0] \unit.g_several.g_source[2].queue.rows ;
		(* hierconn *) wire [PTR:0] \unit.g_several.g_source[2].queue.wr_q , \unit.g_several.g_source[2].queue.rd_q ;
		assign tails[8:6] = \unit.g_several.g_source[2].queue.wr_q ;
		assign heads[8:6] = \unit.g_several.g_source[2].queue.rd_q ;
		for (d = 0; d < DEPTH; d = d + 1) begin : g_bits
			assign bits[2*DEPTH + d] = \unit.g_several.g_source[2].queue.rows [ROW*d + RECORD_BIT];
		end
	end endgenerate
	reg  [SOURCES-1:0] took_q;                   // in the cycle before
	always @(posedge clk)
		took_q <= comes;
	wire [OPTR:0] order_count = \unit.g_several.orders.wr_q - \unit.g_several.orders.rd_q ;
	reg  [SOURCES*COUNT-1:0] seen;
	reg  [COUNT-1:0] total, fresh;
	reg  [SOURCES-1:0] mask;
	reg  [OPTR-1:0] at;
	reg  [2:0] index, one;
	reg  known, found;
	integer k;
	always @* begin
		known = lost == missed_q && \unit.now == now_q && order_count <= ORDERS;
		found = !have_q;
		seen = {COUNT*SOURCES{1'b0}};
		{total, fresh} = {2*COUNT{1'b0}};
		index = 3'd0;
		one = 3'd0;
		mask = {SOURCES{1'b0}};
		at = {OPTR{1'b0}};
		// the rows of the order queue, the oldest first, without what of that one was served
		for (k = 0; k < ORDERS; k = k + 1) begin
			at = \unit.g_several.orders.rd_q [OPTR-1:0] + k;
			mask = \unit.g_several.orders.rows [ORDER_W*at +: SOURCES];
			if (k + 1 == order_count && took_q != {SOURCES{1'b0}})
				known = known && mask == took_q && (k != 0 || \unit.g_several.served_q == {SOURCES{1'b0}});
			if (k == 0)
				mask = mask & ~\unit.g_several.served_q ;
			if (k < order_count) begin
				known = known && mask != {SOURCES{1'b0}};
				for (i = 0; i < SOURCES; i = i + 1) if (mask[i]) begin
					if (have_q && total == ahead_q) begin
						found = i == which && (BIT < ROW || \unit.g_several.orders.rows [ORDER_W*at + SOURCES + TIME_BIT] == data_q);
						index = seen[COUNT*i +: 3];
					end
					total = total + ONE;
					seen[COUNT*i +: COUNT] = seen[COUNT*i +: COUNT] + ONE;
				end
			end
		end
		for (i = 0; i < SOURCES; i = i + 1) begin
			fresh = fresh + {{COUNT-1{1'b0}}, took_q[i]};
			one = tails[3*i +: 3] - heads[3*i +: 3];
			known = known && one == held_q[3*i +: 3] && {{COUNT-3{1'b0}}, one} == seen[COUNT*i +: COUNT] && one <= DEPTH && (!took_q[i] || one != 3'd0);
			known = known && \unit.g_several.head [i] == (one != {2'd0, took_q[i]});
			known = known && (!\unit.g_several.head [i] || \unit.g_several.rows [ROW*i + RECORD_BIT] == bits[DEPTH*i + heads[3*i +: 2]]);
		end
		one = heads[3*which +: 3] + index;
		found = found && (!have_q || BIT >= ROW || bits[DEPTH*which + one[1:0]] == data_q);
		known = known && found && total == all_q && older_q == all_q - fresh && (order_count != 0 || \unit.g_several.served_q == {SOURCES{1'b0}});
		known = known && (took_q == {SOURCES{1'b0}} || order_count != 0) && \unit.g_several.ordered == (order_count != (took_q != {SOURCES{1'b0}}));
		known = known && (!\unit.g_several.ordered ||
			\unit.g_several.order == \unit.g_several.orders.rows [ORDER_W*\unit.g_several.orders.rd_q [OPTR-1:0] +: ORDER_W]);
	end

	always @* if (!reset_q) begin
		assert (known);
		case (CHECK)
		ORDER: begin
			assert (!out_valid || !have_q || ahead_q != {COUNT{1'b0}} || (source == which && out[BIT] == data_q));
			assert (!out_valid || all_q != {COUNT{1'b0}});
		end
		TOLD: assert (lost == missed_q);
		default: begin
			assert (out_valid == (older_q != {COUNT{1'b0}}));
			assert (busy == (all_q != {COUNT{1'b0}} || valid != {SOURCES{1'b0}}));
		end
		endcase
	end
endmodule
`default_nettype wire
