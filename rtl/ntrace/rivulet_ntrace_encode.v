// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// From events to messages (N-Trace, sections 9 and 10 of the standard): I-CNT, HIST, the reference of addresses, the return stack, what is only
// counted so far, and when to synchronise. One event a cycle that sends nothing; one that does waits until its bytes have left.
// docs/ntrace-encoder.md section 4. Cost: docs/ntrace-encoder.md section 2.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_ntrace_encode #(
	parameter XLEN = 32,
	parameter ACC_BITS = 6,
	parameter HIST = 31,                  // outcomes that fill it: 8 to 31
	parameter RETURNS = 0,
	parameter [0:0] WITH_BTM = 0,
	parameter [0:0] WITH_REPEAT = 0,
	parameter [0:0] WITH_EXTEND = 0,
	parameter [0:0] WITH_OWNER = 0,
	parameter CONTEXT_BITS = 0,
	parameter CONTEXT_W = CONTEXT_BITS > 0 ? CONTEXT_BITS : 1,
	parameter OWNER_BITS = 2 + CONTEXT_W,  // context and privilege
	parameter TIME_BITS = 0,
	parameter TIME_W = TIME_BITS > 0 ? TIME_BITS : 1,
	parameter SRC_BITS = 0
) (
	input  wire                clk_i,
	input  wire                rst_i,
	// how it is set: not to be changed while there are events
	input  wire                history_i,  // HTM; else BTM
	input  wire                extend_i,
	input  wire                returns_i,
	input  wire                repeat_i,   // trTeInstEnRepeatedHistory
	input  wire                owner_i,
	input  wire                time_i,
	input  wire [1:0]          sync_mode_i,
	input  wire [3:0]          sync_max_i,
	input  wire [11:0]         src_i,
	// the oldest event
	input  wire                ev_valid_i,
	input  wire [3:0]          ev_kind_i,
	input  wire                ev_first_i,
	input  wire                ev_lost_i,
	input  wire                ev_debug_i,
	input  wire                ev_odd_i,
	input  wire                ev_own_i,
	input  wire                ev_wide_i,
	input  wire [ACC_BITS-1:0] ev_acc_i,
	input  wire [XLEN-1:1]     ev_pc_i,
	input  wire [XLEN-1:1]     ev_next_i,
	input  wire [OWNER_BITS-1:0] ev_owner_i,
	input  wire [TIME_W-1:0]   ev_time_i,
	output wire                ev_pop_o,
	output wire                idle_o,     // nothing is being sent
	output wire                byte_valid_o,
	output wire [7:0]          byte_o,
	input  wire                byte_ready_i
);
`include "rivulet_ntrace_kinds.vh"
	localparam ICNT = 22, COUNT = 18, A = XLEN - 1;
	localparam ICNT_FULL = 20;             // this bit of I-CNT: an event adds less than the bits above can take
	// parts of a message, in their order
	localparam P_ICNT = 0, P_PATTERN = 1, P_COUNT = 2, P_OWNER = 3, P_ADDR = 4, P_HIST = 5, P_TIME = 6, PARTS = 7;
	localparam [PARTS-1:0] NO_PART = 7'd0, ICNT_PART = 7'd1, PATTERN_PART = 7'd2, COUNT_PART = 7'd4, OWNER_PART = 7'd8, ADDR_PART = 7'd16,
		HIST_PART = 7'd32, TIME_PART = 7'd64;
	localparam [5:0] OWNERSHIP = 6'd2, DIRECT = 6'd3, INDIRECT = 6'd4, ERROR = 6'd8, SYNC = 6'd9, DIRECT_SYNC = 6'd11, INDIRECT_SYNC = 6'd12,
		FULL = 6'd27, INDIRECT_HIST = 6'd28, INDIRECT_HIST_SYNC = 6'd29, REPEAT = 6'd30, STOP = 6'd33;
	localparam [HIST:0] NO_OUTCOME = 1;

	reg [ICNT-1:0] icnt_q;
	reg [HIST:0]   hist_q;                 // the stop bit and the outcomes; full: the stop bit is the top bit
	reg [A-1:0]    ref_q;                  // the address that was sent last
	reg [A-1:0]    addr_q;                 // is being sent
	reg            sent_error_q, sent_first_q, sent_odd_q, sent_own_q;     // these parts of the event are done
	wire           busy, sync_due, pending, held, one, same_hist, same_branch, hit, stack_ready;
	wire [PARTS-1:0] shift, ended;

	// ---------------------------------------------------------------- the parts of an event, in order
	wire at_error = ev_valid_i && ev_lost_i && !sent_error_q;
	wire at_first = ev_valid_i && ev_first_i && !sent_first_q && !at_error;
	wire at_odd = ev_valid_i && ev_odd_i && !sent_odd_q;                   // not together with ev_first_i
	wire at_own = WITH_OWNER && ev_valid_i && ev_own_i && !sent_own_q && !at_odd;
	wire at_main = ev_valid_i && !at_error && !at_first && !at_odd && !at_own;
	wire pops = ev_kind_i == NT_RETURN || ev_kind_i == NT_SWAP;
	wire pushes = ev_kind_i == NT_CALL || ev_kind_i == NT_JUMP_CALL || ev_kind_i == NT_SWAP;
	wire jump = ev_kind_i == NT_JUMP || ev_kind_i == NT_JUMP_CALL || (pops && !hit);
	wire outcome = history_i && (ev_kind_i == NT_TAKEN || ev_kind_i == NT_NOT_TAKEN);
	wire direct = WITH_BTM && !history_i && ev_kind_i == NT_TAKEN;
	wire trap = ev_kind_i == NT_TRAP, stop = ev_kind_i == NT_STOP;
	wire retires = at_main && !trap && !stop && ev_kind_i != NT_LOST;
	// A synchronising message on straight code; not where this outcome fills HIST.
	wire straight = sync_due && (ev_kind_i == NT_PLAIN || (outcome && !hist_q[HIST-1]));
	wire upgraded = sync_due && (jump || direct);
	wire tells = jump || direct || trap || stop || straight;

	// ---------------------------------------------------------------- what comes next
	wire count_full = icnt_q[ICNT_FULL];
	wire hist_full = hist_q[HIST];
	wire own_due;
	// First I-CNT that is full, then HIST that is full, then Ownership behind a synchronising message, then the event.
	wire at_hist = hist_full && !count_full;
	wire at_process = own_due && !count_full && !hist_full;
	wire at_event = ev_valid_i && !count_full && !hist_full && !own_due && !(RETURNS > 0 && at_main && pops && returns_i && !stack_ready);
	wire again = at_main && (jump || direct) && !sync_due && same_branch && repeat_i; // one more of the branch message before
	wire tells_now = at_event && (at_error || at_first || at_odd || (at_main && tells && !again));
	wire hold = WITH_REPEAT && at_hist && (!pending || (same_hist && repeat_i));
	wire wants = count_full || (at_hist && !hold) || at_process || tells_now;
	// What was only counted leaves before any message; I-CNT alone may pass a pattern.
	wire flush = pending && ((wants && !(held && count_full)) || (held && !repeat_i));
	wire ready = !busy && !rst_i;
	wire send = ready && (flush || wants);
	wire look = ready && !flush && at_event;                               // this part of the event is done in this cycle
	wire main_now = look && at_main;
	wire sends_event = look && tells_now;
	assign ev_pop_o = main_now;

	// ---------------------------------------------------------------- the message
	wire history = history_i && (hist_q != NO_OUTCOME || (at_main && outcome));
	wire [PARTS-1:0] hist_part = history ? HIST_PART : NO_PART;
	wire [PARTS-1:0] time_part = TIME_BITS > 0 && time_i ? TIME_PART : NO_PART;
	reg [5:0] tcode, fixed;
	reg [1:0] width;                       // of fixed, in pairs of bits
	reg [PARTS-1:0] parts;
	always @* begin
		tcode = INDIRECT;
		fixed = 6'd0;
		width = 2'd2;
		parts = ICNT_PART | ADDR_PART | hist_part | time_part;
		if (flush) begin
			tcode = held ? FULL : REPEAT;
			fixed = one ? 6'd1 : 6'd2;                                     // RCODE
			width = held ? 2'd2 : 2'd0;
			parts = (held ? PATTERN_PART : NO_PART) | (held && one ? NO_PART : COUNT_PART);
		end else if (count_full || hist_full) begin
			tcode = FULL;
			fixed = {5'd0, !count_full};
			parts = count_full ? ICNT_PART : HIST_PART;
		end else if (own_due) begin
			tcode = OWNERSHIP;
			width = 2'd0;
			parts = OWNER_PART;
		end else if (at_error) begin
			tcode = ERROR;
			parts = ICNT_PART;                                             // ECODE 0: I-CNT is 0 then
		end else if (at_first) begin
			tcode = SYNC;
			fixed = {3'd0, ev_lost_i || !ev_debug_i, ev_lost_i || ev_debug_i, 1'b1};     // 7, 3, 5
			parts = ICNT_PART | ADDR_PART | time_part;
		end else if (at_odd || trap) begin
			tcode = history ? INDIRECT_HIST : INDIRECT;
			fixed = {4'd0, 1'b1, at_odd};                                  // B-TYPE 3, 2
			width = 2'd1;
		end else if (stop) begin
			tcode = STOP;
			fixed = {1'b0, history_i, 1'b0, !ev_debug_i, 2'b00};           // CDF, EVCODE 4 or 0
			width = 2'd3;
			parts = ICNT_PART | (history_i ? HIST_PART : NO_PART) | time_part;
		end else if (sync_due) begin
			tcode = SYNC;
			if (history)
				tcode = INDIRECT_HIST_SYNC;
			else if (jump)
				tcode = INDIRECT_SYNC;
			else if (direct)
				tcode = DIRECT_SYNC;
			fixed = 6'd2;                                                  // SYNC 2, B-TYPE 0
			width = {1'b1, history || jump};
		end else begin
			tcode = direct ? DIRECT : history ? INDIRECT_HIST : INDIRECT;
			width = {1'b0, !direct};
			if (direct)
				parts = ICNT_PART | time_part;
		end
	end

	// ---------------------------------------------------------------- I-CNT, HIST, addresses
	wire [ACC_BITS-1:0] earlier = sent_odd_q ? {ACC_BITS{1'b0}} : ev_acc_i;
	wire [ACC_BITS-1:0] halves = earlier + {{ACC_BITS-2{1'b0}}, retires && ev_wide_i, retires && !ev_wide_i};
	wire [ICNT-1:0] icnt = icnt_q + {{ICNT-ACC_BITS{1'b0}}, halves};
	wire [A-1:0] place = at_main ? ev_next_i : ev_pc_i;
	wire full_address = at_first || (at_main && (straight || upgraded));
	wire addressed = sends_event && !at_error && !(at_main && (stop || (direct && !sync_due)));
	wire synchronises = sends_event && full_address;
	wire hold_now = ready && !flush && hold;
	wire [A-1:0] addr_shifted;
	always @(posedge clk_i) begin
		if (look && (at_odd || at_main))
			icnt_q <= again ? {ICNT{1'b0}} : icnt;
		if (shift[P_ICNT])
			icnt_q <= icnt_q >> 6;
		if (main_now && outcome)
			hist_q <= {hist_q[HIST-1:0], ev_kind_i == NT_TAKEN};
		if (shift[P_HIST])
			hist_q <= hist_q >> 6;
		if (ended[P_HIST] || hold_now || (main_now && again))
			hist_q <= NO_OUTCOME;
		if (addressed) begin
			addr_q <= place ^ (full_address ? {A{1'b0}} : ref_q);
			ref_q <= place;
		end
		if (shift[P_ADDR])
			addr_q <= addr_shifted;
		if (rst_i || (look && at_error)) begin
			icnt_q <= {ICNT{1'b0}};
			hist_q <= NO_OUTCOME;
		end
		if (look) begin
			sent_error_q <= 1'b1;
			sent_first_q <= sent_first_q || at_first;
			sent_odd_q <= sent_odd_q || at_odd;
			sent_own_q <= sent_own_q || at_own;
		end
		if (main_now || rst_i)
			{sent_error_q, sent_first_q, sent_odd_q, sent_own_q} <= 4'd0;
	end

	// trTeInstExtendAddrMSB: bits that are all equal up to the top one may be left out. A whole address fills its last byte with zeros.
	wire addr_last;
	wire [5:0] addr_low;
	generate if (WITH_EXTEND) begin : g_extend
		localparam [31:0] WHOLE = (A - 1) / 6;
		reg [3:0] left_q;                  // bytes behind this one
		wire fill = extend_i && addr_q[A-1];
		wire rest_0 = addr_q[A-1:6] == {A-6{1'b0}}, rest_1 = &addr_q[A-1:6];
		assign addr_shifted = {{6{fill}}, addr_q[A-1:6]};
		assign addr_last = left_q == 4'd0 || (extend_i && addr_q[5] ? rest_1 : rest_0);
		assign addr_low = left_q == 4'd0 ? {{6-(A-6*((A-1)/6)){1'b0}}, addr_q[A-6*((A-1)/6)-1:0]} : addr_q[5:0];
		always @(posedge clk_i)
			left_q <= addressed ? WHOLE[3:0] : left_q - {3'd0, shift[P_ADDR]};
	end else begin : g_no_extend
		assign addr_shifted = addr_q >> 6;
		assign addr_last = addr_q[A-1:6] == {A-6{1'b0}};
		assign addr_low = addr_q[5:0];
	end endgenerate

	// ---------------------------------------------------------------- options
	rivulet_ntrace_sync #(.HALVES_BITS(ACC_BITS)) sync (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.mode_i(sync_mode_i),
		.max_i(sync_max_i),
		.message_i(send),
		.counts_i(look && (at_odd || at_main)),
		.halves_i(halves),
		.clear_i(synchronises),
		.due_o(sync_due)
	);
	generate if (RETURNS > 0) begin : g_returns
		wire [A-1:0] link = ev_pc_i + {{A-2{1'b0}}, ev_wide_i, !ev_wide_i};
		wire stack_hit;
		rivulet_ntrace_stack #(.WIDTH(A), .DEPTH(RETURNS)) stack (
			.clk_i(clk_i),
			.clear_i(synchronises || rst_i),
			.push_i(main_now && pushes && returns_i),
			.pop_i(main_now && pops && returns_i),
			.link_i(link),
			.target_i(ev_next_i),
			.ready_o(stack_ready),
			.hit_o(stack_hit)
		);
		assign hit = returns_i && stack_hit;
	end else begin : g_no_returns
		assign hit = 1'b0;
		assign stack_ready = 1'b1;
	end endgenerate
	wire [HIST:0] pattern;
	wire [COUNT-1:0] count;
	generate if (WITH_REPEAT) begin : g_repeat
		rivulet_ntrace_repeat #(.ICNT(ICNT), .HIST(HIST), .A(A), .COUNT(COUNT)) repeated (
			.clk_i(clk_i),
			.rst_i(rst_i),
			.hist_i(hist_q),
			.icnt_i(icnt),
			.target_i(ev_next_i),
			.direct_i(direct),
			.still_i(ref_q == ev_next_i),
			.hold_i(hold_now),
			.repeat_i(main_now && again),
			.branch_i(main_now && (jump || direct) && !sync_due && !again),
			.other_i(send),
			.flush_i(send && flush),
			.pending_o(pending),
			.held_o(held),
			.one_o(one),
			.same_hist_o(same_hist),
			.same_branch_o(same_branch),
			.pattern_o(pattern),
			.count_o(count),
			.shift_pattern_i(shift[P_PATTERN]),
			.shift_count_i(shift[P_COUNT])
		);
	end else begin : g_no_repeat
		assign {pending, held, one, same_hist, same_branch} = 5'd0;
		assign pattern = {HIST+1{1'b0}};
		assign count = {COUNT{1'b0}};
	end endgenerate
	wire [OWNER_BITS+2:0] ownership;
	generate if (WITH_OWNER) begin : g_owner
		reg [OWNER_BITS-1:0] owner_q;
		reg [OWNER_BITS+2:0] process_q;    // {context, V, PRV, FORMAT}
		reg due_q, whole_q;                // Ownership is due; with the context
		wire other = owner_q[OWNER_BITS-1:2] != ev_owner_i[OWNER_BITS-1:2];
		always @(posedge clk_i) begin
			if (ready && !flush && at_process) begin
				due_q <= 1'b0;
				whole_q <= 1'b0;
				process_q <= {owner_q[OWNER_BITS-1:2] & {CONTEXT_W{whole_q}}, 1'b0, owner_q[1:0], whole_q, 1'b0};
			end
			if (look && (at_first || at_own)) begin
				owner_q <= ev_owner_i;
				due_q <= owner_i;
				whole_q <= CONTEXT_BITS > 0 && (whole_q || at_first || other);
			end
			if (synchronises) begin
				due_q <= owner_i;
				whole_q <= CONTEXT_BITS > 0;
			end
			if (shift[P_OWNER])
				process_q <= process_q >> 6;
			if (rst_i) begin
				due_q <= 1'b0;
				whole_q <= 1'b0;
			end
		end
		assign own_due = due_q;
		assign ownership = process_q;
	end else begin : g_no_owner
		assign own_due = 1'b0;
		assign ownership = {OWNER_BITS+3{1'b0}};
	end endgenerate
	wire [TIME_W-1:0] stamp;
	generate if (TIME_BITS > 0) begin : g_time
		reg [TIME_W-1:0] stamp_q, last_q;
		always @(posedge clk_i) begin
			if (sends_event && !at_error) begin
				stamp_q <= ev_time_i - (full_address ? {TIME_W{1'b0}} : last_q);
				last_q <= ev_time_i;
			end
			if (shift[P_TIME])
				stamp_q <= stamp_q >> 6;
		end
		assign stamp = stamp_q;
	end else begin : g_no_time
		assign stamp = 1'b0;
	end endgenerate

	// ---------------------------------------------------------------- to bytes
	wire [PARTS-1:0] last;
	assign last[P_ICNT] = icnt_q[ICNT-1:6] == 0;
	assign last[P_PATTERN] = pattern >> 6 == 0;
	assign last[P_COUNT] = count >> 6 == 0;
	assign last[P_OWNER] = ownership >> 6 == 0;
	assign last[P_ADDR] = addr_last;
	assign last[P_HIST] = hist_q >> 6 == 0;
	assign last[P_TIME] = stamp >> 6 == 0;
	wire [TIME_W+5:0] stamp_wide = {6'd0, stamp};
	wire [OWNER_BITS+8:0] process_wide = {6'd0, ownership};
	rivulet_ntrace_pack #(.SRC_BITS(SRC_BITS), .PARTS(PARTS)) pack (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.start_i(send),
		.tcode_i(tcode),
		.fixed_i(fixed),
		.width_i(width),
		.parts_i(parts),
		.src_i(src_i),
		.low_i({stamp_wide[5:0], hist_q[5:0], addr_low, process_wide[5:0], count[5:0], pattern[5:0], icnt_q[5:0]}),
		.last_i(last),
		.shift_o(shift),
		.end_o(ended),
		.busy_o(busy),
		.byte_valid_o(byte_valid_o),
		.byte_o(byte_o),
		.byte_ready_i(byte_ready_i)
	);
	assign idle_o = !busy && !pending && !own_due && !count_full && !hist_full;
endmodule
// verilator lint_restore
`default_nettype wire
