// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the N-Trace encoder, by CHECK. The encoder of messages gets any events that the module before it can give, and a receiver that takes a
// byte when it likes; the modules before it any retirements. An observer reads the bytes as the standard has them.
`default_nettype none
module ntrace_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter RETURNS = 0,
	parameter [0:0] BTM = 0,
	parameter [0:0] REPEAT = 0,
	parameter [0:0] OWNER = 0,
	parameter [0:0] EXTEND = 0,
	parameter TIME = 0
) (
	input wire             clk_i,
	input wire [7:0]       set,              // how the encoder is set
	input wire [5:0]       sync,
	// an event
	input wire             valid,
	input wire [3:0]       kind,
	input wire [5:0]       flags,            // first, lost, debug, odd, own, wide
	input wire [5:0]       acc,
	input wire [XLEN-1:1]  pc,
	input wire [XLEN-1:1]  next,
	input wire [2:0]       owner,
	input wire [7:0]       now,
	input wire             ready,
	// what stands before the events
	input wire             on,
	input wire             debug,
	input wire             match,
	input wire             full,
	input wire             room,
	input wire             trap,
	input wire             intr
);
`include "rivulet_ntrace_kinds.vh"
	localparam LEGAL = 0, FIELDS = 1, BEGINS = 2, HOLDS = 3, ERRORS = 4, TOLD = 5, STOPS = 6, ORDER = 7;
	localparam TIME_W = TIME > 0 ? TIME : 1;
	reg rst = 1'b1;
	always @(posedge clk_i)
		rst <= 1'b0;

	localparam MESSAGES = 0, EVENTS = 1, QUEUE = 2, PART = CHECK <= ERRORS ? MESSAGES : CHECK <= STOPS ? EVENTS : QUEUE;
	generate
	case (PART)
	MESSAGES: begin : g
		wire       pop, byte_valid;
		wire [7:0] data;
		wire       first = flags[5], lost = flags[4], debugged = flags[3], odd = flags[2], own = flags[1], wide = flags[0];
		// The settings stay.
		reg [13:0] set_q;
		reg        began_q;
		initial began_q = 1'b0;
		always @(posedge clk_i) begin
			set_q <= {set, sync};
			began_q <= 1'b1;
		end
		always @* if (began_q) assume ({set, sync} == set_q);
		wire history = BTM ? set[0] : 1'b1;
		// An event stays until it is taken. Tracing begins with FIRST and ends with NT_STOP, or a loss.
		reg                 waits_q, running_q;
		reg [2*XLEN+27-2:0] event_q;
		wire [2*XLEN+27-2:0] event_now = {kind, flags, acc, pc, next, owner, now};
		initial waits_q = 1'b0;
		initial running_q = 1'b0;
		always @* begin
			if (waits_q)
				assume (valid && event_now == event_q);
			if (valid) begin
				assume (kind <= NT_LOST);
				assume (!first || (!odd && !own && kind != NT_STOP && kind != NT_LOST));
				assume (lost == 1'b0 || first || kind == NT_LOST);
				assume (kind != NT_LOST || (lost && !odd && !own));
				assume (kind != NT_STOP || (!odd && !own));
				assume (first == !(running_q && !lost) || kind == NT_LOST);
				assume (history || kind != NT_NOT_TAKEN);
			end
			if (rst)
				assume (!valid);
		end
		always @(posedge clk_i) begin
			waits_q <= valid && !pop && !rst;
			event_q <= event_now;
			if (valid && pop)
				running_q <= kind != NT_STOP && kind != NT_LOST;
		end
		rivulet_ntrace_encode #(
			.XLEN(XLEN),
			.HIST(8),
			.RETURNS(RETURNS),
			.WITH_BTM(BTM),
			.WITH_REPEAT(REPEAT),
			.WITH_EXTEND(EXTEND),
			.WITH_OWNER(OWNER),
			.TIME_BITS(TIME)
		) encode (
			.clk_i(clk_i),
			.rst_i(rst),
			.history_i(history),
			.extend_i(set[1]),
			.returns_i(set[2]),
			.repeat_i(set[3]),
			.owner_i(set[4]),
			.time_i(set[5]),
			.sync_mode_i(sync[1:0]),
			.sync_max_i(sync[5:2]),
			.src_i(12'd0),
			.ev_valid_i(valid),
			.ev_kind_i(kind),
			.ev_first_i(first),
			.ev_lost_i(lost),
			.ev_debug_i(debugged),
			.ev_odd_i(odd),
			.ev_own_i(own),
			.ev_wide_i(wide),
			.ev_acc_i(acc),
			.ev_pc_i(pc),
			.ev_next_i(next),
			.ev_owner_i(owner),
			.ev_time_i(now[TIME_W-1:0]),
			.ev_pop_o(pop),
			.idle_o(),
			.byte_valid_o(byte_valid),
			.byte_o(data),
			.byte_ready_i(ready)
		);

		// ---------------------------------------------------------------- the observer
		wire       take = byte_valid && ready && !rst;
		reg        in_message, second;           // the next byte is not the first of a message; it is the second
		reg [5:0]  tcode, last_tcode;            // of this message; of the one before, 0: none
		reg [2:0]  ends;                         // variable fields that have ended in this message
		reg [5:0]  fixed;                        // the second MDO, which holds the fixed fields
		initial in_message = 1'b0;
		initial last_tcode = 6'd0;
		wire [5:0] mdo = data[7:2];
		wire [1:0] mseo = data[1:0];
		wire [5:0] fields_mdo = second ? mdo : fixed;
		reg  [2:0] wanted;                       // variable fields of the message without its time
		reg        known, timed;
		always @* begin
			known = 1'b1;
			timed = 1'b1;
			wanted = 3'd0;
			case (tcode)
			6'd2: begin known = OWNER; wanted = 3'd1; timed = 1'b0; end
			6'd3: begin known = BTM; wanted = 3'd1; end
			6'd4: wanted = 3'd2;
			6'd8: begin wanted = 3'd1; timed = 1'b0; end
			6'd9: wanted = 3'd2;
			6'd11: begin known = BTM; wanted = 3'd2; end
			6'd12: wanted = 3'd2;
			6'd27: begin wanted = fields_mdo[3:0] == 4'd2 ? 3'd2 : 3'd1; timed = 1'b0; end
			6'd28: wanted = 3'd3;
			6'd29: wanted = 3'd3;
			6'd30: begin known = REPEAT; wanted = 3'd1; timed = 1'b0; end
			6'd33: wanted = fields_mdo[5:4] == 2'd1 ? 3'd2 : 3'd1;
			default: known = 1'b0;
			endcase
		end
		wire [2:0] total = wanted + {2'd0, timed && TIME > 0 && set[5]};
		always @(posedge clk_i) if (take) begin
			in_message <= mseo != 2'b11;
			second <= !in_message;
			if (!in_message) begin
				tcode <= mdo;
				ends <= 3'd0;
			end else if (mseo == 2'b01)
				ends <= ends + 3'd1;
			if (second)
				fixed <= mdo;
			if (mseo == 2'b11)
				last_tcode <= tcode;
		end
		// Values of a repeated history, of EVCODE, B-TYPE and SYNC where they stand
		wire rcode_ok = mdo[3:0] == 4'd0 || mdo[3:0] == 4'd1 || (REPEAT && mdo[3:0] == 4'd2);
		wire sync_ok = mdo[3:0] == 4'd2 || mdo[3:0] == 4'd3 || mdo[3:0] == 4'd5 || mdo[3:0] == 4'd7;

		if (CHECK == LEGAL) begin : legal
			always @* if (take) begin
				assert (mseo != 2'b10);
				assert (in_message || mseo == 2'b00);                    // at least two bytes; no idle ones
				assert (!in_message || known);
				if (in_message && second) begin
					assert (tcode != 6'd27 || rcode_ok);
					assert ((tcode != 6'd9 && tcode != 6'd11 && tcode != 6'd12 && tcode != 6'd29) || sync_ok);
					assert ((tcode != 6'd4 && tcode != 6'd28) || mdo[1:0] != 2'd1);
					assert (tcode != 6'd33 || (mdo[3:0] == 4'd0 || mdo[3:0] == 4'd4));
					assert (tcode != 6'd33 || (mdo[5:4] == {1'b0, history}));
				end
			end
		end
		if (CHECK == FIELDS) begin : fields
			always @* if (take && in_message) begin
				assert (mseo != 2'b11 || ends + 3'd1 == total);
				assert (mseo != 2'b01 || ends + 3'd1 < total);
			end
		end
		if (CHECK == BEGINS) begin : begins
			// In front of the first message, behind the end and behind an Error nothing but a begin can be decoded.
			always @* if (take && in_message && second && (last_tcode == 6'd0 || last_tcode == 6'd33 || last_tcode == 6'd8)) begin
				assert (tcode == 6'd9 || tcode == 6'd8);
				assert (tcode != 6'd9 || mdo[3:0] != 4'd2);
				assert (tcode != 6'd9 || last_tcode != 6'd8 || mdo[3:0] == 4'd7 || !running_q);
			end
		end
		if (CHECK == HOLDS) begin : holds
			reg       held_q;
			reg [7:0] data_q;
			initial held_q = 1'b0;
			always @(posedge clk_i) begin
				held_q <= byte_valid && !ready && !rst;
				data_q <= data;
			end
			always @* if (held_q) assert (byte_valid && data == data_q);
		end
		if (CHECK == ERRORS) begin : errors
			// No event that follows a loss is taken before an Error message has begun.
			reg told_q;
			initial told_q = 1'b0;
			always @(posedge clk_i) begin
				if (valid && pop)
					told_q <= 1'b0;
				else if (take && !in_message && mdo == 6'd8)
					told_q <= 1'b1;
			end
			// it has begun, or its first byte waits
			wire begins_now = byte_valid && !in_message && mdo == 6'd8;
			always @* if (valid && pop && lost && kind != NT_LOST) assert (told_q || begins_now);
		end
	end
	EVENTS: begin : g
		wire       push, out_first, out_lost, out_debug, out_odd, out_own, drop, idle;
		wire [3:0] out_kind;
		wire [5:0] out_acc;
		always @* assume (kind <= NT_SWAP);
		always @* assume (!(full && room));
		rivulet_ntrace_events #(.XLEN(XLEN), .WITH_OWNER(OWNER), .OWNER_BITS(3)) events (
			.clk_i(clk_i),
			.rst_i(rst),
			.s_valid_i(valid && !rst),
			.s_trap_i(trap),
			.s_intr_i(intr),
			.s_debug_i(debug),
			.s_pc_i(pc),
			.s_next_pc_i(next),
			.s_owner_i(owner),
			.s_wide_i(flags[0]),
			.s_kind_i(kind),
			.s_match_i(match),
			.on_i(on),
			.history_i(set[0]),
			.calls_i(set[2]),
			.owner_i(set[4]),
			.full_i(full),
			.room_i(room),
			.push_o(push),
			.kind_o(out_kind),
			.first_o(out_first),
			.lost_o(out_lost),
			.debug_o(out_debug),
			.odd_o(out_odd),
			.own_o(out_own),
			.acc_o(out_acc),
			.drop_o(drop),
			.idle_o(idle)
		);
		// What was traced and is not in an event yet, and whether something is owed: half-words, a begin, an end.
		reg       owed_q, open_q;
		reg [6:0] halves_q;
		initial owed_q = 1'b0;
		initial open_q = 1'b0;
		initial halves_q = 7'd0;
		wire      traced = valid && !rst && on && !debug && match;
		always @(posedge clk_i) if (!rst) begin
			if (drop)
				owed_q <= 1'b1;
			else if (push && out_lost)
				owed_q <= 1'b0;
			if (push)
				open_q <= out_kind != NT_STOP && out_kind != NT_LOST;
			if (drop)
				open_q <= 1'b0;
			if (push || drop)
				halves_q <= 7'd0;
			else if (traced && open_q)
				halves_q <= halves_q + (flags[0] ? 7'd2 : 7'd1);
		end
		if (CHECK == TOLD) begin : told
			always @* if (!rst) begin
				assert (!push || owed_q == out_lost);                    // the first event behind a loss, and no other, says so
				assert (!push || out_first || out_kind == NT_LOST || open_q);
				assert (!(push && full));
				assert (!idle || !owed_q);                               // Empty is not said while a loss is to be told
			end
		end
		if (CHECK == STOPS) begin : stops
			always @* if (!rst) begin
				// Half-words are in the event, none is forgotten; tracing that was open ends with an event or a loss.
				assert (!push || out_first || out_kind == NT_LOST || {1'b0, out_acc} == halves_q);
				assert (!open_q || on || push || drop);
				assert (!(traced && open_q) || push || drop || kind == NT_PLAIN || kind == NT_NOT_TAKEN || kind == NT_CALL);
				assert (halves_q < 7'd64);
			end
		end
	end
	default: begin : g
		// The queue: what was pushed as the so-many-th comes out as the so-many-th.
		localparam DEPTH = 8;
		wire       q_full, q_room, q_near, q_empty, q_valid;
		wire [7:0] q_data;
		wire       q_push = valid && !q_full && !rst, q_pop = ready && q_valid && !rst;
		(* anyconst *) reg [7:0] which;
		reg [7:0]  pushed_q, popped_q, value_q;
		initial pushed_q = 8'd0;
		initial popped_q = 8'd0;
		rivulet_ntrace_queue #(.WIDTH(8), .DEPTH(DEPTH)) queue (
			.clk_i(clk_i),
			.rst_i(rst),
			.push_i(q_push),
			.data_i(now),
			.full_o(q_full),
			.room_o(q_room),
			.nearly_full_o(q_near),
			.empty_o(q_empty),
			.valid_o(q_valid),
			.data_o(q_data),
			.pop_i(q_pop)
		);
		always @(posedge clk_i) begin
			pushed_q <= pushed_q + {7'd0, q_push};
			popped_q <= popped_q + {7'd0, q_pop};
			if (q_push && pushed_q == which)
				value_q <= now;
		end
		wire [7:0] held = pushed_q - popped_q;
		always @* if (!rst) begin
			assert (held <= DEPTH);
			assert (q_full == (held == DEPTH));
			assert (q_empty == (held == 8'd0));
			// the numbers go round: the one that is looked at is in the queue
			if (q_pop && popped_q == which && held != 8'd0)
				assert (q_data == value_q);
		end
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
