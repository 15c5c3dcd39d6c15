// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Branch instruction decoder (FIG. 6, 530): which retired instructions change the flow of control, and where they went
// (docs/trace-unit.md section 3). Combinational. Cost: about 45 LUT4.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_branch_decoder #(
	parameter XLEN = 32,              // 32 or 64: C.JAL exists for 32 only
	parameter [0:0] WITH_ZCMP = 0,    // CM.POPRET, CM.POPRETZ, CM.JT, CM.JALT are indirect jumps: about 3 LUT4
	parameter [0:0] WITH_CHECK = 0,   // astray_o: an adder and two comparisons
	parameter [31:0] RET_MATCH = 32'd0, // a further trap return: (insn & RET_MASK) == RET_MATCH. Requires: no bit that RET_MASK lacks
	parameter [31:0] RET_MASK = 32'd0 // 0: there is none
) (
	input  wire [31:0]     insn_i,    // as fetched; a 16-bit instruction in the low half
	input  wire [XLEN-1:0] pc_i,
	input  wire [XLEN-1:0] next_pc_i,
	output wire            br_o,      // conditional direct branch
	output wire            outcome_o, // it was taken; has a meaning only with br_o
	output wire            back_o,    // a direct transfer whose target is not above pc
	output wire            ind_o,     // indirect jump
	output wire            ret_o,     // trap return
	output wire            astray_o   // next_pc is not one that the instruction can have (WITH_CHECK)
);
	wire wide = insn_i[1:0] == 2'b11;
	wire transfer = insn_i[6:5] == 2'b11 && wide;
	wire quadrant1 = insn_i[1:0] == 2'b01;
	wire system = transfer && insn_i[4:2] == 3'b100;
	wire jal = transfer && insn_i[4:2] == 3'b011;
	// C.J 101, and C.JAL 001 where it exists
	wire c_jump = quadrant1 && insn_i[14:13] == 2'b01 && (XLEN == 32 || insn_i[15]);
	wire c_jr = insn_i[1:0] == 2'b10 && insn_i[15:13] == 3'b100 && insn_i[6:2] == 5'd0 && insn_i[11:7] != 5'd0;
	wire zcmp = WITH_ZCMP && insn_i[1:0] == 2'b10 && (insn_i[15:10] == 6'b101000 || (insn_i[15:10] == 6'b101111 && !insn_i[8]));
	wire custom = RET_MASK != 32'd0 && (insn_i & RET_MASK) == RET_MATCH;       // nothing else then
	wire jmp = (jal || c_jump) && !custom;
	assign br_o = !custom && ((transfer && insn_i[4:2] == 3'b000) || (quadrant1 && insn_i[15:14] == 2'b11));
	assign ind_o = !custom && ((transfer && insn_i[4:2] == 3'b001) || c_jr || zcmp);
	// MRET 30200073, SRET 10200073
	assign ret_o = custom || (system && insn_i[31:30] == 2'b00 && insn_i[28:7] == {9'b1_0000_0010, 13'b0});

	// A branch reaches no further than 4 KiB, so bits 12..1 tell whether next_pc is behind it. No adder: where the sum is next_pc, the
	// carry into bit i is pc ^ next_pc there, and the carry out of it is pc & ~next_pc, from bit 3 on, where nothing is added.
	wire [12:1] p = pc_i[12:1], n = next_pc_i[12:1];
	wire [12:3] breaks = p[12:3] ^ n[12:3] ^ (p[11:2] & ~n[11:2]);
	wire [10:0] broken = {1'b0, breaks} + 11'h3FF;   // carries out of the top if there is any
	wire        above = !broken[10];
	wire        near_behind = (above && n[1] == (p[1] ^ !wide) && n[2] == (p[2] ^ (wide || p[1])));

	generate if (WITH_CHECK) begin : g_check
		wire [XLEN-1:0] length = {{XLEN-3{1'b0}}, wide, !wide, 1'b0};
		wire [20:0] offset = wide ? (jal ? {insn_i[31], insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0} :
			{{9{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0}) :
			c_jump ? {{10{insn_i[12]}}, insn_i[8], insn_i[10:9], insn_i[6], insn_i[7], insn_i[2], insn_i[11], insn_i[5:3], 1'b0} :
			{{13{insn_i[12]}}, insn_i[6:5], insn_i[2], insn_i[11:10], insn_i[4:3], 1'b0};
		wire [XLEN-1:0] behind = pc_i + length, target = pc_i + {{XLEN-21{offset[20]}}, offset};
		wire        goes_on = next_pc_i == behind, goes_there = next_pc_i == target;
		assign outcome_o = !goes_on;                                            // also of a branch that is astray
		assign astray_o = !ind_o && !ret_o && !(goes_on && !jmp) && !(goes_there && (jmp || br_o));
	end else begin : g_no_check
		assign outcome_o = !near_behind;
		assign astray_o = 1'b0;
	end endgenerate

	// next_pc <= pc without a comparator: the sign of the offset says it, unless the transfer wraps around the end of the address space;
	// no offset reaches half of it. Offset 0 is no negative one: bits 12..1 are the same (bits 2 and 1, then no carry goes up), and of JAL, which
	// reaches further, the offset has no bits above them.
	wire negative = wide ? insn_i[31] : insn_i[12];
	wire far = jal && insn_i[19:13] != 7'd0;
	wire self = above && p[2:1] == n[2:1] && !far;
	wire from_top = pc_i[XLEN-1], to_top = next_pc_i[XLEN-1];
	assign back_o = (jmp || (br_o && outcome_o)) && (negative ? from_top || !to_top : self || (from_top && !to_top));
	// Such an instruction does not exist. Elaboration stops here, and not in rivulet_trace_legal, for rivulet_retire_check too.
	generate if ((RET_MATCH & ~RET_MASK) != 32'd0) begin : g_ret
		rivulet_trace_RET_MATCH_has_bits_outside_RET_MASK wrong ();
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
