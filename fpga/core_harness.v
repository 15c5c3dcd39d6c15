// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The core, alone or with the trace unit, between shift registers: every port is a register, so timing shows the core's own paths.
`default_nettype none
module core_harness #(
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] MUL_FAST = 0,
	parameter [0:0] WITH_COUNTERS = 1,
	parameter PMP_REGIONS = 0,
	parameter [0:0] WITH_TRACE = 0,
	parameter [0:0] TRACE_FULL = 1
) (
	input  wire clk_i,
	input  wire in_i,
	output wire out_o
);
	localparam IN_W = 38, OUT_W = 70 + 140;
	reg [IN_W-1:0] in_q;
	reg [OUT_W-1:0] out_q;
	wire [OUT_W-1:0] out;
	reg rst_q;
	always @(posedge clk_i) begin
		in_q <= {in_q[IN_W-2:0], in_i};
		rst_q <= in_q[IN_W-1];
		out_q <= {out_q[OUT_W-2:0], in_i} ^ out;
	end
	assign out_o = out_q[OUT_W-1];

	wire        retire_valid, retire_trap, retire_intr, reg_write, irq_trace;
	wire [31:0] retire_insn, retire_pc, retire_next_pc, reg_wdata, reg_rdata;
	wire [5:0]  reg_index;
	wire [1:0]  retire_mode;
	rivulet_core #(
		.WITH_C(WITH_C),
		.WITH_M(WITH_M),
		.MUL_FAST(MUL_FAST),
		.WITH_COUNTERS(WITH_COUNTERS),
		.WITH_TRACE_CSR(1),
		.PMP_REGIONS(PMP_REGIONS)
	) core (
		.clk_i(clk_i),
		.rst_i(rst_q),
		.bus_valid_o(out[0]),
		.bus_fetch_o(out[1]),
		.bus_addr_o(out[33:2]),
		.bus_data_addr_o(),
		.bus_wstrb_o(out[37:34]),
		.bus_wdata_o(out[69:38]),
		.bus_ready_i(in_q[0]),
		.bus_rdata_i(in_q[32:1]),
		.bus_err_i(in_q[33]),
		.irq_soft_i(in_q[34]),
		.irq_timer_i(in_q[35]),
		.irq_ext_i(in_q[36]),
		.irq_trace_i(WITH_TRACE ? irq_trace : in_q[37]),
		.reg_read_o(),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(reg_wdata),
		.reg_rdata_i(reg_rdata),
		.retire_valid_o(retire_valid),
		.retire_insn_o(retire_insn),
		.retire_pc_o(retire_pc),
		.retire_next_pc_o(retire_next_pc),
		.retire_trap_o(retire_trap),
		.retire_intr_o(retire_intr),
		.retire_mode_o(retire_mode),
		.retire_cause_o(),
		.rvfi_order_o(),
		.rvfi_rs1_addr_o(),
		.rvfi_rs2_addr_o(),
		.rvfi_rd_addr_o(),
		.rvfi_rs1_rdata_o(),
		.rvfi_rs2_rdata_o(),
		.rvfi_rd_wdata_o(),
		.rvfi_mem_addr_o(),
		.rvfi_mem_rmask_o(),
		.rvfi_mem_wmask_o(),
		.rvfi_mem_rdata_o(),
		.rvfi_mem_wdata_o(),
		.rvfi_csr_o(),
		.rvfi_csr_write_o(),
		.rvfi_csr_rdata_o(),
		.rvfi_csr_wdata_o()
	);
	generate if (WITH_TRACE) begin : g_trace
		rivulet_trace #(
			.XLEN(32),
			.HIST(TRACE_FULL ? 32 : 8),
			.FIFO_DEPTH(TRACE_FULL ? 16 : 0),
			.RANGES(TRACE_FULL),
			.WITH_REASON(TRACE_FULL),
			.WITH_CYCLES(TRACE_FULL),
			.WITH_INSNS(TRACE_FULL),
			.WITH_REPEAT(TRACE_FULL),
			.WITH_SAMPLE(TRACE_FULL),
			.WITH_DITHER(TRACE_FULL),
			.WITH_MODE(TRACE_FULL),
			.WITH_FREEZE(TRACE_FULL),
			.WITH_LOST(TRACE_FULL),
			.WITH_LIFO(TRACE_FULL),
			.WITH_CONTEXT(TRACE_FULL),
			.WITH_TERM(TRACE_FULL)
		) trace (
			.clk_i(clk_i),
			.rst_i(rst_q),
			.retire_valid_i(retire_valid),
			.retire_insn_i(retire_insn),
			.retire_pc_i(retire_pc),
			.retire_next_pc_i(retire_next_pc),
			.retire_trap_i(retire_trap),
			.retire_intr_i(retire_intr),
			.retire_mode_i(retire_mode),
			.retire_ready_o(),
			.retire_lost_o(),
			.retire_cause_i(6'd0),
			.stop_i(1'b0),
			.freeze_i(1'b0),
			.power_on_i(1'b0),
			.reg_write_i(reg_write),
			.reg_index_i(reg_index),
			.reg_wdata_i(reg_wdata),
			.reg_rdata_o(reg_rdata),
			.irq_o(irq_trace),
			.tracing_o(),
			.rec_valid_o(),
			.rec_start_o(),
			.rec_hist_o(),
			.rec_reason_o(),
			.rec_repeat_o(),
			.rec_cycles_o(),
			.rec_insns_o(),
			.sink_valid_o(),
			.sink_addr_o(),
			.sink_wdata_o(),
			.sink_ready_i(1'b0)
		);
		assign out[OUT_W-1:70] = {OUT_W-70{1'b0}};
	end else begin : g_alone
		// the retire port and the register bus end in registers of the harness
		assign reg_rdata = in_q[32:1];
		assign irq_trace = 1'b0;
		reg [OUT_W-71:0] port_q;
		always @(posedge clk_i)
			port_q <= {retire_valid, retire_insn, retire_pc, retire_next_pc, retire_trap, retire_intr, retire_mode, reg_write, reg_index, reg_wdata};
		assign out[OUT_W-1:70] = port_q;
	end endgenerate
endmodule
`default_nettype wire
