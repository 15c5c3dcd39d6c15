// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// One filter of trTeFilter*, with the comparator of its number: privileges, and a range of addresses from PMatch up to, not with, SMatch.
// The comparator's functions are fixed to that. Cost: about 20 LUT4 and 2 XLEN flip-flops and carries.
`default_nettype none
module rivulet_ntrace_filter #(
	parameter XLEN = 32,
	parameter [2:0] NUMBER = 0
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire            write_i,       // a register of this filter or comparator; ignored while the encoder is in use
	input  wire            filter_sel_i,  // index_i is one of the filter
	input  wire            comp_sel_i,    // of the comparator
	input  wire [2:0]      index_i,
	input  wire [31:0]     wdata_i,
	output reg  [31:0]     rdata_o,       // 0 unless selected
	input  wire [XLEN-1:0] not_pc_i,
	input  wire [1:0]      mode_i,
	output wire            match_o
);
	localparam [2:0] CONTROL = 3'd0, MATCH_INST = 3'd1, P_LOW = 3'd4, P_HIGH = 3'd5, S_LOW = 3'd6, S_HIGH = 3'd7;
	// trTeCompControl: the pc, not less than PMatch; the pc, less than SMatch; both
	localparam [31:0] BETWEEN = {14'd0, 2'd1, 1'b0, 3'd2, 4'd0, 1'b0, 3'd5, 4'd0};
	reg        enable_q, match_privilege_q, match_comp_q;
	reg  [7:0] privileges_q;
	wire [XLEN-1:0] from, to;
	wire       from_above, to_above;
	wire       bound_write = write_i && comp_sel_i;
	rivulet_trace_bound #(.XLEN(XLEN)) primary (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(bound_write && index_i == P_LOW),
		.write_hi_i(bound_write && index_i == P_HIGH),
		.wdata_i(wdata_i),
		.not_pc_i(not_pc_i),
		.bound_o(from),
		.above_o(from_above)
	);
	rivulet_trace_bound #(.XLEN(XLEN)) secondary (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_i(bound_write && index_i == S_LOW),
		.write_hi_i(bound_write && index_i == S_HIGH),
		.wdata_i(wdata_i),
		.not_pc_i(not_pc_i),
		.bound_o(to),
		.above_o(to_above)
	);
	assign match_o = enable_q && (!match_privilege_q || privileges_q[{1'b0, mode_i}]) && (!match_comp_q || (!from_above && to_above));
	wire [63:0] from_words = {{64-XLEN{1'b0}}, from}, to_words = {{64-XLEN{1'b0}}, to};
	always @* begin
		rdata_o = 32'd0;
		if (filter_sel_i && index_i == CONTROL)
			rdata_o = {24'd0, NUMBER, match_comp_q, 2'b00, match_privilege_q, enable_q};
		if (filter_sel_i && index_i == MATCH_INST)
			rdata_o = {24'd0, privileges_q};
		if (comp_sel_i)
			case (index_i)
			CONTROL: rdata_o = BETWEEN;
			P_LOW: rdata_o = from_words[31:0];
			P_HIGH: rdata_o = from_words[63:32];
			S_LOW: rdata_o = to_words[31:0];
			S_HIGH: rdata_o = to_words[63:32];
			default: rdata_o = 32'd0;
			endcase
	end
	always @(posedge clk_i) begin
		if (write_i && filter_sel_i && index_i == CONTROL) begin
			enable_q <= wdata_i[0];
			match_privilege_q <= wdata_i[1];
			match_comp_q <= wdata_i[4];
		end
		if (write_i && filter_sel_i && index_i == MATCH_INST)
			privileges_q <= wdata_i[7:0] & 8'b0000_1011;      // U, S, M
		if (rst_i) begin
			enable_q <= 1'b0;
			match_privilege_q <= 1'b0;
			match_comp_q <= 1'b0;
			privileges_q <= 8'd0;
		end
	end
endmodule
`default_nettype wire
