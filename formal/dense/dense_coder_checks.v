// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense coder up to the bits that it puts: records that came in are coded once, in order, or their loss is told at its place; a code says which
// entry, and the dictionary, kept by the rules of section 15 a second time, has the record there. A receiver here reads what is put, value by value.
// With each property hold the lemmas that make it inductive.
`default_nettype none
module dense_coder_checks #(
	parameter CHECK = 0,
	parameter XLEN = 7,
	parameter HIST = 6,
	parameter ENTRIES = 16,
	parameter PLACES = 16,
	parameter REPEAT_BITS = 2,
	parameter INSN_BITS = 5,
	parameter QUEUE = 4,
	parameter CHECK_BITS = 3,
	parameter START_BITS = 4
) (
	input wire clk
);
	localparam COUNTED = 0, ORDER = 1, GUESSED = 2, CODED = 3, FRAMED = 4, ENDED = 8;
	localparam RUN_W = CHECK_BITS + 1;
	localparam INDEX_W = $clog2(ENTRIES), PLACE_AT_W = $clog2(PLACES), WALK_W = INDEX_W > PLACE_AT_W ? INDEX_W : PLACE_AT_W, SET_W = INDEX_W - 1;
	localparam TRACE_W = XLEN - 1 + HIST + 4, HEAD_W = TRACE_W + INSN_BITS + REPEAT_BITS, PTR = $clog2(QUEUE), PLACE_W = 2 * INDEX_W + 1;
	localparam [4:0] CLEAR = 5'd0, FETCH = 5'd1, AIM = 5'd2, READY = 5'd3, SEARCH = 5'd4, WAY0 = 5'd5, WAY1 = 5'd6, FIRST = 5'd7, RUN = 5'd8,
		EVENT = 5'd9, LOW = 5'd10, HIGH = 5'd11, REASON = 5'd12, ADDRESS = 5'd13, HISTORY = 5'd14, INSNS = 5'd15, UPDATE = 5'd16, PAD = 5'd17,
		CRC = 5'd18, FLAG = 5'd19, OPEN = 5'd20, HEAD = 5'd21, SHAPE = 5'd22, NUMBER = 5'd23, LOST = 5'd24;
	localparam [2:0] SECOND = 3'd0, FOLLOWER = 3'd1, HIT = 3'd2, MISS = 3'd3, FRAME_END = 3'd4;
	localparam [3:0] BACKWARD = 4'd1, INDIRECT = 4'd2, TRAP = 4'd4, LEFT = 4'd6;
	localparam [31:0] SHAPE_VALUE = ((HIST - 1) << 8) | (PLACE_AT_W << 4) | INDEX_W;
	reg reset_q = 1'b1;
	always @(posedge clk)
		reset_q <= 1'b0;

	// ---------------------------------------------------------------- any records, any receiver
	(* anyseq *) wire came, flush, asks, byte_ready, follow;
	(* anyseq *) wire [XLEN-1:0] start;
	(* anyseq *) wire [HIST-1:0] hist;
	(* anyseq *) wire [3:0] reason;
	(* anyseq *) wire [31:0] repeat_count;
	(* anyseq *) wire [15:0] insns;
	wire byte_valid, busy;
	wire [7:0] out;
	always @* assume (hist != {HIST{1'b0}} && repeat_count != 32'd0);
	rivulet_trace_dense #(
		.XLEN(XLEN),
		.HIST(HIST),
		.ENTRIES(ENTRIES),
		.PLACES(PLACES),
		.REPEAT_BITS(REPEAT_BITS),
		.INSN_BITS(INSN_BITS),
		.QUEUE(QUEUE),
		.BUFFER(4),
		.CHECK_BITS(CHECK_BITS),
		.START_BITS(START_BITS)
	) unit (
		.clk_i(clk),
		.rst_i(reset_q),
		.rec_valid_i(came),
		.rec_start_i(start),
		.rec_hist_i(hist),
		.rec_reason_i(reason),
		.rec_repeat_i(repeat_count),
		.rec_insns_i(insns),
		.flush_i(flush),
		.begin_i(asks),
		.byte_valid_o(byte_valid),
		.byte_o(out),
		.byte_ready_i(byte_ready),
		.busy_o(busy)
	);

	// ---------------------------------------------------------------- what is looked at inside
	(* hierconn *) wire [4:0] \unit.state_q ;
	(* hierconn *) wire [2:0] \unit.event_q , \unit.nibble_q ;
	(* hierconn *) wire [WALK_W-1:0] \unit.walk_q ;
	(* hierconn *) wire [PLACE_AT_W-1:0] \unit.hash_q ;
	(* hierconn *) wire [INDEX_W-1:0] \unit.last_q , \unit.index_q , \unit.follower_q ;
	(* hierconn *) wire [PLACE_W-1:0] \unit.place_q ;
	(* hierconn *) wire [TRACE_W-1:0] \unit.entry_q ;
	(* hierconn *) wire [XLEN-1:1] \unit.previous_q ;
	(* hierconn *) wire [31:0] \unit.number_q , \unit.lost_q , \unit.value_q ;
	(* hierconn *) wire [REPEAT_BITS-1:0] \unit.done_q ;
	(* hierconn *) wire [RUN_W-1:0] \unit.run_q ;
	(* hierconn *) wire \unit.victim_q , \unit.match0_q , \unit.open_q , \unit.fresh_q , \unit.restart_q , \unit.tells_q , \unit.losing_q ;
	(* hierconn *) wire \unit.parity_q , \unit.epoch_q ;
	(* hierconn *) wire \unit.goes_right , \unit.updates , \unit.coded , \unit.pop , \unit.accept , \unit.tells_now ;
	(* hierconn *) wire \unit.pack.bits_i , \unit.pack.pad_i , \unit.pack.check_i , \unit.pack.flag_i , \unit.pack.first_i , \unit.pack.ready_o ;
	(* hierconn *) wire [5:0] \unit.pack.value_i ;
	(* hierconn *) wire [2:0] \unit.pack.size_i ;
	(* hierconn *) wire \unit.queue.valid_o ;
	(* hierconn *) wire [HEAD_W-1:0] \unit.queue.data_o ;
	(* hierconn *) wire [PTR:0] \unit.queue.wr_q , \unit.queue.rd_q ;
	(* hierconn *) wire [HEAD_W*QUEUE-1:0] \unit.queue.rows ;
	(* hierconn *) wire [TRACE_W*ENTRIES-1:0] \unit.entry_rows ;
	(* hierconn *) wire [INDEX_W*ENTRIES-1:0] \unit.follower_rows ;
	(* hierconn *) wire [PLACE_W*PLACES-1:0] \unit.place_rows ;
	wire [4:0] state = \unit.state_q ;
	wire [2:0] event_now = \unit.event_q ;
	wire [PTR:0] in_queue = \unit.queue.wr_q - \unit.queue.rd_q ;
	wire [HEAD_W-1:0] head = \unit.queue.data_o ;
	wire [TRACE_W-1:0] trace = head[TRACE_W-1:0];
	wire [XLEN-2:0] trace_start = trace[XLEN-2:0];
	wire [HIST-1:0] trace_hist = trace[XLEN-1 +: HIST];
	wire [3:0] trace_reason = trace[TRACE_W-4 +: 4];
	wire is_cut = trace_reason == TRAP || trace_reason >= LEFT;
	wire taken = \unit.pack.ready_o && !reset_q;
	wire is_open = \unit.open_q ;
	wire codes = state >= SEARCH && state <= UPDATE;      // of a trace, or of the end of a frame
	wire of_trace = codes && (state < FIRST || event_now != FRAME_END);

	// ---------------------------------------------------------------- the queue
	reg queue_known;
	reg [5:0] queued;                    // traces of the records in it
	reg [HEAD_W-1:0] row;
	reg [PTR-1:0] at;
	integer i;
	always @* begin
		queue_known = in_queue <= QUEUE && (!\unit.queue.valid_o || in_queue != {PTR+1{1'b0}});
		queued = 6'd0;
		for (i = 0; i < QUEUE; i = i + 1) begin
			at = \unit.queue.rd_q [PTR-1:0] + i;
			row = \unit.queue.rows [HEAD_W*at +: HEAD_W];
			if (i < in_queue) begin
				queued = queued + row[HEAD_W-1 -: REPEAT_BITS];
				if (row[HEAD_W-1 -: REPEAT_BITS] == {REPEAT_BITS{1'b0}} || row[XLEN-1 +: HIST] == {HIST{1'b0}})
					queue_known = 1'b0;
			end
			if (i == 0 && \unit.queue.valid_o && head != row)
				queue_known = 1'b0;
			if (i == 0 && \unit.done_q != {REPEAT_BITS{1'b0}} && (in_queue == {PTR+1{1'b0}} || \unit.done_q >= row[HEAD_W-1 -: REPEAT_BITS]))
				queue_known = 1'b0;
		end
		// A trace is being coded while its record is at the head. A loss is told when all before it has gone.
		if (of_trace && !\unit.queue.valid_o )
			queue_known = 1'b0;
		if (\unit.tells_q && state >= OPEN && state <= NUMBER && (!\unit.losing_q || in_queue != {PTR+1{1'b0}}))
			queue_known = 1'b0;
		if (state > LOST || (codes && state >= FIRST && event_now > FRAME_END))
			queue_known = 1'b0;
		if ((state >= LOW && state <= HIGH && event_now != HIT) || (state >= REASON && state <= INSNS && event_now != MISS))
			queue_known = 1'b0;
		if ((state == UPDATE && event_now == FRAME_END) || (state >= PAD && state <= FLAG && event_now != FRAME_END))
			queue_known = 1'b0;
		if (state == CLEAR || state >= OPEN ? is_open : state >= SEARCH && !is_open)
			queue_known = 1'b0;
	end
	reg [5:0] came_q;
	always @(posedge clk)
		came_q <= reset_q ? 6'd0 : came_q + (came ? repeat_count[5:0] : 6'd0);
	wire [5:0] gone = \unit.number_q [5:0] + \unit.lost_q [5:0] - {{6-REPEAT_BITS{1'b0}}, \unit.done_q };

	// One record, any, is followed: `ahead` are coded before it.
	reg  [3:0] held_q, ahead_q;
	reg        have_q, losing_q;
	reg  [REPEAT_BITS-1:0] times_q;
	reg  [HEAD_W-1:0] expected_q;
	wire       fits = repeat_count < (32'd1 << REPEAT_BITS);
	wire       enters = came && fits && held_q != QUEUE && !losing_q && !reset_q;
	wire       leaves = \unit.pop && !reset_q;
	wire       of_followed = have_q && ahead_q == 4'd0;
	reg  [PTR-1:0] followed_at;
	always @* followed_at = \unit.queue.rd_q [PTR-1:0] + ahead_q;
	always @(posedge clk) begin
		held_q <= held_q + {3'd0, enters} - {3'd0, leaves};
		losing_q <= (came && !enters) || (losing_q && !\unit.tells_now );
		if (enters && follow && (!have_q || (of_followed && leaves))) begin
			have_q <= 1'b1;
			expected_q <= {repeat_count[REPEAT_BITS-1:0], insns[INSN_BITS-1:0], reason, hist, start[XLEN-1:1]};
			ahead_q <= held_q - {3'd0, leaves};
			times_q <= {REPEAT_BITS{1'b0}};
		end else if (of_followed) begin
			have_q <= !leaves;
			times_q <= times_q + {{REPEAT_BITS-1{1'b0}}, \unit.coded };
		end else if (leaves)
			ahead_q <= ahead_q - 4'd1;
		if (reset_q)
			{have_q, losing_q, held_q, ahead_q} <= 10'd0;
	end
	wire order_known = held_q == {{3-PTR{1'b0}}, in_queue} && losing_q == \unit.losing_q &&
		(!have_q || (ahead_q < held_q && \unit.queue.rows [HEAD_W*followed_at +: HEAD_W] == expected_q)) && (!of_followed || times_q == \unit.done_q ) &&
		(!have_q || of_followed || times_q == {REPEAT_BITS{1'b0}});

	// ---------------------------------------------------------------- the dictionary, by the rules
	// The set of a trace: pieces of START, and of HIST reversed, and turned by two.
	function [SET_W-1:0] set_by_pieces(input [TRACE_W-1:0] of);
		integer bit_at;
		begin
			set_by_pieces = {SET_W{1'b0}};
			for (bit_at = 0; bit_at < XLEN - 1; bit_at = bit_at + 1)
				set_by_pieces = set_by_pieces ^ ({{SET_W{1'b0}}, of[bit_at]} << (bit_at % SET_W));
			for (bit_at = 0; bit_at < HIST; bit_at = bit_at + 1)
				set_by_pieces = set_by_pieces ^ (({of[XLEN - 1 + bit_at], {SET_W{1'b0}}} >> 1) >> (bit_at % SET_W)) ^
					({{SET_W{1'b0}}, of[XLEN - 1 + bit_at]} << ((SET_W + 1 - bit_at % SET_W) % SET_W));
		end
	endfunction
	// One row of each memory, any, is kept a second time: what holds for it holds for each.
	(* anyconst *) wire [PLACE_AT_W-1:0] place_at;
	(* anyconst *) wire [INDEX_W-1:0] entry_at, follower_at;
	reg  [PLACE_W-1:0] place_q;          // sure, second, first
	reg  [TRACE_W-1:0] entry_q;
	reg  [INDEX_W-1:0] follower_q;
	reg  [PLACE_AT_W-1:0] hash_q;
	reg  [INDEX_W-1:0] last_q;
	reg  victim_q;
	reg  [XLEN-2:0] previous_q;
	wire here = hash_q == place_at, there = last_q == follower_at;      // they are the ones that are looked at now
	wire sure = place_q[2*INDEX_W];
	wire [INDEX_W-1:0] first = place_q[INDEX_W-1:0], second = place_q[INDEX_W +: INDEX_W], index = \unit.index_q ;
	wire [SET_W-1:0] set = set_by_pieces(trace);
	wire [INDEX_W-1:0] number = \unit.goes_right ? \unit.place_q [INDEX_W-1:0] : index;
	wire steps = \unit.goes_right || (\unit.updates && !(event_now == MISS && is_cut));
	always @(posedge clk) begin
		if (steps) begin
			if (here)
				place_q <= \unit.goes_right ? {1'b1, second, first} : sure ? {1'b0, number, first} : {1'b0, first, number};
			if (there)
				follower_q <= number;
			last_q <= number;
			hash_q <= (hash_q * 8) ^ number;
			if (\unit.updates && event_now == MISS) begin
				if (number == entry_at)
					entry_q <= trace;
				previous_q <= trace_start;
				victim_q <= !victim_q;
			end
		end
		if (reset_q || state == CLEAR) begin
			entry_q <= {TRACE_W{1'b0}};
			follower_q <= {INDEX_W{1'b0}};
			place_q <= {PLACE_W{1'b0}};
			{hash_q, last_q, victim_q, previous_q} <= {PLACE_AT_W+INDEX_W+1+XLEN-1{1'b0}};
		end
	end
	// What is right of what was read, and of what was found out
	wire has = entry_q == trace;
	wire event_right =
		event_now == SECOND ? (!here || index == second) && (index != entry_at || has) :
		event_now == FOLLOWER ? (!here || index != second) && (!there || index == follower_q) && (index != entry_at || has) :
		event_now == HIT ? (!here || index != second) && (!there || index != follower_q) && (index != entry_at || has) :
		index == {set, victim_q} && !has;
	wire [TRACE_W-1:0] entry_row = \unit.entry_rows [TRACE_W*entry_at +: TRACE_W];
	wire [INDEX_W-1:0] follower_row = \unit.follower_rows [INDEX_W*follower_at +: INDEX_W];
	wire [PLACE_W-1:0] place_row = \unit.place_rows [PLACE_W*place_at +: PLACE_W];
	reg  memory_known;
	always @* begin
		memory_known = 1'b1;
		if (state == CLEAR) begin
			if (entry_at < \unit.walk_q && entry_row != {TRACE_W{1'b0}})
				memory_known = 1'b0;
			if (follower_at < \unit.walk_q && follower_row != {INDEX_W{1'b0}})
				memory_known = 1'b0;
			if (place_at < \unit.walk_q && place_row != {PLACE_W{1'b0}})
				memory_known = 1'b0;
		end else begin
			if (\unit.walk_q != {WALK_W{1'b0}} || entry_q != entry_row || follower_q != follower_row || place_q != place_row)
				memory_known = 1'b0;
			if (hash_q != \unit.hash_q || last_q != \unit.last_q || victim_q != \unit.victim_q || previous_q != \unit.previous_q )
				memory_known = 1'b0;
			if (state != FETCH && ((here && \unit.place_q != place_q) || (there && \unit.follower_q != follower_q)))
				memory_known = 1'b0;
			if (state != FETCH && state != AIM && state != WAY0 && state != WAY1 && \unit.place_q [INDEX_W-1:0] == entry_at && \unit.entry_q != entry_q)
				memory_known = 1'b0;
			if (state == WAY0 && entry_at == {set, 1'b0} && \unit.entry_q != entry_q)
				memory_known = 1'b0;
			if (state == WAY1 && ((entry_at == {set, 1'b1} && \unit.entry_q != entry_q) || (entry_at == {set, 1'b0} && \unit.match0_q != has)))
				memory_known = 1'b0;
			if (of_trace && \unit.place_q [INDEX_W-1:0] == entry_at && has)
				memory_known = 1'b0;
			if (of_trace && state >= FIRST && !event_right)
				memory_known = 1'b0;
			// An entry lies in its own set, so that none but the two that were looked at has a trace.
			if (entry_q[XLEN-1 +: HIST] != {HIST{1'b0}} && set_by_pieces(entry_q) != entry_at[INDEX_W-1:1])
				memory_known = 1'b0;
		end
	end

	// ---------------------------------------------------------------- a receiver of what is put
	localparam HIGH_W = INDEX_W - 4;
	reg  [4:0] reads_q, reads;           // a state, by the names above; UPDATE is between two frames
	reg  [31:0] value_q, value;          // of the number that is being read: `shift` bits
	reg  [5:0] shift_q, shift;
	reg  [2:0] count_q, count;           // nibbles of a field
	reg  done_q, opened_q, loss_q, due_q, asked_q, begins_q, epoch_q, right;
	reg  [5:0] guessed_q, run_q;         // traces that were guessed; how many the code says
	reg  [2:0] event_q;
	reg  [INDEX_W-1:0] index_q;
	reg  [3:0] reason_q;
	reg  [31:0] address_q, history_q, insns_q, traces_q;
	wire       bits = \unit.pack.bits_i , pad = \unit.pack.pad_i , check = \unit.pack.check_i , flag = \unit.pack.flag_i ;
	wire [5:0] put = \unit.pack.value_i ;
	wire [2:0] size = \unit.pack.size_i ;
	wire       put_now = taken && (bits || pad || check || flag);
	wire [31:0] with_group = value_q | ({28'd0, put[3:0]} << shift_q), with_pair = value_q | ({30'd0, put[1:0]} << shift_q);
	wire       group = bits && size == 3'd5 && !put[5] && (put[4] || put[3:0] != 4'd0 || shift_q == 6'd0);
	wire       nibble = bits && size == 3'd4 && put[5:4] == 2'b00;
	wire       last_nibble = count_q == (reads_q == SHAPE || reads_q == CRC ? 3'd3 : 3'd7);
	wire       ends_head = put_now && reads == FIRST && reads_q >= HEAD;
	wire       cut = reason_q == TRAP || reason_q >= LEFT;
	always @* begin
		reads = reads_q;
		right = 1'b0;
		{value, shift, count} = {32'd0, 6'd0, 3'd0};
		case (reads_q)
		UPDATE: begin                // of the first half of the head, or the flag before it
			right = flag ? \unit.pack.first_i && !opened_q : nibble && put[3:0] == 4'd1;
			reads = flag ? UPDATE : HEAD;
		end
		HEAD: begin
			right = nibble && put[3:2] == 2'b00 && put[0] == opened_q && (put[0] || !due_q) && (!put[0] || due_q || asked_q);
			reads = put[0] ? SHAPE : put[1] ? LOST : FIRST;
		end
		SHAPE, NUMBER, LOST: begin
			right = nibble && (!last_nibble || reads_q == LOST || with_group == (reads_q == SHAPE ? SHAPE_VALUE : traces_q));
			reads = !last_nibble ? reads_q : reads_q == SHAPE ? NUMBER : reads_q == NUMBER && loss_q ? LOST : FIRST;
			{value, shift, count} = last_nibble ? {32'd0, 6'd0, 3'd0} : {with_group, shift_q + 6'd4, count_q + 3'd1};
		end
		FIRST: begin
			right = bits && size == 3'd1 && put <= 6'd1;
			reads = put[0] ? RUN : EVENT;
		end
		RUN: begin
			right = bits && size == 3'd3 && put[5:3] == 3'd0 && (put[2] || put[1:0] != 2'd0 || shift_q == 6'd0);
			reads = put[2] ? RUN : EVENT;
			{value, shift} = put[2] ? {with_pair, shift_q + 6'd2} : {32'd0, 6'd0};
		end
		EVENT: begin
			right = bits && (size == 3'd1 ? put == 6'd0 : size == 3'd2 ? put == 6'd1 : size == 3'd3 ? put == 6'd3 : size == 3'd4 && (put == 6'd7 || put == 6'd15));
			reads = size <= 3'd2 ? FIRST : size == 3'd3 ? LOW : put == 6'd7 ? REASON : PAD;
		end
		LOW: {right, reads} = {nibble, HIGH};
		HIGH: {right, reads} = {bits && size == HIGH_W[2:0] && put >> HIGH_W == 6'd0, FIRST};
		REASON: begin
			right = bits && (size == 3'd1 ? put == 6'd0 : size == 3'd2 ? put == 6'd1 :
				size == 3'd6 && put[1:0] == 2'b11 && put[5:2] != BACKWARD && put[5:2] != INDIRECT);
			reads = ADDRESS;
		end
		ADDRESS, HISTORY, INSNS: begin
			right = group && shift_q < (reads_q == ADDRESS ? XLEN - 1 : reads_q == HISTORY ? HIST : INSN_BITS);
			reads = put[4] ? reads_q : reads_q == ADDRESS ? HISTORY : reads_q == HISTORY && cut ? INSNS : FIRST;
			{value, shift} = put[4] ? {with_group, shift_q + 6'd4} : {32'd0, 6'd0};
		end
		PAD: {right, reads} = {pad, CRC};
		CRC: {right, reads, count} = {check, last_nibble ? FLAG : CRC, last_nibble ? 3'd0 : count_q + 3'd1};
		FLAG: {right, reads} = {flag && !\unit.pack.first_i , UPDATE};
		default: right = 1'b0;
		endcase
	end
	always @(posedge clk) begin
		done_q <= 1'b0;
		if (\unit.goes_right )
			guessed_q <= guessed_q + 6'd1;
		if (put_now) begin
			reads_q <= reads;
			{value_q, shift_q, count_q} <= {value, shift, count};
			done_q <= reads == FIRST && reads_q <= INSNS;
			if (flag && reads_q == UPDATE)
				opened_q <= 1'b1;
			if (reads_q == HEAD)
				loss_q <= put[1];
			if (reads_q == FIRST)
				run_q <= 6'd0;
			if (reads_q == RUN)
				run_q <= with_pair[5:0] + 6'd1;
			if (reads_q == EVENT) begin
				event_q <= size == 3'd4 ? (put[3] ? FRAME_END : MISS) : size - 3'd1;
				guessed_q <= 6'd0;
			end
			if (reads_q == LOW)
				index_q <= put[3:0];
			if (reads_q == HIGH)
				index_q <= index_q | (put << 4);
			if (reads_q == REASON)
				reason_q <= size == 3'd1 ? BACKWARD : size == 3'd2 ? INDIRECT : put[5:2];
			if (reads_q == ADDRESS)
				address_q <= with_group;
			if (reads_q == HISTORY)
				history_q <= with_group;
			if (reads_q == INSNS)
				insns_q <= with_group;
			if (reads_q == FLAG)
				due_q <= traces_q[START_BITS] != epoch_q;
		end
		// a head was read
		traces_q <= traces_q + {31'd0, \unit.coded } + (ends_head && reads_q == LOST ? with_group : 32'd0);
		asked_q <= asks || asked_q;
		begins_q <= put_now && reads_q == HEAD ? put[0] : begins_q;
		if (ends_head && (reads_q == HEAD ? put[0] : begins_q)) begin
			epoch_q <= traces_q[START_BITS] ^ (reads_q == LOST && ((traces_q + with_group) ^ traces_q) >> START_BITS & 1'b1);
			asked_q <= asks;
		end
		if (ends_head)
			{due_q, opened_q} <= 2'b00;
		if (reset_q) begin
			reads_q <= UPDATE;
			{value_q, shift_q, count_q, guessed_q, traces_q} <= 79'd0;
			{due_q, done_q, opened_q, asked_q} <= 4'b1000;
		end
	end
	// Which state of the receiver belongs to one of the coder, and what it has read by then
	wire [4:0] expects = state == UPDATE || (state < SEARCH && is_open) || (codes && state < FIRST) ? FIRST :
		state < SEARCH || state == OPEN || (state == HEAD && \unit.nibble_q == 3'd0) ? UPDATE : state;
	wire       in_field = state == SHAPE || state == NUMBER || state == LOST;
	wire [31:0] going = state == SHAPE ? SHAPE_VALUE : state == NUMBER ? traces_q : state == LOST ? \unit.number_q - traces_q :
		state == ADDRESS ? {{33-XLEN{1'b0}}, trace_start ^ \unit.previous_q } : state == HISTORY ? {{32-HIST{1'b0}}, trace_hist} :
		state == INSNS ? {{32-INSN_BITS{1'b0}}, head[TRACE_W +: INSN_BITS]} : {26'd0, guessed_q - 6'd1};
	wire [31:0] rest = state == RUN ? {{32-RUN_W{1'b0}}, \unit.run_q } : \unit.value_q ;
	wire       of_value = in_field || state == RUN || (state >= ADDRESS && state <= INSNS);
	wire       whole = rest == going >> shift_q;
	wire       number_known = !of_value ? shift_q == 6'd0 && value_q == 32'd0 :
		whole && value_q == (going & ~(32'hFFFFFFFF << shift_q)) && (in_field ? shift_q == {1'b0, \unit.nibble_q , 2'b00} : shift_q == 6'd0 || rest != 32'd0);
	wire       steps_known = number_known && shift_q <= 6'd28 && (state == RUN ? !shift_q[0] : shift_q[1:0] == 2'b00) && reads_q == expects &&
		done_q == (state == UPDATE) && count_q == (in_field || state == CRC ? \unit.nibble_q : 3'd0) &&
		(in_field || state == CRC || state == HEAD || \unit.nibble_q == 3'd0) &&
		(state != HEAD || \unit.nibble_q <= 3'd1) && ((state != SHAPE && state != CRC) || \unit.nibble_q <= 3'd3);
	wire       full = \unit.number_q [CHECK_BITS] != \unit.parity_q ;
	wire [5:0] of_block = {{6-CHECK_BITS{1'b0}}, \unit.number_q [CHECK_BITS-1:0]};
	wire       run_known = (!is_open || (full ? of_block == 6'd0 && guessed_q <= (6'd1 << CHECK_BITS) : guessed_q <= of_block)) && (!of_trace || !full) &&
		(state == RUN ? guessed_q != 6'd0 : state <= FIRST ? \unit.run_q == guessed_q : \unit.run_q == {RUN_W{1'b0}}) && (is_open || guessed_q == 6'd0) &&
		(state <= EVENT || guessed_q == 6'd0) && (state != EVENT || run_q == guessed_q) && (state != RUN || guessed_q <= (6'd1 << CHECK_BITS));
	wire       code_known = (state <= EVENT || state > FLAG || event_q == event_now) && (state != HIGH || index_q[3:0] == \unit.index_q [3:0]) &&
		(state != HIGH || index_q >> 4 == {INDEX_W{1'b0}}) && (state <= REASON || state > INSNS || reason_q == trace_reason) &&
		(state <= ADDRESS || state > INSNS || address_q == {{33-XLEN{1'b0}}, trace_start ^ \unit.previous_q }) &&
		(state != INSNS || (is_cut && history_q == {{32-HIST{1'b0}}, trace_hist}));
	wire       code_right = event_q == event_now && (event_now != HIT || index_q == \unit.index_q ) && (event_now != MISS || (reason_q == trace_reason &&
		address_q == {{33-XLEN{1'b0}}, trace_start ^ \unit.previous_q } && history_q == {{32-HIST{1'b0}}, trace_hist} &&
		(!is_cut || insns_q == {{32-INSN_BITS{1'b0}}, head[TRACE_W +: INSN_BITS]})));
	wire       start_head = state == SHAPE || state == NUMBER, fresh = \unit.fresh_q ;
	wire       frame_known =
		// the number of traces, and what the head said
		(state == LOST || traces_q == \unit.number_q ) && (!in_field || (loss_q == \unit.tells_q && begins_q == fresh)) && (state != LOST || loss_q) &&
		// a start is what follows the flag before a head
		((state > FLAG && state != OPEN) || is_open || !opened_q) && (state != OPEN || (fresh && !opened_q)) && (state != HEAD || opened_q == fresh) &&
		(!is_open || (!opened_q && !fresh && !due_q)) && (!start_head || fresh) &&
		// why there is one
		(fresh || state == CLEAR || epoch_q == \unit.epoch_q ) && (!\unit.restart_q || asked_q) && (!due_q || state == CLEAR || fresh) &&
		(!(fresh || state == CLEAR) || due_q || asked_q || in_field);

	// Between frames a flag was the last that was put, or nothing was.
	reg  ended_q;
	always @(posedge clk)
		ended_q <= reset_q || (put_now ? flag && state != OPEN : ended_q);
	wire between = state < SEARCH && !is_open;
	wire ended_known = queue_known && (!between || ended_q) && (!is_open || state < OPEN) && (!(codes || (state > UPDATE && state < OPEN)) || is_open) &&
		(state < OPEN || state == LOST || in_queue != {PTR+1{1'b0}} || \unit.losing_q );

	always @* if (!reset_q) case (CHECK)
		COUNTED: begin
			assert (queue_known);
			assert (came_q == gone + queued);
		end
		ORDER: begin
			assert (queue_known && order_known);
			assert (enters == \unit.accept );
			assert (!(\unit.coded && of_followed) || head == expected_q);
			assert (!(leaves && of_followed) || times_q + 1'b1 == expected_q[HEAD_W-1 -: REPEAT_BITS]);
			assert (!\unit.tells_now || held_q == 4'd0);
		end
		GUESSED: begin
			assert (queue_known && memory_known);
			assert (!(\unit.goes_right && here && first == entry_at) || has);
			assert (!(\unit.updates && event_now != MISS && number == entry_at) || has);
			assert (!(\unit.updates && event_now == MISS) || !has);
		end
		CODED: begin
			assert (queue_known && steps_known && run_known && code_known && frame_known);
			assert (!(put_now && reads_q == EVENT) || run_q == guessed_q);
			assert (!\unit.updates || code_right);
		end
		ENDED: begin
			assert (ended_known);
			assert (busy || ended_q);
		end
		default: begin
			assert (queue_known && steps_known && run_known && code_known && frame_known);
			assert (!put_now || right);
		end
	endcase
endmodule
`default_nettype wire
