// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A queue in a memory with synchronous read: what is pushed in a cycle can be read from the next but one on, and a pop costs no cycle.
// Cost: about 20 LUT4 and block RAM of DEPTH x WIDTH bits.
`default_nettype none
module rivulet_trace_queue #(
	parameter WIDTH = 8,
	parameter DEPTH = 256                // a power of two from 4 to 4096
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             push_i,      // not while full_o
	input  wire [WIDTH-1:0] data_i,
	output wire             full_o,
	output wire             empty_o,     // nothing is in it, nor at the head
	output reg              valid_o,     // data_o is the oldest
	output reg  [WIDTH-1:0] data_o,
	input  wire             pop_i        // only while valid_o
);
	localparam PTR = $clog2(DEPTH);
	(* no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
	reg  [PTR:0] wr_q, rd_q;
	wire [PTR:0] rd_next = rd_q + {{PTR{1'b0}}, pop_i};
	assign full_o = wr_q == {!rd_q[PTR], rd_q[PTR-1:0]};
	assign empty_o = wr_q == rd_q;
`ifdef FORMAL
	wire [WIDTH*DEPTH-1:0] rows;         // for formal/dense
	generate genvar i; for (i = 0; i < DEPTH; i = i + 1) begin : g_row
		assign rows[WIDTH*i +: WIDTH] = mem[i];
	end endgenerate
`endif
	always @(posedge clk_i) begin
		if (push_i)
			mem[wr_q[PTR-1:0]] <= data_i;
		data_o <= mem[rd_next[PTR-1:0]];
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
