// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC with its registers led out, for benches only: every output is the value during the cycle.
`default_nettype none
`define CORE soc.core
`define CSR soc.core.csr
`define TR soc.g_trace.trace
module rivulet_sim #(
	parameter RAM_BYTES = 131072,
	parameter [15:0] UART_DIV = 16'd7,
	parameter [0:0] WITH_C = 1,
	parameter [0:0] WITH_M = 1,
	parameter [0:0] MUL_FAST = 1,
	parameter [0:0] WITH_COUNTERS = 1,
	parameter PMP_REGIONS = 4,
	parameter PMP_GRAIN = 0,
	parameter [11:0] TRACE_CSR_BASE = 12'h7C0,
	parameter [0:0] STATE_IN_RAM = 0,
	parameter TRACE_SINK = 0
) (
	input  wire         clk_i,
	input  wire         rst_i,
	input  wire         bus_wait_i,          // the bus accepts no request in this cycle; may be left open
	input  wire         irq_ext_i,
	input  wire         uart_rx_i,
	input  wire [3:0]   tr_fifo_index_i,     // slot shown on tr_fifo_word_o
	output wire         uart_tx_o,
	output wire         rvfi_valid_o,
	output wire [63:0]  rvfi_order_o,
	output wire [31:0]  rvfi_insn_o,
	output wire         rvfi_trap_o,
	output wire         rvfi_intr_o,
	output wire [1:0]   rvfi_mode_o,
	output wire [31:0]  rvfi_pc_rdata_o,
	output wire [31:0]  rvfi_pc_wdata_o,
	output wire [4:0]   rvfi_rs1_addr_o,
	output wire [4:0]   rvfi_rs2_addr_o,
	output wire [4:0]   rvfi_rd_addr_o,
	output wire [31:0]  rvfi_rs1_rdata_o,
	output wire [31:0]  rvfi_rs2_rdata_o,
	output wire [31:0]  rvfi_rd_wdata_o,
	output wire [31:0]  rvfi_mem_addr_o,
	output wire [3:0]   rvfi_mem_rmask_o,
	output wire [3:0]   rvfi_mem_wmask_o,
	output wire [31:0]  rvfi_mem_rdata_o,
	output wire [31:0]  rvfi_mem_wdata_o,
	output wire         bus_valid_o,
	output wire         bus_fetch_o,
	output wire [31:0]  bus_addr_o,
	output wire [3:0]   bus_wstrb_o,
	output wire [31:0]  bus_wdata_o,
	output wire         bus_err_o,
	output wire         sink_valid_o,
	output wire [31:0]  sink_addr_o,
	output wire [31:0]  sink_wdata_o,
	output wire         irq_soft_o,
	output wire         irq_timer_o,
	output wire         irq_ext_o,
	output wire         irq_trace_o,
	output wire         console_valid_o,
	output wire [7:0]   console_byte_o,
	output wire         exit_valid_o,
	output wire [31:0]  exit_code_o,
	output wire [31:0]  csr_mstatus_o,
	output wire [31:0]  csr_mie_o,
	output wire [31:0]  csr_mtvec_o,
	output wire [31:0]  csr_mepc_o,
	output wire [31:0]  csr_mcause_o,
	output wire [31:0]  csr_mtval_o,
	output wire [31:0]  csr_mscratch_o,
	output wire [31:0]  csr_mcounteren_o,
	output wire [63:0]  csr_mcycle_o,
	output wire [63:0]  csr_minstret_o,
	output wire [1:0]   csr_mode_o,
	output wire [31:0]  tr_ctrl_o,
	output wire [10:0]  tr_watermark_o,
	output wire [31:0]  tr_lost_o,
	output wire [23:0]  tr_period_o,
	output wire [23:0]  tr_counter_o,
	output wire [3:0]   tr_depth_o,
	output wire [15:0]  tr_dither_o,
	output wire [15:0]  tr_lfsr_o,
	output wire         tr_status_sample_o,
	output wire         tr_irq_o,
	output wire [31:0]  tr_range0_lo_o,
	output wire [31:0]  tr_range0_hi_o,
	output wire [31:0]  tr_cur_start_o,
	output wire [31:0]  tr_cur_hist_o,
	output wire [31:0]  tr_resume_o,
	output wire [15:0]  tr_cur_cycles_o,
	output wire [15:0]  tr_cur_insns_o,
	output wire         tr_cur_valid_o,
	output wire         tr_end_o,
	output wire [3:0]   tr_end_reason_o,
	output wire         tr_outside_o,
	output wire         tr_hold_valid_o,
	output wire [31:0]  tr_hold_start_o,
	output wire [31:0]  tr_hold_hist_o,
	output wire [3:0]   tr_hold_reason_o,
	output wire [7:0]   tr_hold_repeat_o,
	output wire [15:0]  tr_hold_cycles_o,
	output wire [15:0]  tr_hold_insns_o,
	output wire [10:0]  tr_count_o,
	output wire [3:0]   tr_rd_ptr_o,
	output wire [3:0]   tr_wr_ptr_o,
	output wire         tr_readable_o,
	output wire         tr_rec_valid_o,
	output wire [31:0]  tr_rec_start_o,
	output wire [31:0]  tr_rec_hist_o,
	output wire [3:0]   tr_rec_reason_o,
	output wire [31:0]  tr_rec_repeat_o,
	output wire [31:0]  tr_rec_cycles_o,
	output wire [15:0]  tr_rec_insns_o,
	output wire [106:0] tr_fifo_word_o
);
	wire uart_tx;
	rivulet_soc #(
		.RAM_BYTES(RAM_BYTES),
		.UART_DIV(UART_DIV),
		.SIM(1),
		.WITH_C(WITH_C),
		.WITH_M(WITH_M),
		.MUL_FAST(MUL_FAST),
		.WITH_COUNTERS(WITH_COUNTERS),
		.PMP_REGIONS(PMP_REGIONS),
		.PMP_GRAIN(PMP_GRAIN),
		.STATE_IN_RAM(STATE_IN_RAM),
		.TRACE_CSR_BASE(TRACE_CSR_BASE),
		.TRACE_SINK(TRACE_SINK),
		.WITH_RVFI(1)
	) soc (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.bus_wait_i(bus_wait_i === 1'b1),
		.irq_ext_i(irq_ext_i),
		.uart_rx_i(uart_rx_i),
		.uart_tx_o(uart_tx),
		.spi_cs_n_o(),
		.spi_sck_o(),
		.spi_mosi_o(),
		.spi_miso_i(1'b0),
		.strap_i(1'b0),
		.freeze_i(1'b0),
		.dense_i(1'b1),
		.dense_o()
	);
	// The simulation console and exit device: writes that the bench sees on the bus.
	wire sim_write = soc.accepted && soc.hit_sim && soc.bus_wstrb != 4'b0000;

	assign uart_tx_o = uart_tx;
	assign rvfi_valid_o = `CORE.retire_valid_o;
	assign rvfi_order_o = `CORE.rvfi_order_o;
	assign rvfi_insn_o = `CORE.retire_insn_o;
	assign rvfi_trap_o = `CORE.retire_trap_o;
	assign rvfi_intr_o = `CORE.retire_intr_o;
	assign rvfi_mode_o = `CORE.retire_mode_o;
	assign rvfi_pc_rdata_o = `CORE.retire_pc_o;
	assign rvfi_pc_wdata_o = `CORE.retire_next_pc_o;
	assign rvfi_rs1_addr_o = `CORE.rvfi_rs1_addr_o;
	assign rvfi_rs2_addr_o = `CORE.rvfi_rs2_addr_o;
	assign rvfi_rd_addr_o = `CORE.rvfi_rd_addr_o;
	assign rvfi_rs1_rdata_o = `CORE.rvfi_rs1_rdata_o;
	assign rvfi_rs2_rdata_o = `CORE.rvfi_rs2_rdata_o;
	assign rvfi_rd_wdata_o = `CORE.rvfi_rd_wdata_o;
	assign rvfi_mem_addr_o = `CORE.rvfi_mem_addr_o;
	assign rvfi_mem_rmask_o = `CORE.rvfi_mem_rmask_o;
	assign rvfi_mem_wmask_o = `CORE.rvfi_mem_wmask_o;
	assign rvfi_mem_rdata_o = `CORE.rvfi_mem_rdata_o;
	assign rvfi_mem_wdata_o = `CORE.rvfi_mem_wdata_o;
	assign bus_valid_o = soc.bus_valid;
	assign bus_fetch_o = soc.bus_fetch;
	assign bus_addr_o = soc.bus_addr;
	assign bus_wstrb_o = soc.bus_wstrb;
	assign bus_wdata_o = soc.bus_wdata;
	assign bus_err_o = soc.bus_err;
	assign sink_valid_o = soc.sink_valid;
	assign sink_addr_o = soc.sink_addr;
	assign sink_wdata_o = soc.sink_wdata;
	assign irq_soft_o = soc.irq_soft;
	assign irq_timer_o = soc.irq_timer;
	assign irq_ext_o = soc.irq_ext_q;
	assign irq_trace_o = soc.irq_trace;
	assign console_valid_o = sim_write && soc.bus_addr[3:2] == 2'd0;
	assign console_byte_o = soc.bus_wdata[7:0];
	assign exit_valid_o = sim_write && soc.bus_addr[3:2] == 2'd1;
	assign exit_code_o = soc.bus_wdata;
	assign csr_mstatus_o = `CSR.v_mstatus;
	assign csr_mie_o = `CSR.v_mie;
	assign csr_mtvec_o = {`CSR.tvec_q, 1'b0, `CSR.vectored_q};
	assign csr_mepc_o = {`CSR.epc_q, 1'b0};
	assign csr_mcause_o = {`CSR.cause_irq_q, 26'b0, `CSR.cause_q};
	assign csr_mtval_o = `CSR.mtval;
	assign csr_mscratch_o = `CSR.mscratch;
	assign csr_mcounteren_o = {29'b0, `CSR.ir_q, 1'b0, `CSR.cy_q};
	assign csr_mcycle_o = `CSR.cycle;
	assign csr_minstret_o = `CSR.instret;
	assign csr_mode_o = {2{!`CSR.user_q}};
	assign tr_ctrl_o = `TR.read_ctrl;
	assign tr_watermark_o = `TR.read_watermark[10:0];
	assign tr_lost_o = `TR.lost;
	assign tr_period_o = `TR.period;
	assign tr_counter_o = `TR.counter;
	assign tr_depth_o = `TR.depth;
	assign tr_dither_o = `TR.dither;
	assign tr_lfsr_o = `TR.lfsr;
	assign tr_status_sample_o = `TR.status_sample_q;
	assign tr_irq_o = `TR.irq_o;
	assign tr_range0_lo_o = `TR.read_range0_lo;
	assign tr_range0_hi_o = `TR.read_range0_hi;
	assign tr_cur_start_o = `TR.cur_start;
	assign tr_cur_hist_o = `TR.cur_hist | {31'd0, !`TR.cur_valid};
	assign tr_resume_o = `TR.resume;
	assign tr_cur_cycles_o = `TR.cur_cycles;
	assign tr_cur_insns_o = `TR.cur_insns;
	assign tr_cur_valid_o = `TR.cur_valid;
	assign tr_end_o = `TR.cur_end;
	assign tr_end_reason_o = `TR.cur_end_reason;
	assign tr_outside_o = `TR.outside;
	assign tr_hold_valid_o = `TR.hold_valid;
	assign tr_hold_start_o = `TR.hold_start;
	assign tr_hold_hist_o = `TR.hold_hist;
	assign tr_hold_reason_o = `TR.hold_reason;
	assign tr_hold_repeat_o = `TR.hold_repeat;
	assign tr_hold_cycles_o = `TR.hold_cycles;
	assign tr_hold_insns_o = `TR.hold_insns;
	assign tr_count_o = `TR.count;
	assign tr_rd_ptr_o = `TR.buffer.rd_ptr_o;
	assign tr_wr_ptr_o = `TR.buffer.wr_ptr_o;
	assign tr_readable_o = `TR.readable;
	assign tr_rec_valid_o = `TR.rec_valid_o;
	assign tr_rec_start_o = `TR.rec_start_o;
	assign tr_rec_hist_o = `TR.rec_hist_o;
	assign tr_rec_reason_o = `TR.rec_reason_o;
	assign tr_rec_repeat_o = `TR.rec_repeat_o;
	assign tr_rec_cycles_o = `TR.rec_cycles_o;
	assign tr_rec_insns_o = `TR.rec_insns_o;
	wire [31:0] slot_info = `TR.buffer.g_fifo.g_words.mem[{tr_fifo_index_i, 2'd2}], slot_cycles = `TR.buffer.g_fifo.g_words.mem[{tr_fifo_index_i, 2'd3}];
	assign tr_fifo_word_o = {`TR.buffer.g_fifo.g_words.mem[{tr_fifo_index_i, 2'd0}], `TR.buffer.g_fifo.g_words.mem[{tr_fifo_index_i, 2'd1}],
		slot_info[2:0], slot_info[15:8], slot_cycles[15:0], slot_info[31:16]};
endmodule
`undef CORE
`undef CSR
`undef TR
`default_nettype wire
