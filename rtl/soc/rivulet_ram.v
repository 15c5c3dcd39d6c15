// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Single-port RAM with byte enables and one cycle of latency. Boards with hard memory blocks have their own module of this name and these ports.
`default_nettype none
module rivulet_ram #(
	parameter BYTES = 131072,                // Requires: a multiple of 4
	parameter FILE = ""                      // its words at power-up, for $readmemh; "": undefined
) (
	input  wire        clk_i,
	input  wire [29:0] word_i,               // word index, below BYTES / 4
	input  wire [3:0]  wstrb_i,              // 0: read
	input  wire [31:0] wdata_i,
	output reg  [31:0] rdata_o               // of the read in the cycle before
);
	localparam WORDS = BYTES / 4;
	localparam INDEX_W = $clog2(WORDS);
	reg [31:0] mem [0:WORDS-1] /*verilator public_flat_rw*/;
	initial if (FILE != "") $readmemh(FILE, mem);
	wire [INDEX_W-1:0] index = word_i[INDEX_W-1:0];
	always @(posedge clk_i) begin
		if (wstrb_i == 4'b0000)
			rdata_o <= mem[index];
		if (wstrb_i[0])
			mem[index][7:0] <= wdata_i[7:0];
		if (wstrb_i[1])
			mem[index][15:8] <= wdata_i[15:8];
		if (wstrb_i[2])
			mem[index][23:16] <= wdata_i[23:16];
		if (wstrb_i[3])
			mem[index][31:24] <= wdata_i[31:24];
	end
endmodule
`default_nettype wire
