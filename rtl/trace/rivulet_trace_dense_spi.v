// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense stream as an SPI master, mode 0, the highest bit first: the receiver is a slave that only listens (docs/trace-unit.md section 15). It is
// selected for each byte anew, so what a disturbed clock does ends with the byte. Cost: `make synth-dense`.
`default_nettype none
module rivulet_trace_dense_spi #(
	parameter DIV = 1                    // cycles of half a clock of SPI: 1 to 256
) (
	input  wire       clk_i,
	input  wire       rst_i,
	input  wire       byte_valid_i,      // of the coder
	input  wire [7:0] byte_i,
	output wire       byte_ready_o,
	output wire       cs_n_o,
	output wire       sck_o,
	output wire       mosi_o
);
	localparam LESS_1 = DIV - 1;
	localparam [7:0] LAST = LESS_1[7:0];
	reg  [7:0] timer_q, shift_q;
	reg  [4:0] halves_q;                 // still to come; the last two are between two bytes, not selected
	wire       half_ends = timer_q == LAST;
	assign byte_ready_o = half_ends && halves_q == 5'd0;
	assign cs_n_o = halves_q < 5'd2;
	assign sck_o = !cs_n_o && !halves_q[0];
	assign mosi_o = shift_q[7];
	wire       begins = byte_ready_o && byte_valid_i;
	always @(posedge clk_i) begin
		timer_q <= begins || (half_ends && halves_q != 5'd0) ? 8'd0 : half_ends ? timer_q : timer_q + 8'd1;
		if (begins) begin
			shift_q <= byte_i;
			halves_q <= 5'd17;
		end else if (half_ends && halves_q != 5'd0) begin
			halves_q <= halves_q - 5'd1;
			if (!halves_q[0])
				shift_q <= {shift_q[6:0], 1'b0};
		end
		if (rst_i) begin
			timer_q <= 8'd0;
			shift_q <= 8'd0;
			halves_q <= 5'd0;
		end
	end
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (DIV < 1 || DIV > 256) begin : g_div
		rivulet_trace_dense_spi_DIV_is_1_to_256 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
