// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Machine timer and software interrupt in the CLINT layout (docs/core.md section 7).
`default_nettype none
module rivulet_clint (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        write_i,              // write takes effect at the end of the cycle
	input  wire [15:0] addr_i,               // byte offset
	input  wire [31:0] wdata_i,
	output reg  [31:0] rdata_o,              // of addr_i in the cycle before
	output wire        irq_soft_o,
	output reg         irq_timer_o
);
	reg        msip_q;
	reg [63:0] mtime_q, mtimecmp_q;
	wire at_msip = addr_i[15:2] == 14'h0000;
	wire at_cmp_lo = addr_i[15:2] == 14'h1000;
	wire at_cmp_hi = addr_i[15:2] == 14'h1001;
	wire at_time_lo = addr_i[15:2] == 14'h2FFE;
	wire at_time_hi = addr_i[15:2] == 14'h2FFF;
	wire [63:0] mtime_next = mtime_q + 64'd1;
	always @(posedge clk_i) begin
		// A half that is written does not count, and no carry passes between the halves in that cycle.
		if (write_i && at_time_lo)
			mtime_q[31:0] <= wdata_i;
		else
			mtime_q[31:0] <= mtime_next[31:0];
		if (write_i && at_time_hi)
			mtime_q[63:32] <= wdata_i;
		else if (!(write_i && at_time_lo))
			mtime_q[63:32] <= mtime_next[63:32];
		if (write_i && at_cmp_lo)
			mtimecmp_q[31:0] <= wdata_i;
		if (write_i && at_cmp_hi)
			mtimecmp_q[63:32] <= wdata_i;
		if (write_i && at_msip)
			msip_q <= wdata_i[0];
		irq_timer_o <= !rst_i && mtime_q >= mtimecmp_q;
		rdata_o <= ({32{at_msip}} & {31'b0, msip_q}) | ({32{at_cmp_lo}} & mtimecmp_q[31:0]) | ({32{at_cmp_hi}} & mtimecmp_q[63:32]) |
			({32{at_time_lo}} & mtime_q[31:0]) | ({32{at_time_hi}} & mtime_q[63:32]);
		if (rst_i) begin
			msip_q <= 1'b0;
			mtime_q <= 64'd0;
			mtimecmp_q <= {64{1'b1}};
		end
	end
	assign irq_soft_o = msip_q;
endmodule
`default_nettype wire
