// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Machine timer and software interrupt in the CLINT layout (docs/core.md section 7). Cost: about 280 LUT4.
`default_nettype none
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
	reg [63:0] mtime_q, not_cmp_q;           // mtimecmp inverted: the comparison is a carry chain, and nothing inverts in front of one
	wire at_msip = addr_i[15:2] == 14'h0000;
	wire at_cmp = addr_i[15:3] == 13'h0800;
	wire at_time = addr_i[15:3] == 13'h17FF;
	wire high = addr_i[2];
	wire write_lo = write_i && at_time && !high;
	wire write_hi = write_i && at_time && high;
	wire [63:0] next = mtime_q + 64'd1;
	wire [64:0] reached = {1'b0, mtime_q} + {1'b0, not_cmp_q} + 65'd1;
	always @(posedge clk_i) begin
		// A half that is written does not count, and no carry passes between the halves in that cycle.
		mtime_q[31:0] <= write_lo ? wdata_i : next[31:0];
		if (!write_lo)
			mtime_q[63:32] <= write_hi ? wdata_i : next[63:32];
		if (write_i && at_cmp && !high)
			not_cmp_q[31:0] <= ~wdata_i;
		if (write_i && at_cmp && high)
			not_cmp_q[63:32] <= ~wdata_i;
		if (write_i && at_msip)
			msip_q <= wdata_i[0];
		irq_timer_o <= !rst_i && reached[64];
		rdata_o <= at_time ? (high ? mtime_q[63:32] : mtime_q[31:0]) : high ? ~not_cmp_q[63:32] : ~not_cmp_q[31:0];
		if (!sel_i || !(at_time || at_cmp))
			rdata_o <= {31'b0, sel_i && at_msip && msip_q};
		if (rst_i) begin
			msip_q <= 1'b0;
			mtime_q <= 64'd0;
			not_cmp_q <= 64'd0;
		end
	end
	assign irq_soft_o = msip_q;
endmodule
`default_nettype wire
