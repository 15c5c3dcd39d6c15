// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Branch instruction decoder (FIG. 6, 530): which retired instructions change the flow of control, from the instruction word alone.
// Cost: about 20 LUT4.
`default_nettype none
module rivulet_branch_decoder #(
	parameter XLEN = 32               // 32 or 64: C.JAL exists for 32 only
) (
	input  wire [31:0] insn_i,        // as fetched; a 16-bit instruction in the low half
	output wire        wide_o,        // it has 32 bits
	output wire        br_o,          // conditional direct branch
	output wire        jmp_o,         // unconditional direct jump
	output wire        ind_o,         // indirect jump
	output wire        ret_o,         // trap return
	output wire        negative_o     // of a direct transfer: its offset is negative
);
	wire [4:0] quadrant_f3 = {insn_i[1:0], insn_i[15:13]};
	assign wide_o = insn_i[1:0] == 2'b11;
	wire system = wide_o && insn_i[6:2] == 5'b11100;
	wire c_branch = quadrant_f3[4:1] == 4'b01_11;
	wire c_j = quadrant_f3 == 5'b01_101;
	wire c_jal = XLEN == 32 && quadrant_f3 == 5'b01_001;
	wire c_jr = quadrant_f3 == 5'b10_100 && insn_i[6:2] == 5'd0 && insn_i[11:7] != 5'd0;

	assign br_o = (wide_o && insn_i[6:2] == 5'b11000) || c_branch;
	assign jmp_o = (wide_o && insn_i[6:2] == 5'b11011) || c_j || c_jal;
	assign ind_o = (wide_o && insn_i[6:2] == 5'b11001) || c_jr;
	// MRET 30200073, SRET 10200073
	assign ret_o = system && insn_i[31:30] == 2'b00 && insn_i[28:7] == {9'b1_0000_0010, 13'b0};
	assign negative_o = wide_o ? insn_i[31] : insn_i[12];
endmodule
`default_nettype wire
