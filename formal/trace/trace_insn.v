// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// What an instruction is (section 3), and where it goes.
`default_nettype none
module trace_insn #(
	parameter XLEN = 32,
	parameter [0:0] ZCMP = 0,
	parameter [31:0] RET_MATCH = 32'd0,
	parameter [31:0] RET_MASK = 32'd0
) (
	input  wire [31:0] insn_i,
	input  wire [XLEN-1:0] pc_i,
	output wire        br_o,
	output wire        jal_o,
	output wire        ind_o,
	output wire        ret_o,
	output wire [XLEN-1:0] offset_o,
	output wire [XLEN-1:0] behind_o
);
	wire wide = insn_i[1:0] == 2'b11;
	wire [2:0] c3 = insn_i[15:13];
	wire custom = RET_MASK != 32'd0 && (insn_i & RET_MASK) == RET_MATCH;   // a trap return, and nothing else
	wire [15:0] half = insn_i[15:0];
	// CM.POPRETZ, CM.POPRET; CM.JT, CM.JALT
	wire zcmp = ZCMP && (half[15:8] == 8'hBC || half[15:8] == 8'hBE || half[15:10] == 6'b101000) && half[1:0] == 2'b10;
	assign br_o = !custom && (wide ? insn_i[6:0] == 7'h63 : insn_i[1:0] == 2'b01 && (c3 == 3'd6 || c3 == 3'd7));
	assign jal_o = !custom && (wide ? insn_i[6:0] == 7'h6F : insn_i[1:0] == 2'b01 && ((c3 == 3'd1 && XLEN == 32) || c3 == 3'd5));
	assign ind_o = !custom && (zcmp || (wide ? insn_i[6:0] == 7'h67 : insn_i[1:0] == 2'b10 && c3 == 3'd4 && insn_i[6:2] == 5'd0 && insn_i[11:7] != 5'd0));
	assign ret_o = custom || insn_i == 32'h3020_0073 || insn_i == 32'h1020_0073;
	wire [31:0] short_offset = wide ? (jal_o ? {{12{insn_i[31]}}, insn_i[19:12], insn_i[20], insn_i[30:21], 1'b0} :
		{{20{insn_i[31]}}, insn_i[7], insn_i[30:25], insn_i[11:8], 1'b0}) :
		jal_o ? {{21{insn_i[12]}}, insn_i[8], insn_i[10:9], insn_i[6], insn_i[7], insn_i[2], insn_i[11], insn_i[5:3], 1'b0} :
		{{24{insn_i[12]}}, insn_i[6:5], insn_i[2], insn_i[11:10], insn_i[4:3], 1'b0};
	assign offset_o = {{XLEN-31{short_offset[31]}}, short_offset[30:0]};
	assign behind_o = pc_i + (wide ? {{XLEN-3{1'b0}}, 3'd4} : {{XLEN-3{1'b0}}, 3'd2});
endmodule
`default_nettype wire
