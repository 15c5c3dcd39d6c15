// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The trace unit: remembers each path as a start address and one bit per conditional branch. docs/trace-unit.md is its manual;
// docs/trace-unit-cost.md says what each parameter costs. With the defaults below it is exactly FIG. 5 and FIG. 6 of TSH.
`default_nettype none
module rivulet_trace #(
	parameter XLEN = 32,                     // 32, 64
	parameter HIST = 8,                      // 8 to 64
	parameter FIFO_DEPTH = 0,                // 0, or a power of two from 2 to 1024
	parameter RANGES = 0,                    // 0 to 4
	parameter [0:0] WITH_REASON = 0,
	parameter [0:0] WITH_CYCLES = 0,
	parameter CYCLE_BITS = 16,               // 8 to 32
	parameter [0:0] WITH_INSNS = 0,
	parameter INSN_BITS = 16,                // 8 to 16
	parameter [0:0] WITH_REPEAT = 0,         // Requires: WITH_REASON
	parameter REPEAT_BITS = 8,               // 2 to 8
	parameter [0:0] WITH_SAMPLE = 0,
	parameter SAMPLE_BITS = 24,              // 8 to 32
	parameter [0:0] WITH_DITHER = 0,         // Requires: WITH_SAMPLE
	parameter [0:0] WITH_MODE = 0,
	parameter [0:0] WITH_FREEZE = 0,
	parameter [0:0] WITH_LOST = 0,
	parameter [0:0] WITH_LIFO = 0,           // Requires: FIFO_DEPTH > 0
	parameter [0:0] WITH_CONTEXT = 0,
	parameter [0:0] WITH_TERM = 0
) (
	input  wire             clk_i,
	input  wire             rst_i,           // synchronous
	// Retire port, RVFI meanings, at most one retirement a cycle. Registered here before anything else.
	input  wire             retire_valid_i,
	input  wire [31:0]      retire_insn_i,
	input  wire [XLEN-1:0]  retire_pc_i,
	input  wire [XLEN-1:0]  retire_next_pc_i,
	input  wire             retire_trap_i,
	input  wire             retire_intr_i,
	input  wire [1:0]       retire_mode_i,
	// Register bus: reg_rdata_o in a cycle is the register of reg_index_i in the cycle before; a write takes effect at the end of its cycle
	input  wire             reg_write_i,
	input  wire [5:0]       reg_index_i,
	input  wire [31:0]      reg_wdata_i,
	output reg  [31:0]      reg_rdata_o,
	output reg              irq_o,           // level
	// Record port: every pushed record, in the cycle of its push
	output wire             rec_valid_o,
	output wire [XLEN-1:0]  rec_start_o,
	output wire [HIST-1:0]  rec_hist_o,
	output wire [2:0]       rec_reason_o,
	output wire [7:0]       rec_repeat_o,
	output wire [31:0]      rec_cycles_o,
	output wire [15:0]      rec_insns_o
);
`include "rivulet_regs.vh"

	// ---------------------------------------------------------------- stage S
	reg            s_valid_q, s_trap_q, s_intr_q;
	reg [1:0]      s_mode_q;
	reg [31:0]     s_insn_q;
	reg [XLEN-1:0] s_pc_q, s_next_pc_q;
	always @(posedge clk_i) begin
		s_valid_q <= retire_valid_i && !rst_i;
		s_trap_q <= retire_trap_i;
		s_intr_q <= retire_intr_i;
		s_mode_q <= retire_mode_i;
		s_insn_q <= retire_insn_i;
		s_pc_q <= retire_pc_i;
		s_next_pc_q <= retire_next_pc_i;
	end

	wire s_wide, s_br, s_jmp, s_ind, s_ret, s_negative;
	rivulet_branch_decoder #(.XLEN(XLEN)) decoder (.insn_i(s_insn_q), .wide_o(s_wide), .br_o(s_br), .jmp_o(s_jmp), .ind_o(s_ind),
		.ret_o(s_ret), .negative_o(s_negative));

	// ---------------------------------------------------------------- control registers
	reg        enable_q, no_backward_q, no_indirect_q, handlers_q, repeat_q, sample_q, lifo_q, status_sample_q;
	reg [4:0]  ie_q;
	reg [3:0]  modes_q, range_en_q;
	reg [10:0] watermark_q;
	wire       write_ctrl = reg_write_i && reg_index_i == RV_REG_CTRL;
	localparam [3:0] RANGE_MASK = RANGES >= 4 ? 4'hF : (4'h1 << RANGES) - 4'h1;
	wire [31:0] lost;
	wire        sample_now, readable, full;
	wire [10:0] count;
	wire [4:0]  status = {lost != 32'd0, status_sample_q, full, watermark_q != 11'd0 && count >= watermark_q, readable};
	always @(posedge clk_i) begin
		if (write_ctrl) begin
			enable_q <= reg_wdata_i[RV_CTRL_ENABLE_LSB];
			no_backward_q <= WITH_TERM && reg_wdata_i[RV_CTRL_NO_BACKWARD_LSB];
			no_indirect_q <= WITH_TERM && reg_wdata_i[RV_CTRL_NO_INDIRECT_LSB];
			handlers_q <= WITH_FREEZE && reg_wdata_i[RV_CTRL_HANDLERS_LSB];
			repeat_q <= WITH_REPEAT && reg_wdata_i[RV_CTRL_REPEAT_LSB];
			sample_q <= WITH_SAMPLE && reg_wdata_i[RV_CTRL_SAMPLE_LSB];
			lifo_q <= WITH_LIFO && FIFO_DEPTH > 0 && reg_wdata_i[RV_CTRL_LIFO_LSB];
			ie_q <= reg_wdata_i[RV_CTRL_IE_LSB +: RV_CTRL_IE_W];
			modes_q <= WITH_MODE ? reg_wdata_i[RV_CTRL_MODES_LSB +: RV_CTRL_MODES_W] : 4'hF;
			range_en_q <= RANGE_MASK & reg_wdata_i[RV_CTRL_RANGE_EN_LSB +: RV_CTRL_RANGE_EN_W];
		end
		if (FIFO_DEPTH > 0 && reg_write_i && reg_index_i == RV_REG_WATERMARK)
			watermark_q <= reg_wdata_i[10:0];
		if (reg_write_i && reg_index_i == RV_REG_STATUS && reg_wdata_i[RV_STATUS_SAMPLE_LSB])
			status_sample_q <= 1'b0;
		else if (sample_now)
			status_sample_q <= 1'b1;
		irq_o <= !rst_i && (status & ie_q) != 5'd0;
		if (rst_i) begin
			{enable_q, no_backward_q, no_indirect_q, handlers_q, repeat_q, sample_q, lifo_q, status_sample_q} <= 8'd0;
			ie_q <= 5'd0;
			modes_q <= 4'hF;
			range_en_q <= 4'h0;
			watermark_q <= 11'd0;
		end
	end

	localparam RANGE_W = RANGES > 0 ? RANGES * XLEN : 1;
	wire [RANGE_W-1:0] range_lo, range_hi;
	wire [511:0] range_rdata;              // 16 words
	genvar r;
	generate
	if (RANGES == 0) begin : g_no_range
		assign range_lo = 1'b0;
		assign range_hi = 1'b0;
	end
	for (r = 0; r < 4; r = r + 1) begin : g_range
		if (r < RANGES) begin : g_on
			// Words in the order of the register table: LO, LO_HI, HI, HI_HI.
			reg [63:0] lo_q, hi_q;
			wire [5:0] first = RV_REG_RANGE0_LO + 4 * r;
			always @(posedge clk_i) begin
				if (reg_write_i && reg_index_i == first)
					lo_q[31:0] <= reg_wdata_i;
				if (XLEN == 64 && reg_write_i && reg_index_i == first + 6'd1)
					lo_q[63:32] <= reg_wdata_i;
				if (reg_write_i && reg_index_i == first + 6'd2)
					hi_q[31:0] <= reg_wdata_i;
				if (XLEN == 64 && reg_write_i && reg_index_i == first + 6'd3)
					hi_q[63:32] <= reg_wdata_i;
				if (rst_i) begin
					lo_q <= 64'd0;
					hi_q <= 64'd0;
				end
			end
			assign range_lo[XLEN*r +: XLEN] = lo_q[XLEN-1:0];
			assign range_hi[XLEN*r +: XLEN] = hi_q[XLEN-1:0];
			assign range_rdata[128*r +: 32] = lo_q[31:0];
			assign range_rdata[128*r+32 +: 32] = lo_q[63:32];
			assign range_rdata[128*r+64 +: 32] = hi_q[31:0];
			assign range_rdata[128*r+96 +: 32] = hi_q[63:32];
		end else begin : g_off
			assign range_rdata[128*r +: 32] = 32'd0;
			assign range_rdata[128*r+32 +: 32] = 32'd0;
			assign range_rdata[128*r+64 +: 32] = 32'd0;
			assign range_rdata[128*r+96 +: 32] = 32'd0;
		end
	end endgenerate

	// ---------------------------------------------------------------- scope and current pair
	wire take, trap_disc, left, elsewhere, counting, idle, outside;
	wire [XLEN-1:0] resume;
	wire [3:0] depth;
	rivulet_trace_scope #(.XLEN(XLEN), .RANGES(RANGES), .WITH_MODE(WITH_MODE), .WITH_FREEZE(WITH_FREEZE)) scope (
		.clk_i(clk_i), .rst_i(rst_i), .s_valid_i(s_valid_q), .s_trap_i(s_trap_q), .s_intr_i(s_intr_q), .s_mode_i(s_mode_q),
		.s_pc_i(s_pc_q), .s_next_pc_i(s_next_pc_q), .s_ret_i(s_valid_q && !s_trap_q && s_ret), .enable_i(enable_q), .handlers_i(handlers_q),
		.modes_i(modes_q), .range_en_i(range_en_q), .range_lo_i(range_lo), .range_hi_i(range_hi),
		.resume_write_i(WITH_CONTEXT && reg_write_i && reg_index_i == RV_REG_RESUME),
		.resume_hi_write_i(WITH_CONTEXT && XLEN == 64 && reg_write_i && reg_index_i == RV_REG_RESUME_HI),
		.depth_write_i(WITH_CONTEXT && reg_write_i && reg_index_i == RV_REG_DEPTH), .wdata_i(reg_wdata_i),
		.resume_o(resume), .depth_o(depth), .outside_o(outside), .take_o(take), .trap_disc_o(trap_disc), .left_o(left), .elsewhere_o(elsewhere),
		.counting_o(counting), .idle_o(idle));

	wire                  cur_valid, cur_end, latch;
	wire [2:0]            cur_end_reason, latch_reason;
	wire [XLEN-1:0]       cur_start;
	wire [HIST-1:0]       cur_hist;
	wire [CYCLE_BITS-1:0] cur_cycles;
	wire [INSN_BITS-1:0]  cur_insns;
	rivulet_trace_pair #(.XLEN(XLEN), .HIST(HIST), .WITH_REASON(WITH_REASON), .WITH_CYCLES(WITH_CYCLES), .CYCLE_BITS(CYCLE_BITS),
		.WITH_INSNS(WITH_INSNS), .INSN_BITS(INSN_BITS), .WITH_CONTEXT(WITH_CONTEXT), .WITH_TERM(WITH_TERM)) pair (
		.clk_i(clk_i), .rst_i(rst_i), .s_pc_i(s_pc_q), .s_next_pc_i(s_next_pc_q), .s_wide_i(s_wide), .s_br_i(s_br), .s_jmp_i(s_jmp),
		.s_ind_i(s_ind), .s_ret_i(s_ret), .s_negative_i(s_negative), .take_i(take), .trap_disc_i(trap_disc), .left_i(left),
		.elsewhere_i(elsewhere), .counting_i(counting), .idle_i(idle), .enable_i(enable_q), .no_backward_i(no_backward_q),
		.no_indirect_i(no_indirect_q),
		.start_write_i(reg_write_i && reg_index_i == RV_REG_CUR_START), .start_hi_write_i(reg_write_i && reg_index_i == RV_REG_CUR_START_HI),
		.hist_write_i(reg_write_i && reg_index_i == RV_REG_CUR_HIST), .hist_hi_write_i(reg_write_i && reg_index_i == RV_REG_CUR_HIST_HI),
		.info_write_i(reg_write_i && reg_index_i == RV_REG_CUR_INFO), .cycles_write_i(reg_write_i && reg_index_i == RV_REG_CUR_CYCLES),
		.wdata_i(reg_wdata_i), .valid_o(cur_valid), .end_o(cur_end), .end_reason_o(cur_end_reason), .start_o(cur_start), .hist_o(cur_hist),
		.cycles_o(cur_cycles), .insns_o(cur_insns), .latch_o(latch), .latch_reason_o(latch_reason));

	// ---------------------------------------------------------------- which records are kept: sampling, repeat
	wire [SAMPLE_BITS-1:0] period, counter;
	wire [15:0]            dither, lfsr;
	generate if (WITH_SAMPLE) begin : g_sample
		rivulet_trace_sample #(.SAMPLE_BITS(SAMPLE_BITS), .WITH_DITHER(WITH_DITHER)) sample (
			.clk_i(clk_i), .rst_i(rst_i), .enable_i(sample_q), .latch_i(latch), .sample_o(sample_now),
			.period_write_i(reg_write_i && reg_index_i == RV_REG_PERIOD), .counter_write_i(reg_write_i && reg_index_i == RV_REG_COUNTER),
			.dither_write_i(reg_write_i && reg_index_i == RV_REG_DITHER), .lfsr_write_i(reg_write_i && reg_index_i == RV_REG_LFSR),
			.wdata_i(reg_wdata_i), .period_o(period), .counter_o(counter), .dither_o(dither), .lfsr_o(lfsr));
	end else begin : g_no_sample
		assign sample_now = 1'b0;
		assign period = {SAMPLE_BITS{1'b0}};
		assign counter = {SAMPLE_BITS{1'b0}};
		assign dither = 16'd0;
		assign lfsr = 16'd0;
	end endgenerate

	wire                   merge = repeat_q && !sample_q && !lifo_q;
	wire                   hold_push, hold_valid;
	wire [XLEN-1:0]        hold_start;
	wire [HIST-1:0]        hold_hist;
	wire [2:0]             hold_reason;
	wire [REPEAT_BITS-1:0] hold_repeat;
	wire [CYCLE_BITS-1:0]  hold_cycles;
	wire [INSN_BITS-1:0]   hold_insns;
	generate if (WITH_REPEAT) begin : g_repeat
		rivulet_trace_repeat #(.XLEN(XLEN), .HIST(HIST), .WITH_CYCLES(WITH_CYCLES), .CYCLE_BITS(CYCLE_BITS), .WITH_INSNS(WITH_INSNS),
			.INSN_BITS(INSN_BITS), .REPEAT_BITS(REPEAT_BITS)) hold (
			.clk_i(clk_i), .rst_i(rst_i), .merge_i(merge), .enable_i(enable_q), .latch_i(latch), .start_i(cur_start), .hist_i(cur_hist),
			.reason_i(latch_reason), .cycles_i(cur_cycles), .insns_i(cur_insns), .push_o(hold_push), .valid_o(hold_valid), .start_o(hold_start),
			.hist_o(hold_hist), .reason_o(hold_reason), .repeat_o(hold_repeat), .cycles_o(hold_cycles), .insns_o(hold_insns));
	end else begin : g_no_repeat
		assign hold_push = 1'b0;
		assign hold_valid = 1'b0;
		assign hold_start = {XLEN{1'b0}};
		assign hold_hist = {HIST{1'b0}};
		assign hold_reason = 3'd0;
		assign hold_repeat = {REPEAT_BITS{1'b0}};
		assign hold_cycles = {CYCLE_BITS{1'b0}};
		assign hold_insns = {INSN_BITS{1'b0}};
	end endgenerate

	wire direct = latch && !merge && (!sample_q || sample_now);
	wire stray = direct && hold_push;
	wire push = direct || hold_push;
	localparam REPEAT_W = WITH_REPEAT ? REPEAT_BITS : 1;
	localparam [REPEAT_W-1:0] ONCE = 1;
	wire [REPEAT_W-1:0]    push_repeat = WITH_REPEAT && hold_push ? hold_repeat[REPEAT_W-1:0] : ONCE;
	wire [XLEN-1:0]        push_start = hold_push ? hold_start : cur_start;
	wire [HIST-1:0]        push_hist = hold_push ? hold_hist : cur_hist;
	wire [2:0]             push_reason = hold_push ? hold_reason : latch_reason;
	wire [CYCLE_BITS-1:0]  push_cycles = hold_push ? hold_cycles : cur_cycles;
	wire [INSN_BITS-1:0]   push_insns = hold_push ? hold_insns : cur_insns;

	// ---------------------------------------------------------------- buffer
	localparam CYCLE_W = WITH_CYCLES ? CYCLE_BITS : 0, INSN_W = WITH_INSNS ? INSN_BITS : 0, REASON_W = WITH_REASON ? 3 : 0;
	// A record in the buffer, from the most significant end: start, history, reason, repeat, cycles, instructions; absent options have no bits.
	localparam WIDTH = XLEN + HIST + REASON_W + (WITH_REPEAT ? REPEAT_BITS : 0) + CYCLE_W + INSN_W;
	wire [WIDTH-1:0] push_word, head_word;
	localparam INSN_AT = 0, CYCLE_AT = INSN_W, REPEAT_AT = CYCLE_AT + CYCLE_W, REASON_AT = REPEAT_AT + (WITH_REPEAT ? REPEAT_BITS : 0),
		HIST_AT = REASON_AT + REASON_W, START_AT = HIST_AT + HIST;
	assign push_word[START_AT +: XLEN] = push_start;
	assign push_word[HIST_AT +: HIST] = push_hist;
	wire [2:0]  head_reason;
	wire [7:0]  head_repeat;
	wire [31:0] head_cycles;
	wire [15:0] head_insns;
	wire [XLEN-1:0] head_start = head_word[START_AT +: XLEN];
	wire [HIST-1:0] head_hist = head_word[HIST_AT +: HIST];
	generate
	if (WITH_REASON) begin : g_reason
		assign push_word[REASON_AT +: 3] = push_reason;
		assign head_reason = head_word[REASON_AT +: 3];
	end else begin : g_no_reason
		assign head_reason = 3'd0;
	end
	if (WITH_REPEAT) begin : g_word_repeat
		assign push_word[REPEAT_AT +: REPEAT_BITS] = push_repeat;
		assign head_repeat = {{8-REPEAT_BITS{1'b0}}, head_word[REPEAT_AT +: REPEAT_BITS]};
	end else begin : g_word_no_repeat
		assign head_repeat = 8'd1;
	end
	if (WITH_CYCLES) begin : g_word_cycles
		assign push_word[CYCLE_AT +: CYCLE_BITS] = push_cycles;
		assign head_cycles = {{32-CYCLE_BITS{1'b0}}, head_word[CYCLE_AT +: CYCLE_BITS]};
	end else begin : g_word_no_cycles
		assign head_cycles = 32'd0;
	end
	if (WITH_INSNS) begin : g_word_insns
		assign push_word[INSN_AT +: INSN_BITS] = push_insns;
		assign head_insns = {{16-INSN_BITS{1'b0}}, head_word[INSN_AT +: INSN_BITS]};
	end else begin : g_word_no_insns
		assign head_insns = 16'd0;
	end endgenerate

	wire lost_new, lost_old;
	rivulet_trace_fifo #(.DEPTH(FIFO_DEPTH), .WIDTH(WIDTH), .WITH_LIFO(WITH_LIFO)) buffer (
		.clk_i(clk_i), .rst_i(rst_i), .lifo_i(lifo_q), .push_i(push), .data_i(push_word),
		.pop_i(reg_write_i && reg_index_i == RV_REG_POP), .lost_new_o(lost_new), .lost_old_o(lost_old), .readable_o(readable),
		.head_o(head_word), .count_o(count), .full_o(full), .rd_ptr_o(), .wr_ptr_o());

	generate if (WITH_LOST) begin : g_lost
		reg [31:0] lost_q;
		wire [8:0] add = (lost_new ? {1'b0, {8-REPEAT_W{1'b0}}, push_repeat} : 9'd0) +
			(lost_old ? (FIFO_DEPTH == 0 ? {1'b0, head_repeat} : 9'd1) : 9'd0) + {8'd0, stray};
		wire [32:0] sum = {1'b0, lost_q} + {24'd0, add};
		always @(posedge clk_i)
			if (rst_i)
				lost_q <= 32'd0;
			else if (reg_write_i && reg_index_i == RV_REG_LOST)
				lost_q <= reg_wdata_i;
			else
				lost_q <= sum[31:0] | {32{sum[32]}};
		assign lost = lost_q;
	end else begin : g_no_lost
		assign lost = 32'd0;
	end endgenerate

	// ---------------------------------------------------------------- register read
	localparam [7:0]  HIST_BITS = HIST[7:0];
	localparam [15:0] DEPTH_BITS = FIFO_DEPTH[15:0];
	localparam [2:0]  RANGES_BITS = RANGES[2:0];
	localparam [0:0]  XLEN64 = XLEN == 64;
	wire [63:0] cur_hist_wide = {{64-HIST{1'b0}}, cur_hist} & {64{cur_valid}};
	wire        rec_on = readable || FIFO_DEPTH == 0;
	wire [63:0] head_hist_wide = {{64-HIST{1'b0}}, head_hist};
	wire [127:0] addresses_wide = {{64-XLEN{1'b0}}, head_start, {64-XLEN{1'b0}}, cur_start};
	wire [63:0] resume_wide = {{64-XLEN{1'b0}}, resume};
	reg [31:0] value, rec_value;
	always @* begin
		value = 32'd0;
		rec_value = 32'd0;
		case (reg_index_i)
		RV_REG_ID: value = {RV_ID_MAGIC, HIST_BITS, RV_ID_VERSION};
		RV_REG_CAPS: value = {DEPTH_BITS, RANGES_BITS, WITH_TERM, WITH_CONTEXT, WITH_LIFO, WITH_LOST, WITH_FREEZE, WITH_MODE, WITH_DITHER,
			WITH_SAMPLE, WITH_REPEAT, WITH_INSNS, WITH_CYCLES, WITH_REASON, XLEN64};
		RV_REG_CTRL: value = {8'd0, range_en_q, modes_q, 3'd0, ie_q, 1'b0, lifo_q, sample_q, repeat_q, handlers_q, no_indirect_q, no_backward_q,
			enable_q};
		RV_REG_STATUS: value = {24'd0, cur_valid, 2'd0, status};
		RV_REG_CUR_START: value = addresses_wide[31:0];
		RV_REG_CUR_START_HI: value = addresses_wide[63:32];
		RV_REG_CUR_HIST: value = cur_hist_wide[31:0];
		RV_REG_CUR_HIST_HI: value = cur_hist_wide[63:32];
		RV_REG_CUR_INFO: value = {{16-INSN_BITS{1'b0}}, cur_insns, 16'd0};
		RV_REG_CUR_CYCLES: value = {{32-CYCLE_BITS{1'b0}}, cur_cycles};
		RV_REG_RESUME: value = resume_wide[31:0];
		RV_REG_RESUME_HI: value = resume_wide[63:32];
		RV_REG_DEPTH: value = {28'd0, depth};
		RV_REG_REC_START: rec_value = addresses_wide[95:64];
		RV_REG_REC_START_HI: rec_value = addresses_wide[127:96];
		RV_REG_REC_HIST: rec_value = head_hist_wide[31:0];
		RV_REG_REC_HIST_HI: rec_value = head_hist_wide[63:32];
		RV_REG_REC_INFO: rec_value = {head_insns, head_repeat, 5'd0, head_reason};
		RV_REG_REC_CYCLES: rec_value = head_cycles;
		RV_REG_COUNT: value = {21'd0, count};
		RV_REG_WATERMARK: value = {21'd0, watermark_q};
		RV_REG_LOST: value = lost;
		RV_REG_PERIOD: value = {{32-SAMPLE_BITS{1'b0}}, period};
		RV_REG_COUNTER: value = {{32-SAMPLE_BITS{1'b0}}, counter};
		RV_REG_DITHER: value = {16'd0, dither};
		RV_REG_LFSR: value = {16'd0, lfsr};
		default:
			if (reg_index_i[5:4] == 2'b10)
				value = range_rdata[32*reg_index_i[3:0] +: 32];
		endcase
	end
	always @(posedge clk_i)
		reg_rdata_o <= value | (rec_value & {32{rec_on}});

	assign rec_valid_o = push;
	assign rec_start_o = push_start;
	assign rec_hist_o = push_hist;
	assign rec_reason_o = push_reason;
	assign rec_repeat_o = {{8-REPEAT_W{1'b0}}, push_repeat};
	assign rec_cycles_o = {{32-CYCLE_BITS{1'b0}}, push_cycles};
	assign rec_insns_o = {{16-INSN_BITS{1'b0}}, push_insns};
endmodule
`default_nettype wire
