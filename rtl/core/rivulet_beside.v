// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Carries the pc and the bits of an instruction from D through X to W, for traps and the retire port; X does not use them.
// Cost: 2 flip-flops a bit; IN_RAM none, but a block RAM for each 16 bits (4 SB_RAM40 on iCE40), and W has the value later in the cycle.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_beside #(
	parameter WIDTH = 63,
	parameter [0:0] IN_RAM = 0
) (
	input  wire             clk_i,
	input  wire             rst_i,
	input  wire             to_x_i,      // data_i goes to X
	input  wire [WIDTH-1:0] data_i,
	input  wire             to_w_i,      // what is in X goes to W
	output wire [WIDTH-1:0] data_o       // of what is in W
);
	generate if (IN_RAM) begin : g_ram
		// Two places by turns: X's is read while the other is written.
		(* ram_style = "block", no_rw_check *) reg [WIDTH-1:0] mem [0:1];
		reg [WIDTH-1:0] w_q;
		reg             at_q;            // where D writes
		always @(posedge clk_i) begin
			if (to_x_i)
				mem[at_q] <= data_i;
			if (to_w_i)
				w_q <= mem[!at_q];
			at_q <= !rst_i && (at_q ^ to_x_i);
		end
		assign data_o = w_q;
	end else begin : g_registers
		reg [WIDTH-1:0] x_q, w_q;
		always @(posedge clk_i) begin
			if (to_x_i)
				x_q <= data_i;
			if (to_w_i)
				w_q <= x_q;
		end
		assign data_o = w_q;
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
