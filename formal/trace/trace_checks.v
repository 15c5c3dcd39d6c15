// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The trace unit with anything on its ports, beside a reference that is written from docs/trace-unit.md sections 2 to 8 once
// more, and one property at a time, chosen by CHECK. The unit is judged by its ports alone: what it pushes, what a read of a
// register gives, its interrupt. From registers without a value, reset in the first cycle.
`default_nettype none
module trace_checks #(
	parameter CHECK = 0,
	parameter XLEN = 32,
	parameter HIST = 8,
	parameter FIFO_DEPTH = 0,
	parameter RANGES = 0,
	parameter [0:0] REASON = 0,
	parameter [0:0] SAMPLE = 0,
	parameter [0:0] MODE = 0,
	parameter [0:0] FREEZE = 0,
	parameter [0:0] LOST = 0,
	parameter [0:0] HEAL = 0,                // Requires: FREEZE
	parameter [0:0] NEXT = 0,
	parameter [0:0] TERM = 0,
	parameter [0:0] RANGE_START = 0,         // Requires: RANGES
	parameter [0:0] ZCMP = 0,
	parameter [0:0] RET = 0,                 // a further trap return, that of an opcode for custom instructions
	parameter [0:0] CYCLES = 0,
	parameter [0:0] INSNS = 0,
	parameter [0:0] CONTEXT = 0,
	parameter [0:0] LIFO = 0,                // the buffer is one, from the first record on
	parameter [0:0] RECORDER = 0,            // resets come at any time, the first one is that of power
	parameter [0:0] RING = 0,                // Requires: RECORDER; the buffer is a ring, nothing freezes it, and there is one reset
	parameter [0:0] BREAKS = 0               // the port need not keep its promise, and the unit has WITH_CHECK
) (
	input wire        clk_i,
	input wire        valid,
	input wire        trap,
	input wire        intr,
	input wire [1:0]  mode,
	input wire        stop,
	input wire        warm,
	input wire [31:0] insn,
	input wire [XLEN-1:0] pc,
	input wire [XLEN-1:0] next_pc,
	input wire        write,
	input wire [5:0]  index,
	input wire [31:0] wdata
);
`include "rivulet_regs.vh"
	localparam [31:0] RET_MATCH = RET ? 32'h0400_000B : 32'd0, RET_MASK = RET ? 32'hFE00_007F : 32'd0;
	localparam HISTORY = 0, PUSH = 1, PAIR = 2, QUIET = 3, ORDER = 4, FULL = 5, COUNT = 6, LOSSES = 7, PERIOD = 8, SCOPE = 9, IRQ = 10,
		LOSSLESS = 11, FROZEN = 12, WHY = 13, LAST = 14, GAP = 15, HEALED = 16, NEXT_PC = 17, KEPT = 18, OPTIONS = 19;
	localparam DEPTH = 6'd12, RECORDER_REG = 6'd61;
	localparam CUR_CYCLES = RV_REG_CUR_CYCLES, CUR_INFO = RV_REG_CUR_INFO;
	localparam CTRL = 6'd2, STATUS = 6'd3, CUR_START = 6'd4, CUR_HIST = 6'd6, REC_HIST = 6'd18, POP = 6'd22, COUNTED = 6'd23, LOST_REG = 6'd25, PERIOD_REG = 6'd26,
		COUNTER = 6'd27, LO = 6'd32, LO_HI = 6'd33, HI = 6'd34, HI_HI = 6'd35;

	reg first = 1'b1;
	always @(posedge clk_i)
		first <= 1'b0;
	wire rst = first || (RECORDER && !RING && warm);
	always @* if (RING) assume (!write || index != RECORDER_REG);
	always @* if (LIFO) assume (!write || index != CTRL || wdata[RV_CTRL_LIFO_LSB]);
	always @* if (RING) assume (!write || index != CTRL || wdata[RV_CTRL_RING_LSB]);

	wire [31:0] rdata;
	wire        irq, rec_valid;
	wire [XLEN-1:0] rec_start;
	wire [HIST-1:0] rec_hist;
	wire [3:0]  rec_reason;
	wire [31:0] rec_cycles;
	wire [15:0] rec_insns;
	rivulet_trace #(
		.XLEN(XLEN),
		.HIST(HIST),
		.FIFO_DEPTH(FIFO_DEPTH),
		.RANGES(RANGES),
		.WITH_REASON(REASON),
		.WITH_SAMPLE(SAMPLE),
		.SAMPLE_BITS(8),
		.WITH_MODE(MODE),
		.WITH_FREEZE(FREEZE),
		.WITH_HEAL(HEAL),
		.WITH_NEXT_PC(NEXT),
		.WITH_TERM(TERM),
		.WITH_RANGE_START(RANGE_START),
		.WITH_ZCMP(ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK),
		.WITH_CYCLES(CYCLES),
		.CYCLE_BITS(8),
		.WITH_INSNS(INSNS),
		.INSN_BITS(8),
		.WITH_CONTEXT(CONTEXT),
		.WITH_LIFO(LIFO),
		.WITH_RECORDER(RECORDER),
		.WITH_LOST(LOST),
		.WITH_CHECK(BREAKS)
	) unit (
		.clk_i(clk_i),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(trap),
		.retire_intr_i(intr),
		.retire_mode_i(mode),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(stop),
		.freeze_i(1'b0),
		.power_on_i(first),
		.reg_write_i(write),
		.reg_index_i(index),
		.reg_wdata_i(wdata),
		.reg_rdata_o(rdata),
		.irq_o(irq),
		.tracing_o(),
		.rec_valid_o(rec_valid),
		.rec_start_o(rec_start),
		.rec_hist_o(rec_hist),
		.rec_reason_o(rec_reason),
		.rec_repeat_o(),
		.rec_cycles_o(rec_cycles),
		.rec_insns_o(rec_insns),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);

	// ---------------------------------------------------------------- stage S (sections 2, 3): words, registered once
	reg        s_valid, s_trap, s_intr, s_stop;
	reg [1:0]  s_mode;
	reg [31:0] s_insn;
	reg [XLEN-1:0] s_pc, s_next;
	initial s_valid = 1'b0;
	always @(posedge clk_i) begin
		s_valid <= valid && !rst;
		s_stop <= stop && !rst;
		{s_trap, s_intr, s_mode, s_insn, s_pc, s_next} <= {trap, intr, mode, insn, pc, next_pc};
	end
	wire is_br, is_jal, is_ind, is_ret;
	wire [XLEN-1:0] offset, behind;
	trace_insn #(
		.XLEN(XLEN),
		.ZCMP(ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) decoded (
		.insn_i(s_insn),
		.pc_i(s_pc),
		.br_o(is_br),
		.jal_o(is_jal),
		.ind_o(is_ind),
		.ret_o(is_ret),
		.offset_o(offset),
		.behind_o(behind)
	);
	// Section 3 is assumed: addresses are even, and a branch or jump goes where its offset or its length says.
	wire honest = !s_pc[0] && !s_next[0] && (s_trap || ((!is_br || s_next == behind || s_next == s_pc + offset) && (!is_jal || s_next == s_pc + offset)));
	always @* assume (!s_valid || (BREAKS ? !s_pc[0] && !s_next[0] : honest));
	wire s_br = is_br && !s_trap, s_ind = is_ind && !s_trap, s_ret = is_ret && !s_trap, s_out = s_next != behind;
	wire s_back = !s_trap && (is_jal || (is_br && s_out)) && s_next <= s_pc;

	// ---------------------------------------------------------------- control (sections 2, 4)
	reg        enable, sampling, handlers, no_backward, no_indirect, range_start;
	reg [3:0]  modes, ranges_on;
	reg [4:0]  ie;
	reg [2:0]  limit;
	reg [XLEN-1:0] lo, hi;
	wire       to_ctrl = write && index == CTRL;
	always @(posedge clk_i) begin
		if (to_ctrl) begin
			enable <= wdata[0];
			handlers <= FREEZE && wdata[3];
			sampling <= SAMPLE && wdata[5];
			{no_backward, no_indirect} <= TERM ? {wdata[RV_CTRL_NO_BACKWARD_LSB], wdata[RV_CTRL_NO_INDIRECT_LSB]} : 2'd0;
			range_start <= RANGE_START && wdata[RV_CTRL_RANGE_START_LSB];
			ie <= wdata[12:8];
			limit <= HEAL ? wdata[26:24] : 3'd0;
			modes <= MODE ? wdata[19:16] : 4'hF;
			ranges_on <= RANGES > 0 ? {3'd0, wdata[20]} : 4'd0;
		end
		// a register of two words is written a word at a time
		if (write && index == LO) lo[31:0] <= wdata;
		if (write && index == HI) hi[31:0] <= wdata;
		if (XLEN > 32 && write && index == LO_HI) lo[XLEN-1:XLEN-32] <= wdata;
		if (XLEN > 32 && write && index == HI_HI) hi[XLEN-1:XLEN-32] <= wdata;
		if (rst) begin
			{enable, sampling, handlers, ie, limit, no_backward, no_indirect, range_start} <= 14'd0;
			modes <= 4'hF;
			ranges_on <= 4'd0;
			{lo, hi} <= {2*XLEN{1'b0}};
		end
	end
	reg  [3:0]  depth;
	reg  [XLEN-1:0] resume;
	wire        freezing = FREEZE && !handlers;
	// section 11
	reg  [XLEN-1:0] expect_pc;
	reg         known, trapped_before;
	reg  [1:0]  hmode;
	wire        fits = is_jal ? s_next == s_pc + offset : s_next == behind || (is_br && s_next == s_pc + offset);
	wire        astray = BREAKS && s_valid && !s_trap && !is_ind && !is_ret && !fits;
	wire        gap = BREAKS && s_valid && known && !s_intr && (s_pc != expect_pc || trapped_before);
	wire        lower = (BREAKS || HEAL) && freezing && s_valid && depth != 4'd0 && !s_intr && s_mode < hmode;
	wire        outside_handler = (gap || lower) && depth != 4'd0 || (BREAKS || HEAL) && s_valid && s_intr && depth == 4'd15;
	// section 4: a handler that sets the address of handlers, or runs on for 8^LIMIT instructions
	wire        sets_vector = !s_trap && s_insn[6:0] == 7'h73 && (s_insn[31:20] == 12'h305 || s_insn[31:20] == 12'h105) &&
		(s_insn[13:12] == 2'd1 || (s_insn[13] && s_insn[19:15] != 5'd0));
	reg  [21:0] since;
	wire [21:0] since_reached = since >> (5'd3 * limit);
	wire        endless = limit != 3'd0 && since_reached[0] && !s_intr && !s_ret;
	wire        astray_handler = HEAL && frozen && s_valid && (sets_vector || endless);
	wire        unknown = astray_handler || (BREAKS && frozen && s_valid && !s_trap && (astray || is_ind) && s_next == resume);
	always @(posedge clk_i)
		if (rst || !frozen || (s_valid && (s_intr || s_ret)))
			since <= 22'd0;
		else if (s_valid)
			since <= since + 22'd1;
	always @(posedge clk_i) begin
		if (s_valid)
			{expect_pc, known, trapped_before} <= {s_next, 1'b1, s_trap};
		if (s_valid && s_intr && depth == 4'd0)
			hmode <= s_mode;
		if (rst)
			{known, hmode} <= 3'd0;
	end
	wire [3:0]  depth_now = !FREEZE || outside_handler ? 4'd0 : s_valid && s_intr && depth != 4'd15 ? depth + 4'd1 : depth;
	wire        frozen = freezing && depth_now != 4'd0;
	wire        leaves = frozen && s_valid && s_ret;
	always @(posedge clk_i) begin
		if (s_valid && freezing)
			depth <= unknown ? 4'd0 : depth_now - {3'd0, leaves};
		if (s_valid && !frozen)
			resume <= s_trap ? s_pc : s_next;
		if (CONTEXT && FREEZE && write && index == RV_REG_DEPTH)
			depth <= wdata[3:0];
		if (CONTEXT && FREEZE && write && index == RV_REG_RESUME)
			resume[31:0] <= wdata;
		if (rst)
			{depth, resume} <= {4+XLEN{1'b0}};
	end
	wire in_range = RANGES == 0 || !ranges_on[0] || (lo <= s_pc && s_pc < hi);
	wire inside = (in_range || range_start) && modes[s_mode];
	wire on = enable && !s_stop;
	wire take = s_valid && on && inside && !frozen && !s_trap;
	reg  outside;
	wire outside_now = s_valid && !s_trap && !frozen ? !inside : outside;
	wire counts = on && !frozen && !outside_now;

	// ---------------------------------------------------------------- the pair (sections 5, 6): outcomes, and how many
	reg        cur, ended;
	reg [3:0]  why;
	reg [XLEN-1:0] start;
	reg [6:0]  length;
	reg [HIST-2:0] outcomes;                  // the newest in bit 0
	reg        skip;
	reg [7:0]  cycles, insns;
	// WITH_CONTEXT: what is written to CUR_HIST, as outcomes and how many
	wire       to_hist = CONTEXT && write && index == CUR_HIST;
	reg [6:0]  written_length;
	integer    bit_at;
	always @* begin
		written_length = 7'd0;
		for (bit_at = 0; bit_at < HIST; bit_at = bit_at + 1)
			if (wdata[bit_at])
				written_length = bit_at;
	end
	wire trapped = s_valid && (freezing ? s_intr && depth == 4'd15 : s_trap || s_intr);
	wire disc = !on || gap || lower || trapped || (s_valid && !s_trap && !frozen && !inside);
	wire [3:0] disc_why = !on ? RV_REASON_OFF : gap || (lower && BREAKS) ? RV_REASON_GAP : lower ? RV_REASON_TRAP : trapped ? RV_REASON_TRAP : RV_REASON_LEFT;
	wire latch = cur && (ended || disc);
	wire fresh = latch || !cur;
	wire [6:0] length_d = (fresh ? 7'd0 : length) + {6'd0, s_br};
	wire elsewhere = (leaves && depth_now == 4'd1 && s_next != resume) || unknown;
	always @(posedge clk_i) begin
		if (take) begin
			cur <= 1'b1;
			if (fresh)
				start <= s_pc;
			length <= length_d;
			if (s_br)
				outcomes <= {fresh ? {HIST-2{1'b0}} : outcomes[HIST-3:0], s_out};
			else if (fresh)
				outcomes <= {HIST-1{1'b0}};
			ended <= astray || (s_back && !no_backward) || (s_ind && !no_indirect) || s_ret || (s_br && length_d == HIST - 1);
			why <= astray ? RV_REASON_GAP : s_back && !no_backward ? RV_REASON_BACKWARD :
				s_ind && !no_indirect ? RV_REASON_INDIRECT : s_ret ? RV_REASON_XRET : RV_REASON_FULL;
		end else if (latch)
			{cur, ended} <= 2'b00;
		else if (cur && elsewhere)
			{ended, why} <= {1'b1, RV_REASON_TRAP};
		outside <= outside_now;
		cycles <= !on || outside_now ? 8'd0 : latch ? {7'd0, counts} : cycles == 8'hFF ? 8'hFF : cycles + {7'd0, counts};
		if (take)
			insns <= fresh ? 8'd1 : insns == 8'hFF ? 8'hFF : insns + 8'd1;
		else if (latch)
			insns <= 8'd0;
		if (take && fresh)
			skip <= range_start && !in_range;
		if (CONTEXT && write && index == CUR_START)
			start[31:0] <= wdata;
		if (CONTEXT && write && index == CUR_CYCLES)
			cycles <= wdata[7:0];
		if (CONTEXT && write && index == CUR_INFO)
			{skip, insns} <= {RANGE_START && wdata[RV_CUR_INFO_SKIP_LSB], wdata[RV_CUR_INFO_INSNS_LSB +: 8]};
		if (to_hist) begin
			cur <= wdata[HIST-1:0] != {HIST{1'b0}};
			{ended, why} <= {wdata[HIST-1], RV_REASON_FULL};
			length <= written_length;
			outcomes <= wdata[HIST-2:0] & ~({HIST-1{1'b1}} << written_length);
		end
		if (rst)
			{cur, ended, skip, outside, cycles, insns, start} <= {20+XLEN{1'b0}};
	end
	wire [HIST-1:0] pair = ({{HIST-1{1'b0}}, 1'b1} << length) | {1'b0, outcomes};

	// ---------------------------------------------------------------- sampling (section 7)
	reg [7:0] period, counter;
	wire counted = latch && !skip;
	wire due = !sampling || counter <= 8'd1;
	always @(posedge clk_i) begin
		if (write && index == PERIOD_REG) period <= wdata[7:0];
		if (write && index == COUNTER) counter <= wdata[7:0];
		else if (counted && sampling) counter <= due ? period : counter - 8'd1;
		if (rst) {period, counter} <= 16'd0;
	end
	wire push = SAMPLE ? counted && due : counted;

	// A read in one cycle is answered in the next.
	reg [5:0] index_q;
	reg       asked, any_ie_q, cur_q;
	reg [HIST-1:0] pair_q;
	initial {asked, any_ie_q} = 2'b00;
	always @(posedge clk_i) begin
		index_q <= index;
		asked <= !rst;
		any_ie_q <= !rst && ie != 5'd0;
		{cur_q, pair_q} <= {cur && !rst, pair};
	end

	generate
	case (CHECK)
	HISTORY: begin : g
		// The history is the marker and the outcomes of the trace, in order, no more and no less: never 0, nothing shifted off.
		always @* if (asked && index_q == CUR_HIST) assert (rdata == (cur_q ? {{32-HIST{1'b0}}, pair_q} : 32'd0));
		always @* if (!rst && rec_valid) assert (rec_hist != {HIST{1'b0}});
	end
	PUSH: always @* if (!rst) assert (rec_valid == push);
	PAIR: always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair);
	GAP: begin : g
		// A port that says what is not so: the trace ends there. What a record says is still what was in S, each instruction the next_pc of
		// the one before, or the place where the interrupted program goes on.
		always @* if (!rst) assert (rec_valid == push);
		always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair && (!REASON || rec_reason == (ended ? why : disc_why)));
		always @* if (!rst && take && !fresh && !FREEZE) assert (s_pc == expect_pc);
	end
	HEALED: begin : g
		// A handler that does not return: DEPTH heals as section 4 says and nowhere else, and the trace ends there with TRAP.
		reg [3:0] depth_q;
		always @(posedge clk_i) depth_q <= rst ? 4'd0 : depth;
		always @* if (asked && index_q == DEPTH) assert (rdata == {28'd0, depth_q});
		always @* if (!rst) assert (rec_valid == push);
		always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair && (!REASON || rec_reason == (ended ? why : disc_why)));
		// No handler is left out for ever: behind 8^LIMIT instructions and one more DEPTH is 0, unless one began or returned.
		reg [21:0] frozen_for;
		always @(posedge clk_i)
			if (rst || !frozen || limit != 3'd1 || (s_valid && (s_intr || s_ret)))
				frozen_for <= 22'd0;
			else if (s_valid)
				frozen_for <= frozen_for + 22'd1;
		always @* if (!rst && limit == 3'd1) assert (frozen_for <= 22'd9);
	end
	NEXT_PC: begin : g
		// FIRST LOAD at the terminating event: from SECOND LOAD on the pair reads NEXT PC and the marker, until an instruction is taken, which is the
		// start whatever NEXT PC was, or a discontinuity comes. Records are those of a unit without the option.
		reg            waits, own, waits_q, is_q;
		reg [XLEN-1:0] target, start_q;
		initial is_q = 1'b0;
		always @(posedge clk_i) begin
			own <= !rst && take && !astray;
			if (take)
				target <= s_next;
			waits <= !rst && !take && !disc && (waits || (cur && ended && own));
			{waits_q, is_q} <= {waits && !rst, !rst};
			start_q <= cur ? start : target;
		end
		always @* if (asked && is_q && index_q == CUR_HIST) assert (rdata == (cur_q ? {{32-HIST{1'b0}}, pair_q} : {31'd0, waits_q}));
		always @* if (asked && is_q && index_q == CUR_START && (cur_q || waits_q)) assert (rdata == start_q[31:0]);
		always @* if (!rst) assert (rec_valid == push);
		always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair);
	end
	OPTIONS: begin : g
		// All that a record says, with options that change where a trace ends, begins or counts, and with a pair that software writes.
		always @* if (!rst) assert (rec_valid == push);
		always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair && (!REASON || rec_reason == (ended ? why : disc_why)));
		always @* if (!rst && rec_valid) assert ((!CYCLES || rec_cycles == {24'd0, cycles}) && (!INSNS || rec_insns == {8'd0, insns}));
	end
	WHY: always @* if (!rst && rec_valid) assert (rec_reason == (ended ? why : disc_why));
	QUIET: always @* if (!rst && !cur) assert (!rec_valid);
	FULL: begin : g
		// A history with its marker on top is handed over in the next cycle, before another outcome could push it out.
		always @* if (!rst && cur) assert (length < HIST);
		always @* if (!rst && cur && length == HIST - 1) assert (ended && rec_valid);
	end
	SCOPE: begin : g
		// Out of scope, trapped, or switched off, an instruction adds nothing: the history read is that of the cycle before.
		reg [HIST-1:0] before;
		reg        same;
		initial same = 1'b0;
		always @(posedge clk_i) begin
			before <= pair;
			same <= !rst && cur && !take && !latch;
		end
		// the read after the cycle in question: index_q asks one cycle later
		reg same_q;
		reg [HIST-1:0] before_q;
		initial same_q = 1'b0;
		always @(posedge clk_i) {same_q, before_q} <= {same && !rst, before};
		always @* if (same_q && asked && index_q == CUR_HIST) assert (rdata[HIST-1:0] == before_q);
		// and a trace never begins outside
		reg outside_q;
		initial outside_q = 1'b0;
		always @(posedge clk_i) outside_q <= !rst && fresh && !take;
		reg outside_qq;
		initial outside_qq = 1'b0;
		always @(posedge clk_i) outside_qq <= outside_q && !rst;
		always @* if (outside_qq && asked && index_q == CUR_HIST) assert (rdata == 32'd0);
	end
	FROZEN: always @* if (!rst && frozen && on && !ended && depth != 4'd15) assert (!rec_valid);
	LOSSLESS: begin : g
		// PAIR says that a record's history is the marker and the outcomes of its trace. Here: no two sequences of outcomes, of whatever
		// lengths, share a history. Two paths from one start that differ part at a conditional branch, so their outcomes differ there.
		(* anyconst *) reg [6:0] length1, length2;
		(* anyconst *) reg [HIST-2:0] outcomes1, outcomes2;
		wire [HIST-2:0] all1 = ~({HIST-1{1'b1}} << length1), all2 = ~({HIST-1{1'b1}} << length2);
		wire [HIST-1:0] one = {{HIST-1{1'b0}}, 1'b1};
		wire [HIST-1:0] first = (one << length1) | {1'b0, outcomes1 & all1}, second = (one << length2) | {1'b0, outcomes2 & all2};
		always @* if (length1 < HIST && length2 < HIST && first == second) assert (length1 == length2 && (outcomes1 & all1) == (outcomes2 & all2));
		// the reference's outcomes are within their length, and the unit's pair is the reference's
		always @* if (!rst && cur) assert ((outcomes & ({HIST-1{1'b1}} << length)) == {HIST-1{1'b0}});
		always @* if (!rst && rec_valid) assert (rec_start == start && rec_hist == pair);
	end
	ORDER, COUNT, LOSSES, LAST: begin : g
		// The buffer (section 8). One pushed record, any, is followed through it: `ahead` records leave before it does.
		localparam CAPACITY = FIFO_DEPTH == 0 ? 1 : RING ? FIFO_DEPTH - 1 : FIFO_DEPTH;
		localparam [0:0] REPLACES = FIFO_DEPTH == 0 || RING || LIFO;
		(* anyseq *) reg follow;
		reg [4:0]  ahead;
		reg [10:0] held;
		reg        readable;
		reg [HIST-1:0] data;
		reg        have;
		reg [31:0] lost;
		initial have = 1'b0;
		wire pop = write && index == POP && (FIFO_DEPTH == 0 ? held != 11'd0 : readable);
		// a full FIFO refuses the new record; the single LAST pair, or the oldest of a ring, gives way to it
		wire room = held != CAPACITY || pop;
		wire accept = push && (room || REPLACES);
		wire loses = push && !room;
		wire drop = pop || (REPLACES && loses);
		wire leaving = have && (LIFO ? (ahead == 5'd0 && pop) || (loses && {6'd0, ahead} == held - 11'd1) : ahead == 5'd0 && drop);
		always @(posedge clk_i) begin
			held <= held + {10'd0, accept} - {10'd0, drop};
			readable <= held - {10'd0, pop} != 11'd0 && !(LIFO && push);
			if (accept && follow && (!have || leaving)) begin
				{have, data} <= {1'b1, pair};
				ahead <= LIFO ? 5'd0 : held[4:0] - {4'd0, drop};
			end else if (leaving)
				have <= 1'b0;
			else if (LIFO)
				ahead <= ahead + {4'd0, accept} - {4'd0, pop};
			else if (drop)
				ahead <= ahead - 5'd1;
			if (write && index == LOST_REG) lost <= wdata;
			else if (loses && lost != 32'hFFFF_FFFF) lost <= lost + 32'd1;
			if (rst)
				{ahead, held, readable, have, lost} <= 50'd0;
		end
		reg        head;
		reg [HIST-1:0] data_q;
		reg [10:0] held_q;
		reg [31:0] lost_q;
		always @(posedge clk_i) begin
			head <= !rst && have && ahead == 5'd0 && (FIFO_DEPTH == 0 || readable);
			data_q <= data;
			held_q <= rst ? 11'd0 : held;
			lost_q <= rst ? 32'd0 : lost;
		end
		if (CHECK == ORDER) begin : g_order
			always @* if (asked && head && index_q == REC_HIST) assert (rdata[HIST-1:0] == data_q);
		end
		if (CHECK == COUNT) begin : g_count
			always @* if (asked && index_q == COUNTED) assert (rdata == {21'd0, held_q});
			always @* if (!rst) assert (held <= CAPACITY);
		end
		if (CHECK == LOSSES) begin : g_lost
			always @* if (asked && index_q == LOST_REG) assert (rdata == lost_q);
		end
		if (CHECK == LAST) begin : g_last
			// What software reads of the last pair, or of the head, changes only after a termination or a POP.
			reg [HIST-1:0] seen;
			reg        looked;
			reg [2:0]  calm;
			initial {looked, calm} = 4'd0;
			always @(posedge clk_i) begin
				looked <= asked && index_q == REC_HIST;
				seen <= rdata[HIST-1:0];
				calm <= rst || push || (write && index == POP) ? 3'd0 : calm == 3'd7 ? 3'd7 : calm + 3'd1;
			end
			always @* if (calm > 3'd4 && looked && asked && index_q == REC_HIST) assert (rdata[HIST-1:0] == seen);
		end
	end
	KEPT: begin : g
		// A ring that software has frozen: what is read of it changes by POP alone, or by a thaw, through any reset but that of power.
		reg        frozen_ring, saw_hist, saw_count;
		reg [3:0]  calm;
		reg [HIST-1:0] seen_hist;
		reg [31:0] seen_count;
		wire       thaw = write && index == RECORDER_REG;
		always @(posedge clk_i) begin
			if (thaw && !rst)
				frozen_ring <= wdata[RV_RECORDER_FROZEN_LSB];
			calm <= !frozen_ring || thaw || (write && index == POP) ? 4'd0 : calm == 4'd15 ? 4'd15 : calm + 4'd1;
			if (calm < 4'd10)
				{saw_hist, saw_count} <= 2'b00;
			else begin
				if (asked && index_q == REC_HIST)
					{saw_hist, seen_hist} <= {1'b1, rdata[HIST-1:0]};
				if (asked && index_q == COUNTED)
					{saw_count, seen_count} <= {1'b1, rdata};
			end
			if (first)
				{frozen_ring, calm, saw_hist, saw_count} <= 7'd0;
		end
		always @* if (!first && calm >= 4'd10 && saw_hist && asked && index_q == REC_HIST) assert (rdata[HIST-1:0] == seen_hist);
		always @* if (!first && calm >= 4'd10 && saw_count && asked && index_q == COUNTED) assert (rdata == seen_count);
	end
	PERIOD: begin : g
		// The sampling counter: the record is handed over exactly when it runs out, and the interrupt follows.
		reg [7:0] counter_q;
		reg       status, p_irq;
		initial status = 1'b0;
		always @(posedge clk_i) begin
			counter_q <= rst ? 8'd0 : counter;
			if (rst) status <= 1'b0;
			else if (write && index == STATUS && wdata[3]) status <= 1'b0;
			else if (counted && sampling && counter <= 8'd1) status <= 1'b1;
			p_irq <= !rst && status && ie == 5'b01000;
		end
		reg only_q;
		initial only_q = 1'b0;
		always @(posedge clk_i) only_q <= !rst && ie == 5'b01000;
		always @* if (asked && index_q == COUNTER) assert (rdata[7:0] == counter_q);
		always @* if (!rst && sampling) assert (rec_valid == (latch && counter <= 8'd1));
		always @* if (asked && only_q) assert (irq == p_irq);
	end
	IRQ: always @* if (asked && !any_ie_q) assert (!irq);
	endcase
	endgenerate
endmodule
`default_nettype wire
