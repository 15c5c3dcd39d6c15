// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// 31 registers and x0, one write and two read ports with one cycle of latency, made for block RAM (4 SB_RAM40 on iCE40).
// A read of the register that is written in the same cycle may give anything: the core forwards. Without no_rw_check yosys
// settles it, with 110 LUT4 and 69 flip-flops.
`default_nettype none
module rivulet_regfile (
	input  wire        clk_i,
	input  wire        read_i,      // take new read addresses; the read data stay otherwise
	input  wire [4:0]  rs1_i,
	input  wire [4:0]  rs2_i,
	output reg  [31:0] rdata1_o,
	output reg  [31:0] rdata2_o,
	input  wire        write_i,     // x0 is a place like the others: write 0 to it once, before it is read, and nothing after
	input  wire [4:0]  rd_i,
	input  wire [31:0] wdata_i
);
	// Two copies: a block RAM has one read port.
	(* no_rw_check *) reg [31:0] copy1 [0:31];
	(* no_rw_check *) reg [31:0] copy2 [0:31];
	always @(posedge clk_i) begin
		if (write_i) begin
			copy1[rd_i] <= wdata_i;
			copy2[rd_i] <= wdata_i;
		end
		if (read_i) begin
			rdata1_o <= copy1[rs1_i];
			rdata2_o <= copy2[rs2_i];
		end
	end
endmodule
`default_nettype wire
