// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The N-Trace encoder as it is used: addresses are even, and a byte has a meaning only while byte_valid_o is 1. For
// mutation/equal. DESIGN is the module inside; lines with MUTANT are in the mutants alone.
`default_nettype none
module ports_DESIGN (
	input  wire [11:0]  which_i,     // any; in the first cycle it chooses the mutant
	input  wire         clk_i,
	input  wire         rst_i,
	input  wire         valid_i,
	input  wire         trap_i,
	input  wire         intr_i,
	input  wire         debug_i,
	input  wire         write_i,
	input  wire         read_i,
	input  wire [1:0]   mode_i,
	input  wire [4:0]   context_i,
	input  wire [10:0]  index_i,
	input  wire [31:0]  insn_i,
	input  wire [31:0]  pc_i,
	input  wire [31:0]  next_pc_i,
	input  wire [31:0]  wdata_i,
	output wire [41:0]  read_o
);
	wire [31:0] rdata;
	wire [7:0]  byte_out;
	wire        stall, byte_valid;
	reg         begun_q = 1'b0;          // MUTANT
	reg  [11:0] mutant_q = 12'd0;        // MUTANT
	always @(posedge clk_i) {begun_q, mutant_q} <= {1'b1, mutant}; // MUTANT
	wire [11:0] mutant = begun_q ? mutant_q : which_i; // MUTANT
	DESIGN unit (
		.mutant(mutant), // MUTANT
		.clk_i(clk_i), .rst_i(rst_i), .retire_valid_i(valid_i), .retire_insn_i(insn_i), .retire_pc_i({pc_i[31:1], 1'b0}),
		.retire_next_pc_i({next_pc_i[31:1], 1'b0}), .retire_trap_i(trap_i), .retire_intr_i(intr_i), .retire_mode_i(mode_i),
		.context_i(context_i), .debug_i(debug_i), .stall_o(stall), .reg_write_i(write_i), .reg_read_i(read_i),
		.reg_index_i(index_i), .reg_wdata_i(wdata_i), .reg_rdata_o(rdata), .byte_valid_o(byte_valid), .byte_o(byte_out),
		.byte_ready_i(1'b1), .mem_valid_o(), .mem_addr_o(), .mem_wdata_o(), .mem_ready_i(1'b1));
	assign read_o = {rdata, stall, byte_valid, byte_out & {8{byte_valid}}};
endmodule
`default_nettype wire
