// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Decodes a 32-bit instruction (rivulet_expand has widened the 16-bit ones) into the controls of stage X.
// Cost: about 120 LUT4.
`default_nettype none
module rivulet_decode #(
	parameter [0:0] WITH_M = 1
) (
	input  wire [31:0] insn_i,
	input  wire        user_i,           // runs in U mode
	input  wire        tw_i,             // mstatus.TW
	output wire        reads_rs1_o,
	output wire        reads_rs2_o,
	output wire        writes_rd_o,      // and rd is not x0
	output reg  [31:0] imm_o,            // Zicsr: CSR number in 11..0, immediate operand in 16..12
	output wire        use_imm_o,        // second operand of the ALU
	output wire        sub_o,            // the adder subtracts
	// one unit gives the result
	output wire        res_sum_o,
	output wire        res_slt_o,
	output wire        unsigned_o,       // of SLTU, BLTU, BGEU
	output wire [1:0]  logic_o,          // 0 none, 1 XOR, 2 OR, 3 AND
	output wire        res_shift_o,
	output wire        shift_left_o,
	output wire        shift_arith_o,
	output wire        res_target_o,     // AUIPC
	output wire        res_link_o,       // JAL, JALR
	output wire        csr_o,
	output wire        md_o,
	output wire [2:0]  funct3_o,
	// control transfer, memory, system
	output wire        branch_o,
	output wire        jal_o,
	output wire        jalr_o,
	output wire        load_o,
	output wire        store_o,
	output wire        mret_o,
	output wire        wfi_o,
	output wire        fencei_o,
	output wire        plain_o,          // legal, and of none of the kinds above; an illegal instruction sets none of these outputs
	output wire        ecall_o,
	output wire        ebreak_o
);
	wire [6:0] opcode = insn_i[6:0];
	wire [2:0] f3 = insn_i[14:12];
	wire [6:0] f7 = insn_i[31:25];
	wire lui    = opcode == 7'b0110111;
	wire auipc  = opcode == 7'b0010111;
	wire jal    = opcode == 7'b1101111;
	wire jalr   = opcode == 7'b1100111 && f3 == 3'b000;
	wire branch = opcode == 7'b1100011 && f3[2:1] != 2'b01;
	wire load   = opcode == 7'b0000011 && (f3[2] ? !f3[1] : f3[1:0] != 2'b11);
	wire store  = opcode == 7'b0100011 && !f3[2] && f3[1:0] != 2'b11;
	wire is_shift = f3[1:0] == 2'b01;
	wire f7_zero = f7 == 7'b0;
	wire f7_alt = f7 == 7'b0100000;
	wire op_imm = opcode == 7'b0010011 && (!is_shift || f7_zero || (f7_alt && f3[2]));
	wire op_reg = opcode == 7'b0110011 && (f7_zero || (f7_alt && (f3 == 3'b000 || f3 == 3'b101)));
	wire md     = WITH_M && opcode == 7'b0110011 && f7 == 7'b0000001;
	wire fence  = opcode == 7'b0001111 && f3[2:1] == 2'b00;
	wire system = opcode == 7'b1110011;
	wire csr    = system && f3[1:0] != 2'b00;
	wire priv   = system && f3 == 3'b000 && insn_i[19:7] == 13'b0;
	wire ecall  = priv && insn_i[31:20] == 12'h000;
	wire ebreak = priv && insn_i[31:20] == 12'h001;
	wire mret   = priv && insn_i[31:20] == 12'h302 && !user_i;
	wire wfi    = priv && insn_i[31:20] == 12'h105 && !(user_i && tw_i);
	wire alu    = op_imm || op_reg;

	assign plain_o = lui || auipc || alu || fence;
	// By the opcode alone: of an instruction that is not legal the operands do not matter.
	assign reads_rs1_o = (opcode[6:2] == 5'b00000 || opcode[6:2] == 5'b00100 || opcode[6:2] == 5'b01000 || opcode[6:2] == 5'b01100 ||
		opcode[6:2] == 5'b11000 || opcode[6:2] == 5'b11001 || (opcode[6:2] == 5'b11100 && !f3[2] && f3[1:0] != 2'b00));
	assign reads_rs2_o = (opcode[6:2] == 5'b01000 || opcode[6:2] == 5'b01100 || opcode[6:2] == 5'b11000);
	assign writes_rd_o = (lui || auipc || jal || jalr || load || alu || md || csr) && insn_i[11:7] != 5'b0;
	assign use_imm_o = !(branch || op_reg || md);
	wire alu_slt = alu && f3[2:1] == 2'b01;
	assign sub_o = branch || alu_slt || (op_reg && f7[5] && f3 == 3'b000);
	assign res_sum_o = lui || load || store || (alu && f3 == 3'b000);
	assign res_slt_o = alu_slt;
	assign unsigned_o = branch ? f3[1] : f3[0];
	assign logic_o = alu && f3 == 3'b100 ? 2'd1 : alu && f3 == 3'b110 ? 2'd2 : alu && f3 == 3'b111 ? 2'd3 : 2'd0;
	assign res_shift_o = alu && is_shift;
	assign shift_left_o = !f3[2];
	assign shift_arith_o = f7[5];
	assign res_target_o = auipc;
	assign res_link_o = jal || jalr;
	assign csr_o = csr;
	assign md_o = md;
	assign funct3_o = f3;
	assign branch_o = branch;
	assign jal_o = jal;
	assign jalr_o = jalr;
	assign load_o = load;
	assign store_o = store;
	assign mret_o = mret;
	assign wfi_o = wfi;
	assign fencei_o = fence && f3[0];
	assign ecall_o = ecall;
	assign ebreak_o = ebreak;

	// The immediate's format depends on few opcode bits once the instruction is known to be legal.
	wire [31:0] imm_i = {{20{insn_i[31]}}, insn_i[31:20]};
	wire [31:0] imm_s = {{20{insn_i[31]}}, insn_i[31:25], insn_i[11:7]};
	wire [31:0] imm_b = {{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0};
	wire [31:0] imm_u = {insn_i[31:12], 12'b0};
	wire [31:0] imm_j = {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0};
	always @*
		casez (opcode[6:2])
		5'b01000: imm_o = imm_s;
		5'b11000: imm_o = imm_b;
		5'b0?101: imm_o = imm_u;
		5'b11011: imm_o = imm_j;
		5'b00011: imm_o = 32'd4;             // FENCE.I goes on behind itself
		5'b11100: imm_o = {15'b0, insn_i[19:15], insn_i[31:20]};
		default:  imm_o = imm_i;
		endcase
endmodule
`default_nettype wire
