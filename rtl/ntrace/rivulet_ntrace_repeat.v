// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What is only counted so far: full histories that are equal (ResourceFull with HREPEAT), or branch messages that are equal (RepeatBranch). One
// counter serves both, since either ends the other. Two branch messages are equal with the same I-CNT, history and target, and a difference of
// addresses that is 0 in both: then a decoder that applies the difference again is right too. Cost: about 150 LUT4.
`default_nettype none
module rivulet_ntrace_repeat #(
	parameter ICNT = 22,
	parameter HIST = 31,
	parameter A = 31,                      // bits of an address without its lowest one
	parameter COUNT = 18
) (
	input  wire            clk_i,
	input  wire            rst_i,
	input  wire [HIST:0]   hist_i,
	input  wire [ICNT-1:0] icnt_i,         // what the branch message would carry
	input  wire [A-1:0]    target_i,
	input  wire            direct_i,       // a DirectBranch
	input  wire            still_i,        // the address sent last is the target too
	input  wire            hold_i,         // hist_i is full and becomes the pattern, or one more of it
	input  wire            repeat_i,       // one more of the branch message before
	input  wire            branch_i,       // a branch message begins: it can be repeated
	input  wire            other_i,        // another message begins
	input  wire            flush_i,        // what was counted is being sent
	output wire            pending_o,      // something was counted
	output wire            held_o,         // it is a pattern
	output wire            one_o,          // once
	output wire            same_hist_o,    // hist_i is the pattern, and there is room for one more
	output wire            same_branch_o,  // the same of the branch message
	// parts of messages
	output wire [HIST:0]   pattern_o,
	output wire [COUNT-1:0] count_o,
	input  wire            shift_pattern_i,
	input  wire            shift_count_i
);
	reg [HIST:0]    pattern_q, last_hist_q;
	reg [COUNT-1:0] count_q;
	reg [ICNT-1:0]  last_icnt_q;
	reg [A-1:0]     last_target_q;
	reg             pending_q, held_q, one_q, last_q, last_direct_q, last_still_q;
	wire            most = &count_q;
	assign pending_o = pending_q;
	assign held_o = held_q;
	assign one_o = one_q;
	assign pattern_o = pattern_q;
	assign count_o = count_q;
	assign same_hist_o = held_q && !most && hist_i == pattern_q;
	assign same_branch_o = last_q && !(pending_q && most) && last_icnt_q == icnt_i && last_hist_q == hist_i && last_target_q == target_i &&
		last_direct_q == direct_i && (direct_i || (last_still_q && still_i));
	always @(posedge clk_i) begin
		if (hold_i || repeat_i) begin
			count_q <= pending_q ? count_q + {{COUNT-1{1'b0}}, 1'b1} : {{COUNT-1{1'b0}}, 1'b1};
			pending_q <= 1'b1;
			one_q <= !pending_q;
			held_q <= hold_i;
		end
		if (hold_i)
			pattern_q <= hist_i;
		if (shift_pattern_i)
			pattern_q <= pattern_q >> 6;
		if (shift_count_i)
			count_q <= count_q >> 6;
		if (branch_i) begin
			last_hist_q <= hist_i;
			last_icnt_q <= icnt_i;
			last_target_q <= target_i;
			last_direct_q <= direct_i;
			last_still_q <= still_i;
		end
		if (flush_i) begin
			pending_q <= 1'b0;
			held_q <= 1'b0;
		end
		if (branch_i)
			last_q <= 1'b1;
		else if (hold_i || other_i || flush_i)
			last_q <= 1'b0;
		if (rst_i) begin
			pending_q <= 1'b0;
			held_q <= 1'b0;
			last_q <= 1'b0;
		end
	end
endmodule
`default_nettype wire
