// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The core for riscv-formal: a memory that answers anything at any time, interrupts whenever they like. A bus error is none
// of riscv-formal's business, so there is none; nor does it know the trace unit's registers, which read anything.
`default_nettype none
module rvfi_wrapper (
	input wire clock,
	input wire reset,
	`RVFI_OUTPUTS
);
	(* keep *) `rvformal_rand_reg ready;
	(* keep *) `rvformal_rand_reg [31:0] rdata;
	(* keep *) `rvformal_rand_reg [31:0] reg_rdata;
	(* keep *) `rvformal_rand_reg [3:0] irq;
	wire [31:0] mem_addr, mem_rdata, mem_wdata, csr_rdata, csr_wdata;
	wire [3:0]  mem_rmask, mem_wmask;
	wire        csr, csr_write;
	rivulet_core #(
		.RESET_PC(32'h8000_0000),
		.WITH_RVFI(1)
	) core (
		.clk_i(clock),
		.rst_i(reset),
		.bus_valid_o(),
		.bus_fetch_o(),
		.bus_addr_o(),
		.bus_data_addr_o(),
		.bus_wstrb_o(),
		.bus_wdata_o(),
		.bus_ready_i(ready),
		.bus_rdata_i(rdata),
		.bus_err_i(1'b0),
		.irq_soft_i(irq[0]),
		.irq_timer_i(irq[1]),
		.irq_ext_i(irq[2]),
		.irq_trace_i(irq[3]),
		.reg_read_o(),
		.reg_write_o(),
		.reg_index_o(),
		.reg_wdata_o(),
		.reg_rdata_i(reg_rdata),
		.retire_valid_o(rvfi_valid),
		.retire_insn_o(rvfi_insn),
		.retire_pc_o(rvfi_pc_rdata),
		.retire_next_pc_o(rvfi_pc_wdata),
		.retire_trap_o(rvfi_trap),
		.retire_intr_o(rvfi_intr),
		.retire_mode_o(rvfi_mode),
		.rvfi_order_o(rvfi_order),
		.rvfi_rs1_addr_o(rvfi_rs1_addr),
		.rvfi_rs2_addr_o(rvfi_rs2_addr),
		.rvfi_rd_addr_o(rvfi_rd_addr),
		.rvfi_rs1_rdata_o(rvfi_rs1_rdata),
		.rvfi_rs2_rdata_o(rvfi_rs2_rdata),
		.rvfi_rd_wdata_o(rvfi_rd_wdata),
		.rvfi_mem_addr_o(mem_addr),
		.rvfi_mem_rmask_o(mem_rmask),
		.rvfi_mem_wmask_o(mem_wmask),
		.rvfi_mem_rdata_o(mem_rdata),
		.rvfi_mem_wdata_o(mem_wdata),
		.rvfi_csr_o(csr),
		.rvfi_csr_write_o(csr_write),
		.rvfi_csr_rdata_o(csr_rdata),
		.rvfi_csr_wdata_o(csr_wdata)
	);
	rivulet_rvfi port (
		.valid_i(rvfi_valid),
		.insn_i(rvfi_insn),
		.mem_addr_i(mem_addr),
		.mem_rmask_i(mem_rmask),
		.mem_wmask_i(mem_wmask),
		.mem_rdata_i(mem_rdata),
		.mem_wdata_i(mem_wdata),
		.csr_i(csr),
		.csr_write_i(csr_write),
		.csr_rdata_i(csr_rdata),
		.csr_wdata_i(csr_wdata),
		.halt_o(rvfi_halt),
		.ixl_o(rvfi_ixl),
		.mem_addr_o(rvfi_mem_addr),
		.mem_rmask_o(rvfi_mem_rmask),
		.mem_wmask_o(rvfi_mem_wmask),
		.mem_rdata_o(rvfi_mem_rdata),
		.mem_wdata_o(rvfi_mem_wdata),
		.csr_mscratch_rmask_o(rvfi_csr_mscratch_rmask),
		.csr_mscratch_wmask_o(rvfi_csr_mscratch_wmask),
		.csr_mscratch_rdata_o(rvfi_csr_mscratch_rdata),
		.csr_mscratch_wdata_o(rvfi_csr_mscratch_wdata),
		.csr_mcycle_rmask_o(rvfi_csr_mcycle_rmask),
		.csr_mcycle_wmask_o(rvfi_csr_mcycle_wmask),
		.csr_mcycle_rdata_o(rvfi_csr_mcycle_rdata),
		.csr_mcycle_wdata_o(rvfi_csr_mcycle_wdata),
		.csr_minstret_rmask_o(rvfi_csr_minstret_rmask),
		.csr_minstret_wmask_o(rvfi_csr_minstret_wmask),
		.csr_minstret_rdata_o(rvfi_csr_minstret_rdata),
		.csr_minstret_wdata_o(rvfi_csr_minstret_wdata)
	);
`ifdef RIVULET_FAIRNESS
	// Something retires if the memory answers, nobody interrupts, and the program does not wait for an interrupt.
	always @* begin
		assume (ready && irq == 4'd0);
		assume (rdata != 32'h1050_0073 && rdata[31:16] != 16'h0073);
	end
`endif
endmodule
`default_nettype wire
