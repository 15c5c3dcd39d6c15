// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Machine timer and software interrupt in the CLINT layout (docs/core.md section 7). Cost: about 280 LUT4.
`default_nettype none
`ifndef RIVULET_TIMER_COMPARE
`define RIVULET_TIMER_COMPARE rivulet_timer_compare
`endif
`ifndef RIVULET_COUNTER
`define RIVULET_COUNTER rivulet_counter
`endif
module rivulet_clint (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        sel_i,                // addr_i is one of these registers
	input  wire        write_i,              // write takes effect at the end of the cycle
	input  wire [15:0] addr_i,               // byte offset
	input  wire [31:0] wdata_i,
	output reg  [31:0] rdata_o,              // of addr_i in the cycle before, 0 if it had no sel_i
	output wire        irq_soft_o,
	output reg         irq_timer_o
);
	reg        msip_q;
	wire [63:0] mtime, mtimecmp;
	wire        reached;
	wire at_msip = addr_i[15:2] == 14'h0000;
	wire at_cmp = addr_i[15:3] == 13'h0800;
	wire at_time = addr_i[15:3] == 13'h17FF;
	wire high = addr_i[2];
	wire write_lo = write_i && at_time && !high;
	wire write_hi = write_i && at_time && high;
	`RIVULET_COUNTER #(.LATE(1)) count_mtime (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.count_i(1'b1),
		.write_lo_i(write_lo),
		.write_hi_i(write_hi),
		.wdata_i(wdata_i),
		.value_o(mtime)
	);
	`RIVULET_TIMER_COMPARE compare (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.write_lo_i(write_i && at_cmp && !high),
		.write_hi_i(write_i && at_cmp && high),
		.wdata_i(wdata_i),
		.mtime_i(mtime),
		.mtimecmp_o(mtimecmp),
		.reached_o(reached)
	);
	always @(posedge clk_i) begin
		if (write_i && at_msip)
			msip_q <= wdata_i[0];
		irq_timer_o <= !rst_i && reached;
		rdata_o <= at_time ? (high ? mtime[63:32] : mtime[31:0]) : high ? mtimecmp[63:32] : mtimecmp[31:0];
		if (!sel_i || !(at_time || at_cmp))
			rdata_o <= {31'b0, sel_i && at_msip && msip_q};
		if (rst_i)
			msip_q <= 1'b0;
	end
	assign irq_soft_o = msip_q;
endmodule
`default_nettype wire
