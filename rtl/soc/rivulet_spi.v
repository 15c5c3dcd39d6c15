// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// SPI master, mode 0, bytes, most significant bit first, half the clock's rate: reads the configuration flash (docs/fpga.md).
// About 40 LUT4.
`default_nettype none
module rivulet_spi (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        write_i,              // write takes effect at the end of the cycle
	input  wire [3:0]  addr_i,               // byte offset: 0 DATA, 4 CTRL
	input  wire [8:0]  wdata_i,
	// Both addresses: bits 7..0 the byte received last, bit 8 busy, bit 9 strap_i
	output wire [31:0] rdata_o,
	input  wire        strap_i,
	output reg         cs_n_o,               // CTRL bit 0, inverted
	output reg         sck_o,
	output wire        mosi_o,
	input  wire        miso_i
);
	reg [7:0] shift_q;
	reg [3:0] left_q;                        // half periods of the clock line left, less 1
	reg       busy_q, miso_q;
	reg [1:0] strap_q;
	wire at_data = addr_i[3:2] == 2'd0;
	wire at_ctrl = addr_i[3:2] == 2'd1;
	always @(posedge clk_i) begin
		strap_q <= {strap_q[0], strap_i};
		if (busy_q) begin
			left_q <= left_q - 4'd1;
			busy_q <= left_q != 4'd0;
			sck_o <= !sck_o;
			if (!sck_o)
				miso_q <= miso_i;        // taken as the line rises
			else
				shift_q <= {shift_q[6:0], miso_q};
		end else if (write_i && at_data) begin
			shift_q <= wdata_i[7:0];
			left_q <= 4'd15;
			busy_q <= 1'b1;
		end
		if (write_i && at_ctrl)
			cs_n_o <= !wdata_i[0];
		if (rst_i) begin
			busy_q <= 1'b0;
			sck_o <= 1'b0;
			cs_n_o <= 1'b1;
		end
	end
	assign mosi_o = shift_q[7];
	assign rdata_o = {22'd0, strap_q[1], busy_q, shift_q};
endmodule
`default_nettype wire
