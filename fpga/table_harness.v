// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The trace unit with its hot-trace table between shift registers: every port is a register, so timing shows the unit's own paths. The options are
// those of the boards with a table (docs/fpga.md).
`default_nettype none
module table_harness #(
	parameter TABLE_ENTRIES = 0,             // of rivulet_trace; 0: the unit without a table
	parameter TABLE_WAYS = 4
) (
	input  wire clk_i,
	input  wire in_i,
	output wire out_o
);
	localparam IN_W = 141, OUT_W = 33;
	reg [IN_W-1:0] in_q;
	reg [OUT_W-1:0] out_q;
	wire [OUT_W-1:0] out;
	always @(posedge clk_i) begin
		in_q <= {in_q[IN_W-2:0], in_i};
		out_q <= {out_q[OUT_W-2:0], in_i} ^ out;
	end
	assign out_o = out_q[OUT_W-1];

	rivulet_trace #(
		.HIST(16),
		.FIFO_DEPTH(16),
		.WITH_REASON(1),
		.WITH_MODE(1),
		.WITH_FREEZE(1),
		.WITH_HEAL(1),
		.WITH_LOST(1),
		.TABLE_ENTRIES(TABLE_ENTRIES),
		.TABLE_WAYS(TABLE_WAYS)
	) trace (
		.clk_i(clk_i),
		.rst_i(in_q[140]),
		.retire_valid_i(in_q[0]),
		.retire_insn_i(in_q[32:1]),
		.retire_pc_i(in_q[64:33]),
		.retire_next_pc_i(in_q[96:65]),
		.retire_trap_i(in_q[97]),
		.retire_intr_i(in_q[98]),
		.retire_mode_i(in_q[100:99]),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(1'b0),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(in_q[101]),
		.reg_index_i(in_q[107:102]),
		.reg_wdata_i(in_q[139:108]),
		.reg_rdata_o(out[31:0]),
		.irq_o(out[32]),
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
endmodule
`default_nettype wire
