// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Boot ROM: 256 words with one cycle of latency, from a file of hexadecimal words. 2 block RAMs on iCE40.
`default_nettype none
module rivulet_rom #(
	parameter FILE = ""                      // for $readmemh
) (
	input  wire        clk_i,
	input  wire [7:0]  word_i,
	output reg  [31:0] rdata_o               // of word_i in the cycle before
);
	reg [31:0] mem [0:255];
	initial if (FILE != "") $readmemh(FILE, mem);
	always @(posedge clk_i)
		rdata_o <= mem[word_i];
endmodule
`default_nettype wire
