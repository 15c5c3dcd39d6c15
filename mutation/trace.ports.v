// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The trace unit as it is used: the addresses of the core are as docs/trace-unit.md section 3 demands, and a record has a
// meaning only while rec_valid_o is 1. For mutation/equal. DESIGN is the module inside; lines with MUTANT are in the mutants
// alone. Module trace_insn is the one of the proofs (formal/trace/trace_insn.v).
`default_nettype none
module ports_DESIGN (
	input  wire [11:0]  which_i,     // any; in the first cycle it chooses the mutant
	input  wire         clk_i,
	input  wire         rst_i,
	input  wire         valid_i,
	input  wire         trap_i,
	input  wire         intr_i,
	input  wire         taken_i,
	input  wire         write_i,
	input  wire         stop_i,
	input  wire [1:0]   mode_i,
	input  wire [5:0]   index_i,
	input  wire [31:0]  insn_i,
	input  wire [31:0]  pc_i,
	input  wire [31:0]  next_pc_i,
	input  wire [31:0]  wdata_i,
	output wire [157:0] read_o
);
	wire [31:0] pc = {pc_i[31:1], 1'b0}, offset, behind, rdata, rec_start, rec_hist, rec_cycles;
	wire [15:0] rec_insns;
	wire [31:0] rec_repeat;
	wire [3:0]  rec_reason;
	wire        br, jal, irq, tracing, rec_valid;
	trace_insn decoded (.insn_i(insn_i), .pc_i(pc), .br_o(br), .jal_o(jal), .ind_o(), .ret_o(), .offset_o(offset), .behind_o(behind));
`ifdef BREAKS
	wire [31:0] next_pc = {next_pc_i[31:1], 1'b0};   // WITH_CHECK: it may be anywhere
`else
	wire [31:0] next_pc = trap_i || !(br || jal) ? {next_pc_i[31:1], 1'b0} : jal || taken_i ? pc + offset : behind;
`endif
	reg         begun_q = 1'b0;          // MUTANT
	reg  [11:0] mutant_q = 12'd0;        // MUTANT
	always @(posedge clk_i) {begun_q, mutant_q} <= {1'b1, mutant}; // MUTANT
	wire [11:0] mutant = begun_q ? mutant_q : which_i; // MUTANT
	DESIGN unit (
		.mutant(mutant), // MUTANT
		.clk_i(clk_i), .rst_i(rst_i), .retire_valid_i(valid_i), .retire_insn_i(insn_i), .retire_pc_i(pc), .retire_next_pc_i(next_pc),
		.retire_trap_i(trap_i), .retire_intr_i(intr_i), .retire_mode_i(mode_i), .retire_cause_i(6'd0),
		.stop_i(stop_i), .freeze_i(1'b0), .power_on_i(1'b0), .reg_write_i(write_i), .reg_index_i(index_i),
		.reg_wdata_i(wdata_i), .reg_rdata_o(rdata), .irq_o(irq), .tracing_o(tracing), .rec_valid_o(rec_valid), .rec_start_o(rec_start), .rec_hist_o(rec_hist),
		.rec_reason_o(rec_reason), .rec_repeat_o(rec_repeat), .rec_cycles_o(rec_cycles), .rec_insns_o(rec_insns),
		.sink_valid_o(), .sink_addr_o(), .sink_wdata_o(), .sink_ready_i(1'b0));
	assign read_o = {rdata, irq, tracing, rec_valid, {rec_start, rec_hist, rec_reason, rec_repeat, rec_cycles, rec_insns} & {148{rec_valid}}};
endmodule
`default_nettype wire
