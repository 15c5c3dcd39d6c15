// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Two cores on one bus with what the bench compares led out: every output is the value during the cycle, hart 0 in the low part.
`default_nettype none
module duo_observed #(
	parameter RAM_BYTES = 4194304,
	parameter TABLE_ENTRIES = 0
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        bus_wait_i,
	input  wire [1:0]  irq_ext_i,
	output wire [1:0]  retire_valid_o,
	output wire [1:0]  retire_trap_o,
	output wire [1:0]  retire_intr_o,
	output wire [3:0]  retire_mode_o,
	output wire [63:0] retire_insn_o,
	output wire [63:0] retire_pc_o,
	output wire [63:0] retire_next_pc_o,
	output wire [1:0]  bus_valid_o,
	output wire [1:0]  bus_fetch_o,
	output wire [1:0]  bus_ready_o,
	output wire [63:0] bus_addr_o,
	output wire [7:0]  bus_wstrb_o,
	output wire [63:0] bus_wdata_o,
	output wire [31:0] bus_rdata_o,
	output wire [1:0]  irq_timer_o,
	output wire [1:0]  irq_trace_o,
	output wire        irq_sink_o,
	output wire [1:0]  rec_valid_o,
	output wire [63:0] rec_start_o,
	output wire [63:0] rec_hist_o,
	output wire [7:0]  rec_reason_o,
	output wire [63:0] rec_repeat_o,
	output wire [63:0] rec_cycles_o,
	output wire [31:0] rec_insns_o,
	output wire        rec_taken_o,
	output wire        sink_valid_o,
	output wire [31:0] sink_addr_o,
	output wire [31:0] sink_wdata_o,
	output wire        exit_valid_o,
	output wire [31:0] exit_code_o
);
	wire uart_tx;
	rivulet_duo #(.RAM_BYTES(RAM_BYTES), .SIM(1), .TRACE_TABLE_ENTRIES(TABLE_ENTRIES)) soc (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.irq_ext_i(irq_ext_i),
		.bus_wait_i(bus_wait_i),
		.uart_rx_i(1'b1),
		.uart_tx_o(uart_tx)
	);
	assign retire_valid_o = soc.retire_valid;
	assign retire_trap_o = soc.retire_trap;
	assign retire_intr_o = soc.retire_intr;
	assign retire_mode_o = soc.retire_mode;
	assign retire_insn_o = soc.retire_insn;
	assign retire_pc_o = soc.retire_pc;
	assign retire_next_pc_o = soc.retire_next_pc;
	assign bus_valid_o = soc.bus_valid;
	assign bus_fetch_o = soc.bus_fetch;
	assign bus_ready_o = soc.bus_ready;
	assign bus_addr_o = soc.bus_addr;
	assign bus_wstrb_o = soc.bus_wstrb;
	assign bus_wdata_o = soc.bus_wdata;
	assign bus_rdata_o = soc.bus_rdata;
	assign irq_timer_o = soc.irq_timer;
	assign irq_trace_o = soc.irq_trace;
	assign irq_sink_o = soc.irq_sink;
	assign rec_valid_o = soc.rec_valid;
	assign rec_start_o = soc.rec_start;
	assign rec_hist_o = soc.rec_hist;
	assign rec_reason_o = soc.rec_reason;
	assign rec_repeat_o = soc.rec_repeat;
	assign rec_cycles_o = soc.rec_cycles;
	assign rec_insns_o = soc.rec_insns;
	assign rec_taken_o = soc.rec_taken;
	assign sink_valid_o = soc.sink_valid;
	assign sink_addr_o = soc.sink_addr;
	assign sink_wdata_o = soc.sink_wdata;
	wire sim_write = soc.write && soc.hit_sim;
	assign exit_valid_o = sim_write && soc.data_addr[3:2] == 2'd1;
	assign exit_code_o = soc.wdata;
endmodule
`default_nettype wire
