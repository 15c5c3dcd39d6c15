// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC's RAM in the UltraPlus' four 32 KiB blocks: 128 KiB. Takes the place of rtl/soc/rivulet_ram.v (RIVULET_RAM). Its content after power-up is undefined.
`default_nettype none
module rivulet_up5k_ram #(
	parameter BYTES = 131072,                // Requires: 131072
	parameter FILE = ""                      // Requires: "", the blocks have no initial content
) (
	input  wire        clk_i,
	input  wire [29:0] word_i,
	input  wire [3:0]  wstrb_i,              // 0: read
	input  wire [31:0] wdata_i,
	output wire [31:0] rdata_o               // of the read in the cycle before
);
	localparam [31:0] SIZE = BYTES;
	wire [31:0] rdata [0:1];
	reg         bank_q;
	always @(posedge clk_i)
		bank_q <= word_i[14];
	assign rdata_o = rdata[bank_q];
	genvar bank, half;
	generate
		if (SIZE != 32'd131072) begin : g_bad
			rivulet_up5k_ram_is_131072_bytes wrong ();
		end
		for (bank = 0; bank < 2; bank = bank + 1) begin : g_bank
			for (half = 0; half < 2; half = half + 1) begin : g_half
				// the block's mask is one bit a nibble
				SB_SPRAM256KA ram (
					.CLOCK(clk_i),
					.CHIPSELECT(word_i[14] == bank),
					.WREN(wstrb_i != 4'b0000),
					.ADDRESS(word_i[13:0]),
					.DATAIN(wdata_i[16*half +: 16]),
					.MASKWREN({{2{wstrb_i[2*half+1]}}, {2{wstrb_i[2*half]}}}),
					.DATAOUT(rdata[bank][16*half +: 16]),
					.STANDBY(1'b0),
					.SLEEP(1'b0),
					.POWEROFF(1'b1)
				);
			end
		end
	endgenerate
endmodule
`default_nettype wire
