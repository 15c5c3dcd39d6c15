// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Turns a 16-bit instruction into the 32-bit one that it stands for; 32-bit instructions pass unchanged.
// Cost: about 190 LUT4; none where WITH_C is 0 at the instantiation (left out).
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_expand (
	input  wire [31:0] insn_i,    // a 16-bit instruction in the low half; the high half is then ignored
	output reg  [31:0] insn_o,
	// 16-bit instructions: the registers that insn_o reads; x0 if its first operand must be 0, anything if it reads none
	output wire [4:0]  rs1_o,
	output wire [4:0]  rs2_o,
	output reg         illegal_o  // a reserved 16-bit encoding, or one of RV64, RV128, F or D
);
	localparam [6:0] LOAD = 7'b0000011, STORE = 7'b0100011, OP_IMM = 7'b0010011, OP = 7'b0110011,
		BRANCH = 7'b1100011, JAL = 7'b1101111, JALR = 7'b1100111, LUI = 7'b0110111;

	wire [15:0] c = insn_i[15:0];
	wire [4:0] rdp = {2'b01, c[4:2]};     // the three-bit register fields name x8 to x15
	wire [4:0] rsp = {2'b01, c[9:7]};
	wire [4:0] rd = c[11:7];
	wire [4:0] rs2 = c[6:2];
	wire [11:0] imm6 = {{7{c[12]}}, c[6:2]};
	wire [11:0] lw_imm = {5'b0, c[5], c[12:10], c[6], 2'b00};
	wire [11:0] lwsp_imm = {4'b0, c[3:2], c[12], c[6:4], 2'b00};
	wire [11:0] swsp_imm = {4'b0, c[8:7], c[12:9], 2'b00};
	wire [20:0] j_imm = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3], 1'b0};
	wire [12:0] b_imm = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3], 1'b0};

	wire stack = (c[1:0] == 2'b00 && c[15:13] == 3'b000) || (c[1:0] == 2'b10 && c[14]);     // C.ADDI4SPN, C.LWSP, C.SWSP
	wire none = (c[1:0] == 2'b01 && c[15:14] == 2'b01 && !(c[13] && rd == 5'd2)) || (c[1:0] == 2'b10 && c[15] && !c[12] && rs2 != 5'd0); // C.LI, C.LUI; C.MV
	wire full = c[1:0] == 2'b10 || (c[1:0] == 2'b01 && !c[15]);                             // C.SLLI, C.ADD, C.JR; C.ADDI, C.ADDI16SP
	assign rs1_o = stack ? 5'd2 : none ? 5'd0 : full ? rd : rsp;
	assign rs2_o = c[1:0] == 2'b10 ? rs2 : c[15:14] == 2'b11 && c[0] ? 5'd0 : rdp;          // branches compare with x0

	always @* begin
		insn_o = insn_i;
		illegal_o = 1'b0;
		case ({c[1:0], c[15:13]})
		5'b00_000: begin // C.ADDI4SPN
			insn_o = {2'b0, c[10:7], c[12:11], c[5], c[6], 2'b00, 5'd2, 3'b000, rdp, OP_IMM};
			illegal_o = c[12:5] == 8'b0;
		end
		5'b00_010: insn_o = {lw_imm, rsp, 3'b010, rdp, LOAD};
		5'b00_110: insn_o = {lw_imm[11:5], rdp, rsp, 3'b010, lw_imm[4:0], STORE};
		5'b01_000: insn_o = {imm6, rd, 3'b000, rd, OP_IMM};
		5'b01_001: insn_o = {j_imm[20], j_imm[10:1], j_imm[11], j_imm[19:12], 5'd1, JAL};
		5'b01_010: insn_o = {imm6, 5'd0, 3'b000, rd, OP_IMM};
		5'b01_011: begin
			if (rd == 5'd2) // C.ADDI16SP
				insn_o = {{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'b0, 5'd2, 3'b000, 5'd2, OP_IMM};
			else
				insn_o = {{15{c[12]}}, c[6:2], rd, LUI};
			illegal_o = {c[12], c[6:2]} == 6'b0;
		end
		5'b01_100:
			case (c[11:10])
			2'b00, 2'b01: begin // C.SRLI, C.SRAI
				insn_o = {1'b0, c[10], 5'b0, rs2, rsp, 3'b101, rsp, OP_IMM};
				illegal_o = c[12];
			end
			2'b10: insn_o = {imm6, rsp, 3'b111, rsp, OP_IMM};
			default: begin
				case (c[6:5])
				2'b00: insn_o = {7'b0100000, rdp, rsp, 3'b000, rsp, OP};
				2'b01: insn_o = {7'b0, rdp, rsp, 3'b100, rsp, OP};
				2'b10: insn_o = {7'b0, rdp, rsp, 3'b110, rsp, OP};
				default: insn_o = {7'b0, rdp, rsp, 3'b111, rsp, OP};
				endcase
				illegal_o = c[12]; // C.SUBW, C.ADDW
			end
			endcase
		5'b01_101: insn_o = {j_imm[20], j_imm[10:1], j_imm[11], j_imm[19:12], 5'd0, JAL};
		5'b01_110, 5'b01_111:
			insn_o = {b_imm[12], b_imm[10:5], 5'd0, rsp, 2'b00, c[13], b_imm[4:1], b_imm[11], BRANCH};
		5'b10_000: begin // C.SLLI
			insn_o = {7'b0, rs2, rd, 3'b001, rd, OP_IMM};
			illegal_o = c[12];
		end
		5'b10_010: begin // C.LWSP
			insn_o = {lwsp_imm, 5'd2, 3'b010, rd, LOAD};
			illegal_o = rd == 5'd0;
		end
		5'b10_100:
			if (rs2 != 5'd0) // C.MV, C.ADD
				insn_o = {7'b0, rs2, c[12] ? rd : 5'd0, 3'b000, rd, OP};
			else if (rd != 5'd0) // C.JR, C.JALR
				insn_o = {12'b0, rd, 3'b000, 4'b0, c[12], JALR};
			else begin
				insn_o = 32'h00100073; // C.EBREAK
				illegal_o = !c[12];
			end
		5'b10_110: insn_o = {swsp_imm[11:5], rs2, 5'd2, 3'b010, swsp_imm[4:0], STORE};
		5'b11_000, 5'b11_001, 5'b11_010, 5'b11_011, 5'b11_100, 5'b11_101, 5'b11_110, 5'b11_111: ;
		default: illegal_o = 1'b1;
		endcase
	end
endmodule
// verilator lint_restore
`default_nettype wire
