// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The core as its ports are read: what has no meaning in a cycle is 0, as in tb/signals.def. For mutation/equal. DESIGN is
// the module inside; lines with MUTANT are in the mutants alone.
`default_nettype none
module ports_DESIGN (
	input  wire [11:0]  which_i,     // any; in the first cycle it chooses the mutant
	input  wire         clk_i,
	input  wire         rst_i,
	input  wire         bus_ready_i,
	input  wire         bus_err_i,
	input  wire         irq_soft_i,
	input  wire         irq_timer_i,
	input  wire         irq_ext_i,
	input  wire         irq_trace_i,
	input  wire [31:0]  bus_rdata_i,
	input  wire [31:0]  reg_rdata_i,
	output wire [242:0] read_o
);
	wire bus_valid, bus_fetch, reg_read, reg_write, retire_valid, retire_trap, retire_intr;
	wire [31:0] bus_addr, bus_data_addr, bus_wdata, reg_wdata, retire_insn, retire_pc, retire_next_pc;
	wire [3:0] bus_wstrb;
	wire [5:0] reg_index;
	wire [1:0] retire_mode;
	reg         begun_q = 1'b0;          // MUTANT
	reg  [11:0] mutant_q = 12'd0;        // MUTANT
	always @(posedge clk_i) {begun_q, mutant_q} <= {1'b1, mutant}; // MUTANT
	wire [11:0] mutant = begun_q ? mutant_q : which_i; // MUTANT
	DESIGN core (
		.mutant(mutant), // MUTANT
		.clk_i(clk_i), .rst_i(rst_i), .bus_valid_o(bus_valid), .bus_fetch_o(bus_fetch), .bus_addr_o(bus_addr),
		.bus_data_addr_o(bus_data_addr), .bus_wstrb_o(bus_wstrb),
		.bus_wdata_o(bus_wdata), .bus_ready_i(bus_ready_i), .bus_rdata_i(bus_rdata_i), .bus_err_i(bus_err_i), .irq_soft_i(irq_soft_i),
		.irq_timer_i(irq_timer_i), .irq_ext_i(irq_ext_i), .irq_trace_i(irq_trace_i), .reg_read_o(reg_read), .reg_write_o(reg_write),
		.reg_index_o(reg_index), .reg_wdata_o(reg_wdata), .reg_rdata_i(reg_rdata_i), .retire_valid_o(retire_valid), .retire_insn_o(retire_insn),
		.retire_pc_o(retire_pc), .retire_next_pc_o(retire_next_pc), .retire_trap_o(retire_trap), .retire_intr_o(retire_intr),
		.retire_mode_o(retire_mode));
	assign read_o = {bus_data_addr & {32{bus_valid && !bus_fetch}}, bus_valid,
		{bus_fetch, bus_addr, bus_wstrb} & {37{bus_valid}}, bus_wdata & {32{bus_valid && bus_wstrb != 4'd0}},
		reg_read, reg_write, reg_index & {6{reg_read || reg_write}}, reg_wdata & {32{reg_write}},
		retire_valid, {retire_insn, retire_pc, retire_next_pc, retire_trap, retire_intr, retire_mode} & {100{retire_valid}}};
endmodule
`default_nettype wire
