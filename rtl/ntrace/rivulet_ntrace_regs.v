// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The registers of the encoder (trTe*, trTs*, trTeFilter*, trTeComp*). Fields that say how to encode keep their value from trTeEnable until the
// encoder is empty. While trTeActive is 0 all of them are at reset. docs/ntrace-encoder.md section 5. Cost: about 150 LUT4.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_ntrace_regs #(
	parameter XLEN = 32,
	parameter RETURNS = 0,
	parameter [0:0] WITH_BTM = 0,
	parameter [0:0] WITH_REPEAT = 0,
	parameter [0:0] WITH_EXTEND = 0,
	parameter [0:0] WITH_OWNER = 0,
	parameter [0:0] WITH_STALL = 0,
	parameter FILTERS = 0,
	parameter TIME_BITS = 0,
	parameter TIME_W = TIME_BITS > 0 ? TIME_BITS : 1,
	parameter SRC_BITS = 0
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            write_i,
	input  wire [9:0]      index_i,      // the offset in the block, in words
	input  wire [31:0]     wdata_i,
	output reg  [31:0]     rdata_o,      // what it has now
	input  wire            empty_i,      // all that was traced has left
	input  wire            lost_i,       // an event is lost, or the hart is stalled
	// the instruction in stage S
	input  wire [XLEN-1:0] s_pc_i,
	input  wire [1:0]      s_mode_i,
	output wire            s_match_o,
	output wire            active_o,
	output wire            on_o,
	output wire            history_o,
	output wire            extend_o,
	output wire            returns_o,
	output wire            repeat_o,
	output wire            owner_o,
	output wire            stall_o,
	output wire            time_on_o,
	output wire [TIME_W-1:0] time_o,
	output wire [1:0]      sync_mode_o,
	output wire [3:0]      sync_max_o,
	output wire [11:0]     src_o
);
	localparam [9:0] CONTROL = 10'h000, IMPL = 10'h001, FEATURES = 10'h002, FILTER_CHOICE = 10'h003, TIME_CONTROL = 10'h010, TIME_LOW = 10'h012,
		TIME_HIGH = 10'h013;
	localparam F = FILTERS > 0 ? FILTERS : 1;
	reg         active_q, enable_q, tracing_q, mode_q, btm_q, context_q, trouble_q, stall_q, extend_q, returns_q, compare_q, repeat_q;
	reg [1:0]   sync_mode_q;
	reg [3:0]   sync_max_q;
	reg [11:0]  src_q;
	wire        write = write_i && active_q;
	wire        still = !enable_q && empty_i;
	wire        control = write && index_i == CONTROL;
	wire        features = write && index_i == FEATURES && still;
	assign active_o = active_q;
	assign on_o = enable_q && tracing_q && mode_q;
	assign history_o = !(WITH_BTM && btm_q);
	assign extend_o = WITH_EXTEND && extend_q;
	assign returns_o = RETURNS > 0 && returns_q && compare_q;
	assign repeat_o = WITH_REPEAT && repeat_q;
	assign owner_o = WITH_OWNER && context_q;
	assign stall_o = WITH_STALL && stall_q && enable_q;
	assign sync_mode_o = sync_mode_q;
	assign sync_max_o = sync_max_q;
	assign src_o = src_q;
	wire [3:0]  src_bits = SRC_BITS[3:0];
	wire [31:0] read_control = {5'd0, 3'd1, sync_max_q, 2'd0, sync_mode_q, 2'd0, WITH_STALL && stall_q, trouble_q, 2'd0, WITH_OWNER && context_q,
		2'd0, mode_q && history_o, mode_q, mode_q && !history_o, empty_i, tracing_q, enable_q, active_q};
	wire [31:0] read_features = {src_bits, SRC_BITS > 0 ? src_q : 12'd0, 5'd0, extend_o, 1'b0, repeat_o, {2{RETURNS > 0 && compare_q}}, 2'd0,
		RETURNS > 0 && returns_q, 3'd0};
	always @(posedge clk_i) begin
		if (write_i && index_i == CONTROL)
			active_q <= wdata_i[0];
		if (lost_i)
			trouble_q <= 1'b1;
		if (control) begin
			enable_q <= wdata_i[1];
			tracing_q <= wdata_i[2];
			if (wdata_i[12] || (wdata_i[1] && !enable_q))
				trouble_q <= 1'b0;
		end
		if (control && still) begin
			mode_q <= wdata_i[6:4] != 3'd0;
			btm_q <= wdata_i[6:4] == 3'd3;
			context_q <= wdata_i[9];
			stall_q <= wdata_i[13];
			sync_mode_q <= wdata_i[17:16];
			sync_max_q <= wdata_i[23:20];
		end
		if (features) begin
			returns_q <= wdata_i[3];
			compare_q <= wdata_i[7:6] != 2'd0;
			repeat_q <= wdata_i[8];
			extend_q <= wdata_i[10];
			src_q <= wdata_i[27:16];
		end
		if (rst_i)
			active_q <= 1'b0;
		if (rst_i || !active_q) begin
			{enable_q, tracing_q, mode_q, btm_q, context_q, trouble_q, stall_q, extend_q, returns_q, compare_q, repeat_q} <= 11'd0;
			sync_mode_q <= 2'd0;
			sync_max_q <= 4'd0;
			src_q <= 12'd0;
		end
	end

	// ---------------------------------------------------------------- filters
	wire [32*F-1:0] filter_words;
	wire [F-1:0] hits;
	wire [31:0] read_choice;
	genvar i;
	generate if (FILTERS > 0) begin : g_filters
		reg [FILTERS-1:0] choice_q;
		for (i = 0; i < FILTERS; i = i + 1) begin : g_filter
			rivulet_ntrace_filter #(.XLEN(XLEN), .NUMBER(i)) filter (
				.clk_i(clk_i),
				.rst_i(rst_i || !active_q),
				.write_i(write && still),
				.filter_sel_i(index_i[9:3] == 7'h20 + i),
				.comp_sel_i(index_i[9:3] == 7'h30 + i),
				.index_i(index_i[2:0]),
				.wdata_i(wdata_i),
				.rdata_o(filter_words[32*i +: 32]),
				.not_pc_i(~s_pc_i),
				.mode_i(s_mode_i),
				.match_o(hits[i])
			);
		end
		always @(posedge clk_i) begin
			if (write && still && index_i == FILTER_CHOICE)
				choice_q <= wdata_i[FILTERS-1:0];
			if (rst_i || !active_q)
				choice_q <= {FILTERS{1'b0}};
		end
		assign read_choice = {{32-FILTERS{1'b0}}, choice_q};
		assign s_match_o = choice_q == {FILTERS{1'b0}} || (choice_q & hits) != {FILTERS{1'b0}};
	end else begin : g_no_filters
		assign hits = 1'b0;
		assign filter_words = 32'd0;
		assign read_choice = 32'd0;
		assign s_match_o = 1'b1;
	end endgenerate

	// ---------------------------------------------------------------- time
	wire [31:0] read_time_control;
	wire [63:0] time_words;
	generate if (TIME_BITS > 0) begin : g_time
		localparam [31:0] WIDTH = TIME_BITS;
		reg [TIME_BITS-1:0] time_q;
		reg ts_active_q, ts_count_q, ts_enable_q;
		wire ts_write = write && index_i == TIME_CONTROL;
		always @(posedge clk_i) begin
			if (ts_active_q && ts_count_q)
				time_q <= time_q + {{TIME_BITS-1{1'b0}}, 1'b1};
			if (ts_write) begin
				ts_active_q <= wdata_i[0];
				ts_count_q <= wdata_i[1];
				if (still)
					ts_enable_q <= wdata_i[15];
			end
			if (rst_i || !active_q)
				{ts_active_q, ts_count_q, ts_enable_q} <= 3'd0;
			if (rst_i || !active_q || !ts_active_q || (ts_write && wdata_i[2]))
				time_q <= {TIME_BITS{1'b0}};
		end
		assign time_o = time_q;
		assign time_on_o = ts_enable_q && ts_active_q;
		assign read_time_control = {2'd0, WIDTH[5:0], 8'd0, ts_enable_q, 8'd0, 3'd3, 2'd0, ts_count_q, ts_active_q};
		assign time_words = {{64-TIME_BITS{1'b0}}, time_q};
	end else begin : g_no_time
		assign time_o = 1'b0;
		assign time_on_o = 1'b0;
		assign read_time_control = 32'd0;
		assign time_words = 64'd0;
	end endgenerate

	integer f;
	reg [31:0] filter_word;
	always @* begin
		filter_word = 32'd0;
		for (f = 0; f < F; f = f + 1)
			filter_word = filter_word | filter_words[32*f +: 32];
	end
	always @* begin
		case (index_i)
		CONTROL: rdata_o = read_control;
		IMPL: rdata_o = 32'h0001_0101;               // encoder 1.0, N-Trace 1.0
		FEATURES: rdata_o = read_features;
		FILTER_CHOICE: rdata_o = read_choice;
		TIME_CONTROL: rdata_o = read_time_control;
		TIME_LOW: rdata_o = time_words[31:0];
		TIME_HIGH: rdata_o = time_words[63:32];
		default: rdata_o = filter_word;
		endcase
	end
endmodule
// verilator lint_restore
`default_nettype wire
