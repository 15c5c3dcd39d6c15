// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Reset of the boards: until 255 cycles after the clock is ready. iCE40's block RAMs do not read for some microseconds after configuration.
`default_nettype none
module rivulet_reset (
	input  wire clk_i,
	input  wire ready_i,                     // of any clock: the PLL has locked
	output reg  rst_o = 1'b1
);
	reg [1:0] sync_q = 2'b00;
	reg [7:0] count_q = 8'd0;                // configuration sets registers to 0
	always @(posedge clk_i) begin
		sync_q <= {sync_q[0], ready_i};
		if (!sync_q[1])
			count_q <= 8'd0;
		else if (count_q != 8'hFF)
			count_q <= count_q + 8'd1;
		rst_o <= count_q != 8'hFF;
	end
endmodule
`default_nettype wire
