// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The dense stream on a line, 8N1 (docs/trace-unit.md section 15). Cost: `make synth-dense`.
`default_nettype none
module rivulet_trace_dense_uart #(
	parameter DIV = 8                    // cycles of a bit: 1 to 65536
) (
	input  wire       clk_i,
	input  wire       rst_i,
	input  wire       byte_valid_i,      // of the coder
	input  wire [7:0] byte_i,
	output wire       byte_ready_o,
	output wire       tx_o,
	input  wire       rx_i,              // of any clock: the receiver's line, 1 if there is none
	output wire       begin_o            // pulse: a byte begins on it, whichever: the receiver asks for a start
);
	reg  [2:0]  rx_q;                    // two make it one of this clock
	assign begin_o = rx_q[2] && !rx_q[1];
	always @(posedge clk_i)
		rx_q <= rst_i ? 3'b000 : {rx_q[1:0], rx_i};

	localparam LESS_1 = DIV - 1;
	localparam [15:0] LAST = LESS_1[15:0];
	reg  [15:0] timer_q;
	reg  [8:0]  shift_q;                 // the stop bit comes last, and stays
	reg  [3:0]  bits_q;                  // still to send after this one
	wire        bit_ends = timer_q == LAST;
	assign byte_ready_o = bit_ends && bits_q == 4'd0;
	assign tx_o = shift_q[0];
	wire        begins = byte_ready_o && byte_valid_i;
	always @(posedge clk_i) begin
		timer_q <= begins || (bit_ends && bits_q != 4'd0) ? 16'd0 : bit_ends ? timer_q : timer_q + 16'd1;
		if (begins) begin
			shift_q <= {byte_i, 1'b0};
			bits_q <= 4'd9;
		end else if (bit_ends && bits_q != 4'd0) begin
			shift_q <= {1'b1, shift_q[8:1]};
			bits_q <= bits_q - 4'd1;
		end
		if (rst_i) begin
			timer_q <= 16'd0;
			shift_q <= 9'h1FF;
			bits_q <= 4'd0;
		end
	end
	// What is not legal stops elaboration, as in rivulet_trace_legal.
	generate
	if (DIV < 1 || DIV > 65536) begin : g_div
		rivulet_trace_dense_uart_DIV_is_1_to_65536 wrong ();
	end
	endgenerate
endmodule
`default_nettype wire
