// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The class of a retired instruction as N-Trace has it (its table of itype; "link" is x1 or x5). Combinational. Cost: about 60 LUT4, the branch
// decoder of the trace unit included.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
// verilator lint_off PINCONNECTEMPTY
module rivulet_ntrace_class #(
	parameter XLEN = 32,              // 32, 64
	parameter [0:0] WITH_ZCMP = 0,    // CM.POPRET and CM.POPRETZ are returns; CM.JT and CM.JALT are told as indirect jumps
	parameter [31:0] RET_MATCH = 32'd0, // a further trap return, as of rivulet_trace
	parameter [31:0] RET_MASK = 32'd0
) (
	input  wire [31:0]     insn_i,    // as fetched; a 16-bit instruction in the low half
	input  wire [XLEN-1:0] pc_i,
	input  wire [XLEN-1:0] next_pc_i,
	output wire            wide_o,    // 32 bits
	output wire [3:0]      kind_o     // NT_PLAIN to NT_SWAP
);
`include "rivulet_ntrace_kinds.vh"
	wire br, outcome, ind, ret;
	rivulet_branch_decoder #(
		.XLEN(XLEN),
		.WITH_ZCMP(WITH_ZCMP),
		.RET_MATCH(RET_MATCH),
		.RET_MASK(RET_MASK)
	) branch_decoder (
		.insn_i(insn_i),
		.pc_i(pc_i),
		.next_pc_i(next_pc_i),
		.br_o(br),
		.outcome_o(outcome),
		.back_o(),
		.ind_o(ind),
		.ret_o(ret),
		.astray_o()
	);
	assign wide_o = insn_i[1:0] == 2'b11;
	// Bits 11..7 are rd of a wide instruction, rs1 of C.JR and C.JALR; bit 12 tells C.JALR, whose rd is x1.
	wire low_link = {insn_i[11:10], insn_i[8:7]} == 4'b0001;
	wire high_link = {insn_i[19:18], insn_i[16:15]} == 4'b0001;
	wire same = insn_i[9] == insn_i[17];       // of two links: they are the same register
	wire jal = insn_i[6:0] == 7'b1101111;
	wire c_jal = XLEN == 32 && insn_i[1:0] == 2'b01 && insn_i[15:13] == 3'b001;
	wire short_jump = insn_i[15:12] == 4'b1000 && !wide_o;
	wire short_call = insn_i[15:12] == 4'b1001 && !wide_o;
	wire pop_return = WITH_ZCMP && !wide_o && insn_i[15:13] == 3'b101 && insn_i[12];
	wire pops = wide_o ? high_link && !(low_link && same) : short_call ? low_link && insn_i[9] : (short_jump && low_link) || pop_return;
	wire pushes = wide_o ? low_link : short_call;
	reg [3:0] kind;
	always @* begin
		kind = NT_PLAIN;
		if (br)
			kind = outcome ? NT_TAKEN : NT_NOT_TAKEN;
		else if (ret)
			kind = NT_JUMP;
		else if (ind)
			kind = pops ? (pushes ? NT_SWAP : NT_RETURN) : (pushes ? NT_JUMP_CALL : NT_JUMP);
		else if ((jal && low_link) || c_jal)
			kind = NT_CALL;
	end
	assign kind_o = kind;
endmodule
// verilator lint_restore
`default_nettype wire
