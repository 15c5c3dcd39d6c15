// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What a core promises on its retire port, as rules: broken_o has a bit for each, in the cycle of the retirement that breaks it. The rules, by
// number, are those of model/retire_check.h; docs/integration.md has the symptom and the cure of each. In simulation the first time of each rule
// is printed, and with FILE every retirement, for `rivulet import`; with FORMAL each rule is an assertion. For benches: nothing in a chip needs it.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_retire_check #(
	parameter XLEN = 32,                     // 32 or 64
	parameter [0:0] WITH_ZCMP = 0,           // these three as of rivulet_trace
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0,
	parameter FILE = ""                      // simulation: where the retirements are written, one a line
) (
	input  wire             clk_i,
	input  wire             rst_i,
	// the retire port of rivulet_trace
	input  wire             retire_valid_i,
	input  wire [31:0]      retire_insn_i,
	input  wire [XLEN-1:0]  retire_pc_i,
	input  wire [XLEN-1:0]  retire_next_pc_i,
	input  wire             retire_trap_i,
	input  wire             retire_intr_i,
	input  wire [1:0]       retire_mode_i,
	output wire [8:0]       broken_o
);
	localparam FOLLOWS = 0, NEXT = 1, INTR = 2, HANDLER = 3, ECALL = 4, EVEN = 5, MODE = 6, RETURN = 7, KNOWN = 8, RULES = 9;
	wire br, outcome, back, ind, ret, astray;
	rivulet_branch_decoder #(
		.XLEN(XLEN),
		.WITH_ZCMP(WITH_ZCMP),
		.WITH_CHECK(1),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) decoder (
		.insn_i(retire_insn_i),
		.pc_i(retire_pc_i),
		.next_pc_i(retire_next_pc_i),
		.br_o(br),
		.outcome_o(outcome),
		.back_o(back),
		.ind_o(ind),
		.ret_o(ret),
		.astray_o(astray)
	);

	// the retirement before
	reg            before_q, trap_q, ret_q;
	reg [1:0]      mode_q;
	reg [XLEN-1:0] next_pc_q;
	reg [4:0]      depth_q;                  // handlers begun and not ended
	wire           returns = ret && !retire_trap_i;
	wire [4:0]     depth = depth_q + {4'd0, retire_intr_i};
	wire           deep = depth > 5'd15;
	wire           elsewhere = before_q && retire_pc_i != next_pc_q;
	wire           must_trap = retire_insn_i == 32'h0000_0073 || retire_insn_i == 32'h0010_0073 || retire_insn_i[15:0] == 16'h9002;
	wire [RULES-1:0] broken;
	assign broken[FOLLOWS] = elsewhere && !retire_intr_i;
	assign broken[NEXT] = astray && !retire_trap_i;
	assign broken[INTR] = before_q && trap_q && !retire_intr_i;
	assign broken[HANDLER] = before_q && trap_q && retire_intr_i && elsewhere;
	assign broken[ECALL] = must_trap && !retire_trap_i;
	assign broken[EVEN] = retire_pc_i[0] || retire_next_pc_i[0];
	assign broken[MODE] = retire_mode_i == 2'd2 ||
		(before_q && ((retire_mode_i > mode_q && !retire_intr_i) || (retire_mode_i < mode_q && !ret_q)));
	assign broken[RETURN] = deep;
	// Four-state simulation: no X where something retires, or says whether it does.
	wire [35+2*XLEN:0] shown = {retire_insn_i, retire_trap_i, retire_intr_i, retire_mode_i, retire_pc_i, retire_next_pc_i};
	assign broken[KNOWN] = ^{retire_valid_i, {36+2*XLEN{retire_valid_i}} & shown} === 1'bx;
	assign broken_o = rst_i ? {RULES{1'b0}} : {broken[KNOWN], {KNOWN{retire_valid_i}} & broken[KNOWN-1:0]};
	always @(posedge clk_i) begin
		if (retire_valid_i) begin
			before_q <= 1'b1;
			trap_q <= retire_trap_i;
			ret_q <= returns;
			mode_q <= retire_mode_i;
			next_pc_q <= retire_next_pc_i;
			depth_q <= deep ? 5'd0 : returns && depth != 5'd0 ? depth - 5'd1 : depth;
		end
		if (rst_i)
			{before_q, trap_q, ret_q, mode_q, depth_q} <= 10'd0;
	end

`ifdef FORMAL
	genvar i;
	generate for (i = 0; i < KNOWN; i = i + 1) begin : g_rule
		always @* assert (!broken_o[i]);
	end endgenerate
`else
`ifndef SYNTHESIS
	reg [RULES-1:0] told_q = {RULES{1'b0}};
	integer file = 0, cycle = 0, rule;
	initial if (FILE != "") begin
		file = $fopen(FILE, "w");
		$fdisplay(file, "cycle trap intr mode insn pc next_pc");
	end
	always @(posedge clk_i) begin
		cycle <= cycle + 1;
		for (rule = 0; rule < RULES; rule = rule + 1)
			if (broken_o[rule] === 1'b1 && !told_q[rule]) begin
				told_q[rule] <= 1'b1;
				$display("rivulet_retire_check: rule %0d is broken in cycle %0d: insn %h at %h, next %h, trap %b, intr %b, mode %0d; pc expected %h",
					rule, cycle, retire_insn_i, retire_pc_i, retire_next_pc_i, retire_trap_i, retire_intr_i, retire_mode_i, next_pc_q);
			end
		if (file != 0 && retire_valid_i === 1'b1 && !rst_i)
			$fdisplay(file, "%0d %b %b %0d %h %h %h", cycle, retire_trap_i, retire_intr_i, retire_mode_i, retire_insn_i, retire_pc_i,
				retire_next_pc_i);
	end
`endif
`endif
endmodule
// verilator lint_restore
`default_nettype wire
