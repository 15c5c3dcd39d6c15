// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense coder: stands behind the record port and makes a byte stream of all records, a sixth of a bit for an instruction and less. A dictionary
// of traces and two memories that guess the next one are kept by sender and receiver alike; what was guessed right is counted, nothing else.
// docs/trace-unit.md section 15. Cost: docs/trace-dense-cost.md.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_dense #(
	parameter XLEN = 32,                 // of the trace unit: 32, 64
	parameter HIST = 32,                 // of the trace unit: 8 to 64
	parameter ENTRIES = 256,             // of the dictionary: a power of two from 32 to 1024
	parameter PLACES = 1024,             // a power of two from 32 to 4096
	parameter REPEAT_BITS = 8,           // of the trace unit, 1 without repeat: 1 to 16
	parameter INSN_BITS = 16,            // of the trace unit: 1 to 16; without WITH_INSNS 1
	parameter QUEUE = 256,               // records: a power of two from 4 to 1024
	parameter BUFFER = 512,              // bytes: a power of two from 16 to 4096
	parameter CHECK_BITS = 10,           // a frame has at most 2^CHECK_BITS traces: 3 to 12
	parameter START_BITS = 16            // a receiver can begin every 2^START_BITS traces, at the next frame: CHECK_BITS to 31
) (
	input  wire             clk_i,
	input  wire             rst_i,
	// the record port of the trace unit. CTRL.TABLE is 0
	input  wire             rec_valid_i,
	input  wire [XLEN-1:0]  rec_start_i,
	input  wire [HIST-1:0]  rec_hist_i,
	input  wire [3:0]       rec_reason_i,
	input  wire [31:0]      rec_repeat_i,
	input  wire [15:0]      rec_insns_i,
	input  wire             flush_i,     // level: a frame ends when nothing waits, though it is not full
	input  wire             begin_i,     // pulse: the present frame ends, and the next one is a start: a receiver has come
	output wire             byte_valid_o,    // a byte, until it is taken
	output wire [7:0]       byte_o,
	input  wire             byte_ready_i,
	output wire             busy_o       // level: not everything that came in has left
);
	localparam INDEX_W = $clog2(ENTRIES), PLACE_AT_W = $clog2(PLACES), WALK_W = INDEX_W > PLACE_AT_W ? INDEX_W : PLACE_AT_W;
	localparam SET_W = INDEX_W - 1, HIGH_W = INDEX_W - 4;
	localparam HASH_SHIFT = 3;
	// A trace: where it begins, without bit 0, its history, its reason. An entry of the dictionary is one; no history: it is empty.
	localparam TRACE_W = XLEN - 1 + HIST + 4, HEAD_W = TRACE_W + INSN_BITS + REPEAT_BITS;
	localparam VALUE_W = XLEN - 1 > HIST ? (XLEN - 1 > 32 ? XLEN - 1 : 32) : (HIST > 32 ? HIST : 32);
	localparam RUN_W = CHECK_BITS + 1;
	localparam [REPEAT_BITS-1:0] ONE = 1;
	localparam [3:0] BACKWARD = 4'd1, INDIRECT = 4'd2, TRAP = 4'd4, LEFT = 4'd6;
	localparam [4:0] CLEAR = 5'd0, FETCH = 5'd1, AIM = 5'd2, READY = 5'd3, SEARCH = 5'd4, WAY0 = 5'd5, WAY1 = 5'd6, FIRST = 5'd7, RUN = 5'd8,
		EVENT = 5'd9, LOW = 5'd10, HIGH = 5'd11, REASON = 5'd12, ADDRESS = 5'd13, HISTORY = 5'd14, INSNS = 5'd15, UPDATE = 5'd16, PAD = 5'd17,
		CHECK = 5'd18, FLAG = 5'd19, OPEN = 5'd20, HEAD = 5'd21, SHAPE = 5'd22, NUMBER = 5'd23, LOST = 5'd24;
	localparam [2:0] SECOND = 3'd0, FOLLOWER = 3'd1, HIT = 3'd2, MISS = 3'd3, FRAME_END = 3'd4;
	localparam [3:0] VERSION = 4'd1;
	localparam HIST_LESS_1 = HIST - 1;
	localparam [15:0] SHAPE_FIELD = {1'b0, XLEN == 64, HIST_LESS_1[5:0], PLACE_AT_W[3:0], INDEX_W[3:0]};

	// ---------------------------------------------------------------- the queue
	wire         queue_full, drained, head_valid, pop;
	wire [HEAD_W-1:0] head;
	wire         fits = rec_repeat_i >> REPEAT_BITS == 32'd0;
	reg          losing_q;               // from a loss on nothing is taken until it was told
	reg  [31:0]  lost_q;
	wire         accept = rec_valid_i && fits && !queue_full && !losing_q;
	wire         loses = rec_valid_i && !accept;
	rivulet_trace_queue #(.WIDTH(HEAD_W), .DEPTH(QUEUE)) queue (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.push_i(accept),
		.data_i({rec_repeat_i[REPEAT_BITS-1:0], rec_insns_i[INSN_BITS-1:0], rec_reason_i, rec_hist_i, rec_start_i[XLEN-1:1]}),
		.full_o(queue_full),
		.empty_o(drained),
		.valid_o(head_valid),
		.data_o(head),
		.pop_i(pop)
	);
	wire [TRACE_W-1:0] trace = head[TRACE_W-1:0];
	wire [XLEN-1:1]    start = head[XLEN-2:0];
	wire [HIST-1:0]    hist = head[XLEN-1 +: HIST];
	wire [3:0]         reason = head[XLEN-1+HIST +: 4];
	wire [INSN_BITS-1:0] insns = head[TRACE_W +: INSN_BITS];
	wire [REPEAT_BITS-1:0] repeats = head[TRACE_W+INSN_BITS +: REPEAT_BITS];
	wire               is_cut = reason == TRAP || reason >= LEFT;       // its length is not known from the program: it is never entered

	// ---------------------------------------------------------------- dictionary, places, followers
	reg  [4:0]   state_q, state_d;
	reg  [WALK_W-1:0] walk_q;
	reg  [PLACE_AT_W-1:0] hash_q;
	reg  [INDEX_W-1:0] last_q, index_q;
	reg  [2:0]   event_q;
	reg          victim_q, match0_q;
	reg  [XLEN-1:1] previous_q;

	// As rivulet_trace_table has it, without a context
	function [SET_W-1:0] set_of(input [XLEN-1:1] from, input [HIST-1:0] outcomes);
		integer i;
		begin
			set_of = {SET_W{1'b0}};
			for (i = 1; i < XLEN; i = i + 1)
				set_of[(i-1) % SET_W] = set_of[(i-1) % SET_W] ^ from[i];
			for (i = 0; i < HIST; i = i + 1) begin
				set_of[SET_W - 1 - i % SET_W] = set_of[SET_W - 1 - i % SET_W] ^ outcomes[i];
				set_of[(SET_W + 1 - i % SET_W) % SET_W] = set_of[(SET_W + 1 - i % SET_W) % SET_W] ^ outcomes[i];
			end
		end
	endfunction
	wire [SET_W-1:0] set = set_of(start, hist);

	// A read may give anything in the cycle in which the same row is written: none is used then.
	(* no_rw_check *) reg [TRACE_W-1:0] entries [0:ENTRIES-1];
	(* no_rw_check *) reg [2*INDEX_W:0] places [0:PLACES-1];
	(* no_rw_check *) reg [INDEX_W-1:0] followers [0:ENTRIES-1];
	reg  [TRACE_W-1:0] entry_q;
	reg  [2*INDEX_W:0] place_q;
	reg  [INDEX_W-1:0] follower_q;
	wire         clearing = state_q == CLEAR;
	wire         sure = place_q[2*INDEX_W];
	wire [INDEX_W-1:0] second = place_q[INDEX_W +: INDEX_W], first = place_q[INDEX_W-1:0];
	wire [INDEX_W-1:0] entry_at = state_q == SEARCH ? {set, 1'b0} : state_q == WAY0 ? {set, 1'b1} : first;
	wire         same = entry_q == trace;

	wire         goes_right;             // a right guess is taken in this cycle
	wire         updates = state_q == UPDATE;
	wire         enters = updates && event_q == MISS && !is_cut;
	wire         moves = updates && !(event_q == MISS && is_cut);
	wire [INDEX_W-1:0] number = updates ? index_q : first;        // of the entry that came
	wire [2*INDEX_W:0] place_new = !updates ? {1'b1, second, first} : sure ? {1'b0, index_q, first} : {1'b0, first, index_q};
	wire [PLACE_AT_W+INDEX_W-1:0] hash_shifted = {{INDEX_W{1'b0}}, hash_q} << HASH_SHIFT;
	wire [PLACE_AT_W+INDEX_W-1:0] hash_wide = hash_shifted ^ {{PLACE_AT_W{1'b0}}, number};
	wire [PLACE_AT_W-1:0] hash_new = hash_wide[PLACE_AT_W-1:0];
	wire         place_write = clearing || moves || (goes_right && !sure);
	wire         follower_write = clearing || moves || (goes_right && follower_q != first);
	wire         steady = sure && follower_q == first && hash_new == hash_q && first == last_q;
	wire [INDEX_W-1:0] walk_entry = walk_q[INDEX_W-1:0];
	always @(posedge clk_i) begin
		if (clearing || enters)
			entries[clearing ? walk_entry : index_q] <= clearing ? {TRACE_W{1'b0}} : trace;
		entry_q <= entries[entry_at];
		if (place_write)
			places[clearing ? walk_q[PLACE_AT_W-1:0] : hash_q] <= clearing ? {2*INDEX_W+1{1'b0}} : place_new;
		place_q <= places[hash_q];
		if (follower_write)
			followers[clearing ? walk_entry : last_q] <= clearing ? {INDEX_W{1'b0}} : number;
		follower_q <= followers[last_q];
	end

`ifdef FORMAL
	wire [TRACE_W*ENTRIES-1:0] entry_rows;       // for formal/dense
	wire [INDEX_W*ENTRIES-1:0] follower_rows;
	wire [(2*INDEX_W+1)*PLACES-1:0] place_rows;
	genvar row;
	generate for (row = 0; row < ENTRIES; row = row + 1) begin : g_entry_row
		assign entry_rows[TRACE_W*row +: TRACE_W] = entries[row];
		assign follower_rows[INDEX_W*row +: INDEX_W] = followers[row];
	end for (row = 0; row < PLACES; row = row + 1) begin : g_place_row
		assign place_rows[(2*INDEX_W+1)*row +: 2*INDEX_W+1] = places[row];
	end endgenerate
`endif

	// ---------------------------------------------------------------- when a frame ends, and the next one begins
	reg          open_q, fresh_q;        // a frame is open; all is clear, so that the next one is a start
	reg          restart_q, tells_q;     // begin_i came; the head says what was lost
	reg          parity_q, epoch_q;      // of number_q, when the frame and the start began
	reg  [31:0]  number_q;               // traces that are coded, or told to be lost
	reg  [REPEAT_BITS-1:0] done_q;       // of the record at the head
	reg  [RUN_W-1:0] run_q;
	reg  [VALUE_W-1:0] value_q, value_d;
	reg  [2:0]   nibble_q;
	wire         loss = losing_q && drained;
	wire         frame_full = number_q[CHECK_BITS] != parity_q;
	wire         due = number_q[START_BITS] != epoch_q;
	wire         closes = open_q && (frame_full || (drained && flush_i) || loss || restart_q);
	wire         clears = !open_q && restart_q && !fresh_q;
	wire         opens = !open_q && (head_valid || loss);
	wire         takes = state_q == READY && !closes && !clears && !opens && head_valid;
	assign goes_right = takes && same;
	wire         coded = goes_right || updates;
	wire         last_repeat = done_q + ONE == repeats;
	assign pop = coded && last_repeat;
	localparam [WALK_W-1:0] WALK_LAST = {WALK_W{1'b1}};

	// ---------------------------------------------------------------- what a state writes
	wire         pack_ready, pack_empty;
	reg          put_bits;
	reg  [5:0]   put_value;
	reg  [2:0]   put_size;
	wire         more_value = value_q[VALUE_W-1:4] != {VALUE_W-4{1'b0}}, more_run = run_q[RUN_W-1:2] != {RUN_W-2{1'b0}};
	wire [INDEX_W+5:0] index_wide = {6'd0, index_q};
	wire [5:0]   index_high = index_wide[9:4];
	always @* begin
		put_bits = 1'b1;
		put_value = 6'd0;
		put_size = 3'd4;
		case (state_q)
		FIRST: {put_value, put_size} = {5'd0, run_q != {RUN_W{1'b0}}, 3'd1};
		RUN: {put_value, put_size} = {3'd0, more_run, run_q[1:0], 3'd3};
		EVENT: case (event_q)
			SECOND: {put_value, put_size} = {6'b0000, 3'd1};
			FOLLOWER: {put_value, put_size} = {6'b0001, 3'd2};
			HIT: {put_value, put_size} = {6'b0011, 3'd3};
			MISS: {put_value, put_size} = {6'b0111, 3'd4};
			default: {put_value, put_size} = {6'b1111, 3'd4};
			endcase
		LOW: put_value = {2'b00, index_q[3:0]};
		HIGH: {put_value, put_size} = {index_high, HIGH_W[2:0]};
		REASON: {put_value, put_size} = reason == BACKWARD ? {6'd0, 3'd1} : reason == INDIRECT ? {6'd1, 3'd2} : {reason, 2'b11, 3'd6};
		ADDRESS, HISTORY, INSNS: {put_value, put_size} = {1'b0, more_value, value_q[3:0], 3'd5};
		HEAD: put_value = {2'b00, nibble_q[0] ? {2'b00, tells_q, fresh_q} : VERSION};
		SHAPE, NUMBER, LOST: put_value = {2'b00, value_q[3:0]};
		default: put_bits = 1'b0;
		endcase
	end
	wire         puts = put_bits || state_q == PAD || state_q == CHECK || state_q == FLAG || state_q == OPEN;
	rivulet_trace_dense_pack #(.BUFFER(BUFFER)) pack (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.bits_i(put_bits),
		.pad_i(state_q == PAD),
		.check_i(state_q == CHECK),
		.flag_i(state_q == FLAG || state_q == OPEN),
		.first_i(state_q == OPEN),
		.value_i(put_value),
		.size_i(put_size),
		.ready_o(pack_ready),
		.empty_o(pack_empty),
		.byte_valid_o(byte_valid_o),
		.byte_o(byte_o),
		.byte_ready_i(byte_ready_i)
	);
	assign busy_o = clearing || open_q || losing_q || !drained || !pack_empty || state_q == LOST;

	// ---------------------------------------------------------------- the next state
	wire         written = puts && pack_ready;
	wire         ends_shape = nibble_q[1:0] == 2'd3, ends_field = nibble_q == 3'd7;
	wire         after_head = written && state_q == HEAD && nibble_q[0];
	wire         after_number = written && state_q == NUMBER && ends_field;
	wire         tells_now = tells_q && ((after_head && !fresh_q) || after_number);      // lost_q is being loaded
	wire         opened = (after_head && !fresh_q && !tells_q) || (after_number && !tells_q) || (written && state_q == LOST && ends_field);
	function [VALUE_W-1:0] wide32(input [31:0] value);
		begin
			wide32 = {VALUE_W{1'b0}};
			wide32[31:0] = value;
		end
	endfunction
	wire [VALUE_W-1:0] start_wide, hist_wide, insns_wide;
	generate if (VALUE_W > XLEN - 1) begin : g_wide_start
		assign start_wide = {{VALUE_W-XLEN+1{1'b0}}, start ^ previous_q};
	end else begin : g_start
		assign start_wide = start ^ previous_q;
	end if (VALUE_W > HIST) begin : g_wide_hist
		assign hist_wide = {{VALUE_W-HIST{1'b0}}, hist};
	end else begin : g_hist
		assign hist_wide = hist;
	end endgenerate
	assign insns_wide = {{VALUE_W-INSN_BITS{1'b0}}, insns};
	always @* begin
		state_d = state_q;
		value_d = value_q;
		if (written || !puts)
			case (state_q)
			CLEAR: if (walk_q == WALK_LAST) state_d = FETCH;
			FETCH: state_d = AIM;
			AIM: state_d = READY;
			READY: if (closes) state_d = FIRST;
				else if (clears) state_d = CLEAR;
				else if (opens) state_d = fresh_q ? OPEN : HEAD;
				else if (head_valid && !same) state_d = SEARCH;
				else if (head_valid && !steady) state_d = FETCH;
			SEARCH: state_d = WAY0;
			WAY0: state_d = WAY1;
			WAY1: state_d = FIRST;
			FIRST: state_d = run_q != {RUN_W{1'b0}} ? RUN : EVENT;
			RUN: if (!more_run) state_d = EVENT;
			EVENT: case (event_q)
				HIT: state_d = LOW;
				MISS: state_d = REASON;
				FRAME_END: state_d = PAD;
				default: state_d = UPDATE;
				endcase
			LOW: state_d = HIGH;
			HIGH: state_d = UPDATE;
			REASON: {state_d, value_d} = {ADDRESS, start_wide};
			ADDRESS: {state_d, value_d} = more_value ? {ADDRESS, value_q >> 4} : {HISTORY, hist_wide};
			HISTORY: {state_d, value_d} = more_value ? {HISTORY, value_q >> 4} : {is_cut ? INSNS : UPDATE, insns_wide};
			INSNS: {state_d, value_d} = {more_value ? INSNS : UPDATE, value_q >> 4};
			UPDATE: state_d = FETCH;
			PAD: state_d = CHECK;
			CHECK: if (ends_shape) state_d = FLAG;
			FLAG: state_d = due || restart_q ? CLEAR : READY;
			OPEN: state_d = HEAD;
			HEAD: if (nibble_q[0])
				{state_d, value_d} = fresh_q ? {SHAPE, wide32({16'd0, SHAPE_FIELD})} : {tells_q ? LOST : READY, wide32(lost_q)};
			SHAPE: {state_d, value_d} = ends_shape ? {NUMBER, wide32(number_q)} : {SHAPE, value_q >> 4};
			NUMBER: {state_d, value_d} = ends_field ? {tells_q ? LOST : READY, wide32(lost_q)} : {NUMBER, value_q >> 4};
			LOST: {state_d, value_d} = {ends_field ? READY : LOST, value_q >> 4};
			default: state_d = CLEAR;
			endcase
	end

	// ---------------------------------------------------------------- registers
	wire         hit1 = same;
	wire         misses = !match0_q && !hit1;
	wire [INDEX_W-1:0] found = {set, match0_q ? 1'b0 : hit1 || victim_q};
	wire         nibbles = state_q == HEAD || state_q == SHAPE || state_q == NUMBER || state_q == LOST || state_q == CHECK;
	wire         ends_start = opened && fresh_q;
	wire         cleared = clearing && walk_q == WALK_LAST;
	always @(posedge clk_i) begin
		state_q <= state_d;
		value_q <= value_d;
		if (clearing)
			walk_q <= walk_q + {{WALK_W-1{1'b0}}, 1'b1};
		if (state_q == WAY0)
			match0_q <= same;
		if (state_q == WAY1) begin
			index_q <= found;
			event_q <= misses ? MISS : found == second ? SECOND : found == follower_q ? FOLLOWER : HIT;
		end
		if (state_q == READY && closes)
			event_q <= FRAME_END;
		if (goes_right || moves) begin
			hash_q <= hash_new;
			last_q <= number;
		end
		if (enters) begin
			previous_q <= start;
			victim_q <= !victim_q;
		end
		if (goes_right)
			run_q <= run_q + {{RUN_W-1{1'b0}}, 1'b1};
		else if (written && state_q == FIRST)
			run_q <= run_q - {{RUN_W-1{1'b0}}, run_q != {RUN_W{1'b0}}};
		else if (written && state_q == RUN)
			run_q <= run_q >> 2;
		if (coded || tells_now)
			number_q <= number_q + (tells_now ? lost_q : 32'd1);
		if (coded) begin
			done_q <= last_repeat ? {REPEAT_BITS{1'b0}} : done_q + ONE;
		end
		// the head of a frame
		if (written)
			nibble_q <= state_d == state_q && nibbles ? nibble_q + 3'd1 : 3'd0;
		if (state_q == READY && opens && !clears)
			tells_q <= loss;
		if (opened) begin
			open_q <= 1'b1;
			parity_q <= number_q[CHECK_BITS];
			if (fresh_q)
				epoch_q <= number_q[START_BITS];
		end
		if (written && state_q == FLAG)
			open_q <= 1'b0;
		fresh_q <= cleared || (fresh_q && !ends_start);
		restart_q <= begin_i || (restart_q && !cleared && !ends_start);
		// losses: what is lost while one is told is another one
		losing_q <= loses || (losing_q && !tells_now);
		if (loses || tells_now)
			lost_q <= (tells_now ? 32'd0 : lost_q) + (loses ? rec_repeat_i : 32'd0);
		if (cleared || rst_i) begin
			hash_q <= {PLACE_AT_W{1'b0}};
			last_q <= {INDEX_W{1'b0}};
			previous_q <= {XLEN-1{1'b0}};
			victim_q <= 1'b0;
		end
		if (rst_i) begin
			state_q <= CLEAR;
			walk_q <= {WALK_W{1'b0}};
			run_q <= {RUN_W{1'b0}};
			number_q <= 32'd0;
			lost_q <= 32'd0;
			done_q <= {REPEAT_BITS{1'b0}};
			nibble_q <= 3'd0;
			{open_q, fresh_q, restart_q, losing_q} <= 4'b0000;
		end
	end

	// ---------------------------------------------------------------- parameters that are not legal stop elaboration here
	rivulet_trace_dense_legal #(
		.XLEN(XLEN),
		.HIST(HIST),
		.ENTRIES(ENTRIES),
		.PLACES(PLACES),
		.REPEAT_BITS(REPEAT_BITS),
		.INSN_BITS(INSN_BITS),
		.QUEUE(QUEUE),
		.BUFFER(BUFFER),
		.CHECK_BITS(CHECK_BITS),
		.START_BITS(START_BITS)
	) legal ();
endmodule
// verilator lint_restore
`default_nettype wire
