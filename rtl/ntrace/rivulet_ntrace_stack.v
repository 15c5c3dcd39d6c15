// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The return stack: the addresses behind the calls that have not returned, the oldest is lost when it is full. A memory with synchronous read:
// ready_o is 0 in the cycle after a change. Cost: about 25 LUT4, comparison with the target included, and block RAM of DEPTH x WIDTH bits.
`default_nettype none
module rivulet_ntrace_stack #(
	parameter WIDTH = 31,
	parameter DEPTH = 8                  // a power of two from 2 to 32
) (
	input  wire             clk_i,
	input  wire             clear_i,     // it is empty in the next cycle
	input  wire             push_i,
	input  wire             pop_i,       // with push_i: first this
	input  wire [WIDTH-1:0] link_i,
	input  wire [WIDTH-1:0] target_i,
	output wire             ready_o,     // hit_o has a meaning
	output wire             hit_o        // the newest is the target
);
	localparam PTR = $clog2(DEPTH);
	localparam [PTR-1:0] ONE = 1;
	(* no_rw_check *) reg [WIDTH-1:0] mem [0:DEPTH-1];
	reg  [WIDTH-1:0] top_q;
	reg  [PTR-1:0]   next_q;             // the next free place
	reg  [PTR:0]     depth_q;
	reg              ready_q;
	wire some = depth_q != {PTR+1{1'b0}};
	wire pop = pop_i && some;
	wire [PTR-1:0] top = next_q - ONE;
	wire [PTR-1:0] place = pop ? top : next_q;
	assign ready_o = ready_q;
	assign hit_o = some && top_q == target_i;
	always @(posedge clk_i) begin
		if (push_i)
			mem[place] <= link_i;
		top_q <= mem[top];
		ready_q <= !push_i && !pop;
		if (push_i && !pop)
			next_q <= next_q + ONE;
		else if (pop && !push_i)
			next_q <= top;
		if (clear_i) begin
			depth_q <= {PTR+1{1'b0}};
			next_q <= {PTR{1'b0}};
		end else if (push_i && !pop && !depth_q[PTR])
			depth_q <= depth_q + {{PTR{1'b0}}, 1'b1};
		else if (pop && !push_i)
			depth_q <= depth_q - {{PTR{1'b0}}, 1'b1};
	end
endmodule
`default_nettype wire
