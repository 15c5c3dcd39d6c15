// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The events between the retire port, which never waits, and the encoder, which writes one byte a cycle. A memory with synchronous read.
// Cost: about 25 LUT4 and block RAM of DEPTH x WIDTH bits.
`default_nettype none
module rivulet_ntrace_queue #(
	parameter WIDTH = 80,
	parameter DEPTH = 64                 // a power of two from 8 to 512
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             push_i,      // not while full_o
	input  wire [WIDTH-1:0] data_i,
	output wire             full_o,
	output wire             room_o,      // half of it is free
	output wire             nearly_full_o, // seven eighths of it are in use
	output wire             empty_o,     // nothing is in it, nor at the head
	output reg              valid_o,     // data_o is the oldest event
	output reg  [WIDTH-1:0] data_o,
	input  wire             pop_i        // only while valid_o
);
	localparam PTR = $clog2(DEPTH);
	(* no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
	reg  [PTR:0] wr_q, rd_q;
	wire [PTR:0] rd_next = rd_q + {{PTR{1'b0}}, pop_i};
	wire [PTR:0] held = wr_q - rd_q;
	assign full_o = held[PTR];
	assign room_o = !held[PTR] && !held[PTR-1];
	assign nearly_full_o = held[PTR] || (&held[PTR-1:PTR-3]);
	assign empty_o = wr_q == rd_q;
	always @(posedge clk_i) begin
		if (push_i)
			mem[wr_q[PTR-1:0]] <= data_i;
		data_o <= mem[rd_next[PTR-1:0]];
		// What is pushed in this cycle can be read in the next one.
		valid_o <= wr_q != rd_next;
		wr_q <= wr_q + {{PTR{1'b0}}, push_i};
		rd_q <= rd_next;
		if (rst_i) begin
			wr_q <= {PTR+1{1'b0}};
			rd_q <= {PTR+1{1'b0}};
			valid_o <= 1'b0;
		end
	end
endmodule
`default_nettype wire
