// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What one retired instruction of RV32IMC must do, from the architecture alone: a second reading, which shares nothing with
// rtl/core. Multiply and divide are the stand-in functions of muldiv_abstract.v; Zicsr results are judged elsewhere.
`default_nettype none
module core_spec #(
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1
) (
	input  wire [31:0] insn_i,
	input  wire [31:0] pc_i,
	input  wire [31:0] rs1_i,            // values of the registers that it names
	input  wire [31:0] rs2_i,
	input  wire [31:0] mem_i,            // what a load found, in the low bits
	input  wire        user_i,
	output wire        known_o,          // it is an instruction
	output wire        trap_o,           // it traps for a reason that is in the instruction, the mode or its operands
	output wire [4:0]  cause_o,
	output wire        csr_o,            // Zicsr: rd and traps depend on the CSR
	output wire        mret_o,
	output wire        wfi_o,
	output wire [4:0]  rs1_o,
	output wire [4:0]  rs2_o,
	output wire [4:0]  rd_o,
	output wire [31:0] rd_value_o,
	output wire [31:0] next_o,
	output wire        load_o,
	output wire        store_o,
	output wire [31:0] address_o,
	output wire [2:0]  bytes_o,
	output wire [31:0] stored_o,
	output wire [31:0] wide_o            // the 32-bit instruction that it stands for
);
	// ---------------------------------------------------------------- 16-bit instructions to 32-bit ones, quadrant by quadrant
	wire [15:0] c = insn_i[15:0];
	wire [4:0] ra = c[11:7], rb = c[6:2], r1 = {2'b01, c[9:7]}, r2 = {2'b01, c[4:2]};
	wire [11:0] imm6 = {{7{c[12]}}, c[6:2]};
	function [31:0] itype(input [11:0] imm, input [4:0] rs1, input [2:0] f3, input [4:0] rd, input [6:0] op);
		itype = {imm, rs1, f3, rd, op};
	endfunction
	function [31:0] rtype(input [6:0] f7, input [4:0] rs2, input [4:0] rs1, input [2:0] f3, input [4:0] rd);
		rtype = {f7, rs2, rs1, f3, rd, 7'h33};
	endfunction
	wire [20:0] cj = {{10{c[12]}}, c[8], c[10:9], c[6], c[7], c[2], c[11], c[5:3], 1'b0};
	wire [12:0] cb = {{5{c[12]}}, c[6:5], c[2], c[11:10], c[4:3], 1'b0};
	wire [31:0] jal = {cj[20], cj[10:1], cj[11], cj[19:12], 4'b0, !c[15], 7'h6F};
	wire [31:0] branch = {cb[12], cb[10:5], 5'd0, r1, 2'b00, c[13], cb[4:1], cb[11], 7'h63};
	reg [31:0] w;
	reg        c_ok;
	always @* begin
		c_ok = 1'b1;
		w = 32'd0;
		case ({c[1:0], c[15:13]})
		5'b00_000: begin w = itype({2'b00, c[10:7], c[12:11], c[5], c[6], 2'b00}, 5'd2, 3'd0, r2, 7'h13); c_ok = c[12:5] != 8'd0; end
		5'b00_010: w = itype({5'd0, c[5], c[12:10], c[6], 2'b00}, r1, 3'd2, r2, 7'h03);
		5'b00_110: w = {5'd0, c[5], c[12], r2, r1, 3'd2, c[11:10], c[6], 2'b00, 7'h23};
		5'b01_000: w = itype(imm6, ra, 3'd0, ra, 7'h13);
		5'b01_001, 5'b01_101: w = jal;
		5'b01_010: w = itype(imm6, 5'd0, 3'd0, ra, 7'h13);
		5'b01_011: begin
			c_ok = {c[12], c[6:2]} != 6'd0;
			w = ra == 5'd2 ? itype({{3{c[12]}}, c[4:3], c[5], c[2], c[6], 4'd0}, 5'd2, 3'd0, 5'd2, 7'h13) : {{15{c[12]}}, c[6:2], ra, 7'h37};
		end
		5'b01_100: case (c[11:10])
			2'b00: begin w = itype({7'h00, c[6:2]}, r1, 3'd5, r1, 7'h13); c_ok = !c[12]; end
			2'b01: begin w = itype({7'h20, c[6:2]}, r1, 3'd5, r1, 7'h13); c_ok = !c[12]; end
			2'b10: w = itype(imm6, r1, 3'd7, r1, 7'h13);
			2'b11: begin
				c_ok = !c[12];
				case (c[6:5])
				2'b00: w = rtype(7'h20, r2, r1, 3'd0, r1);
				2'b01: w = rtype(7'h00, r2, r1, 3'd4, r1);
				2'b10: w = rtype(7'h00, r2, r1, 3'd6, r1);
				2'b11: w = rtype(7'h00, r2, r1, 3'd7, r1);
				endcase
			end
			endcase
		5'b01_110, 5'b01_111: w = branch;
		5'b10_000: begin w = itype({7'h00, c[6:2]}, ra, 3'd1, ra, 7'h13); c_ok = !c[12]; end
		5'b10_010: begin w = itype({4'd0, c[3:2], c[12], c[6:4], 2'b00}, 5'd2, 3'd2, ra, 7'h03); c_ok = ra != 5'd0; end
		5'b10_100:
			if (rb != 5'd0)
				w = rtype(7'h00, rb, c[12] ? ra : 5'd0, 3'd0, ra);
			else if (ra != 5'd0)
				w = itype(12'd0, ra, 3'd0, {4'd0, c[12]}, 7'h67);
			else begin
				w = 32'h0010_0073;
				c_ok = c[12];
			end
		5'b10_110: w = {4'd0, c[8:7], c[12], rb, 5'd2, 3'd2, c[11:9], 2'b00, 7'h23};
		default: c_ok = 1'b0;
		endcase
	end
	wire        wide = insn_i[1:0] == 2'b11;
	wire [31:0] i = wide ? insn_i : w;
	assign wide_o = i;

	// ---------------------------------------------------------------- 32-bit instructions
	wire [6:0] op = i[6:0], f7 = i[31:25];
	wire [2:0] f3 = i[14:12];
	wire lui = op == 7'h37, auipc = op == 7'h17, jal_ = op == 7'h6F, jalr = op == 7'h67 && f3 == 3'd0;
	wire br = op == 7'h63 && f3 != 3'd2 && f3 != 3'd3;
	assign load_o = known_o && op == 7'h03;
	assign store_o = known_o && op == 7'h23;
	wire shift_ok = f3 == 3'd1 ? f7 == 7'h00 : f3 == 3'd5 ? f7 == 7'h00 || f7 == 7'h20 : 1'b1;
	wire opimm = op == 7'h13 && shift_ok;
	wire md = WITH_M && op == 7'h33 && f7 == 7'h01;
	wire opreg = op == 7'h33 && (f7 == 7'h00 || (f7 == 7'h20 && (f3 == 3'd0 || f3 == 3'd5)));
	wire fence = op == 7'h0F && f3 < 3'd2;
	wire ecall = i == 32'h0000_0073, ebreak = i == 32'h0010_0073;
	assign mret_o = i == 32'h3020_0073;
	assign wfi_o = i == 32'h1050_0073;
	assign csr_o = known_o && op == 7'h73 && f3 != 3'd0;
	wire load = op == 7'h03 && (f3 < 3'd3 || f3 == 3'd4 || f3 == 3'd5);
	wire store = op == 7'h23 && f3 < 3'd3;
	wire zicsr = op == 7'h73 && f3 != 3'd0 && f3 != 3'd4;
	assign known_o = (wide || (WITH_C && c_ok)) &&
		(lui || auipc || jal_ || jalr || br || load || store || opimm || md || opreg || fence || ecall || ebreak || mret_o || wfi_o || zicsr);

	wire reads1 = jalr || br || load || store || opimm || md || opreg || (zicsr && !f3[2]);
	wire reads2 = br || store || md || opreg;
	assign rs1_o = known_o && reads1 ? i[19:15] : 5'd0;
	assign rs2_o = known_o && reads2 ? i[24:20] : 5'd0;
	assign rd_o = lui || auipc || jal_ || jalr || load || opimm || md || opreg || zicsr ? i[11:7] : 5'd0;

	wire [31:0] imm_i = {{20{i[31]}}, i[31:20]};
	wire [31:0] b = opreg ? rs2_i : imm_i;
	wire        alt = i[30] && (opreg || f3 == 3'd5);
	wire [63:0] extended = {{32{alt && rs1_i[31]}}, rs1_i} >> b[4:0];
	wire        lt = rs1_i[31] != b[31] ? rs1_i[31] : rs1_i < b;
	reg [31:0]  alu;
	always @* begin
		case (f3)
		3'd0: alu = alt ? rs1_i - b : rs1_i + b;
		3'd1: alu = rs1_i << b[4:0];
		3'd2: alu = {31'd0, lt};
		3'd3: alu = {31'd0, rs1_i < b};
		3'd4: alu = rs1_i ^ b;
		3'd5: alu = extended[31:0];
		3'd6: alu = rs1_i | b;
		3'd7: alu = rs1_i & b;
		endcase
	end
	wire [31:0] md_value;
	muldiv_function function_of (
		.op_i(f3),
		.a_i(rs1_i),
		.b_i(rs2_i),
		.result_o(md_value)
	);
	wire [31:0] loaded = f3 == 3'd0 ? {{24{mem_i[7]}}, mem_i[7:0]} : f3 == 3'd1 ? {{16{mem_i[15]}}, mem_i[15:0]} :
		f3 == 3'd4 ? {24'd0, mem_i[7:0]} : f3 == 3'd5 ? {16'd0, mem_i[15:0]} : mem_i;
	wire [31:0] length = wide ? 32'd4 : 32'd2;
	assign rd_value_o = rd_o == 5'd0 ? 32'd0 : lui ? {i[31:12], 12'd0} : auipc ? pc_i + {i[31:12], 12'd0} : jal_ || jalr ? pc_i + length :
		load ? loaded : md ? md_value : alu;

	wire equal = rs1_i == rs2_i;
	wire slt = rs1_i[31] != rs2_i[31] ? rs1_i[31] : rs1_i < rs2_i;
	wire ult = rs1_i < rs2_i;
	wire condition = f3 == 3'd0 ? equal : f3 == 3'd1 ? !equal : f3 == 3'd4 ? slt : f3 == 3'd5 ? !slt : f3 == 3'd6 ? ult : !ult;
	wire goes = jal_ || jalr || (br && condition);
	wire [31:0] goal = jal_ ? pc_i + {{12{i[31]}}, i[19:12], i[20], i[30:21], 1'b0} : jalr ? (rs1_i + imm_i) & 32'hFFFF_FFFE :
		pc_i + {{20{i[31]}}, i[7], i[30:25], i[11:8], 1'b0};
	assign next_o = goes ? goal : pc_i + length;

	assign address_o = rs1_i + (store ? {{20{i[31]}}, i[31:25], i[11:7]} : imm_i);
	assign bytes_o = f3[1:0] == 2'd0 ? 3'd1 : f3[1:0] == 2'd1 ? 3'd2 : 3'd4;
	assign stored_o = f3[1:0] == 2'd0 ? {24'd0, rs2_i[7:0]} : f3[1:0] == 2'd1 ? {16'd0, rs2_i[15:0]} : rs2_i;
	wire misaligned = (load || store) && ((bytes_o == 3'd2 && address_o[0]) || (bytes_o == 3'd4 && address_o[1:0] != 2'd0));
	wire bad_goal = !WITH_C && goes && goal[1];
	wire forbidden = user_i && (mret_o || (zicsr && i[29:28] != 2'b00));
	wire read_only = zicsr && i[31:30] == 2'b11 && (f3[1:0] == 2'd1 || i[19:15] != 5'd0);
	assign trap_o = !known_o || ecall || ebreak || misaligned || bad_goal || forbidden || read_only;
	assign cause_o = !known_o || forbidden || read_only ? 5'd2 : ecall ? (user_i ? 5'd8 : 5'd11) : ebreak ? 5'd3 : bad_goal ? 5'd0 : load ? 5'd4 : 5'd6;
endmodule

// Stands for the eight operations: cheap, different, and sensitive to every operand bit.
module muldiv_function (
	input  wire [2:0]  op_i,
	input  wire [31:0] a_i,
	input  wire [31:0] b_i,
	output wire [31:0] result_o
);
	assign result_o = (a_i ^ {b_i[15:0], b_i[31:16]}) ^ {op_i, 29'h0F0_1357};
endmodule
`default_nettype wire
