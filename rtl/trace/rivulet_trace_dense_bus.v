// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense stream at a port of 8 bits and a strobe, as a FIFO of USB (FT245) has it: a byte is taken at the falling edge of wr_n_o
// (docs/trace-unit.md section 15). Cost: `make synth-dense`.
`default_nettype none
module rivulet_trace_dense_bus #(
	parameter DIV = 2                    // cycles of a phase: the byte is there, wr_n_o is 0, wr_n_o is 1; 2 to 256
) (
	input  wire       clk_i,
	input  wire       rst_i,
	input  wire       byte_valid_i,      // of the coder
	input  wire [7:0] byte_i,
	output wire       byte_ready_o,
	output wire [7:0] data_o,
	output wire       wr_n_o,
	input  wire       full_i             // of any clock: the receiver takes no byte now. It comes before wr_n_o is 1 again
);
	localparam LESS_1 = DIV - 1;
	localparam [7:0] LAST = LESS_1[7:0];
	localparam [1:0] IDLE = 2'd0, SETUP = 2'd1;      // then the strobe, then a rest
	reg  [1:0] state_q, full_q;
	reg  [7:0] timer_q, data_q;
	reg        strobe_q;                 // a register of its own: the pin has no glitch
	wire       phase_ends = timer_q == LAST;
	assign byte_ready_o = state_q == IDLE && !full_q[1];
	assign data_o = data_q;
	assign wr_n_o = !strobe_q;
	always @(posedge clk_i) begin
		full_q <= {full_q[0], full_i};
		timer_q <= state_q == IDLE || phase_ends ? 8'd0 : timer_q + 8'd1;
		if (state_q == IDLE && byte_ready_o && byte_valid_i) begin
			data_q <= byte_i;
			state_q <= SETUP;
		end else if (state_q != IDLE && phase_ends) begin
			state_q <= state_q + 2'd1;
			strobe_q <= state_q == SETUP;
		end
		if (rst_i) begin
			state_q <= IDLE;
			full_q <= 2'b11;
			timer_q <= 8'd0;
			data_q <= 8'd0;
			strobe_q <= 1'b0;
		end
	end
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (DIV < 2 || DIV > 256) begin : g_div
		rivulet_trace_dense_bus_DIV_is_2_to_256 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
