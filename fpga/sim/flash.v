// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// SPI flash as far as the boot ROM uses it: wakes up (ABh), then reads (03h) what +flash=FILE holds from address 100000h on, hexadecimal bytes.
`default_nettype none
`timescale 1ns / 1ns
module flash (
	input  wire cs_n_i,
	input  wire sck_i,
	input  wire mosi_i,
	output reg  miso_o
);
	reg [7:0] mem [0:131071];
	reg [1023:0] name;
	reg awake;
	reg [31:0] command;
	reg [7:0] byte_now;
	integer bits;
	initial begin
		awake = 1'b0;
		bits = 0;
		command = 32'd0;
		miso_o = 1'b1;
		byte_now = 8'hFF;
		if ($value$plusargs("flash=%s", name)) $readmemh(name, mem);
	end
	wire [23:0] at = command[23:0] - 24'h100000;
	always @(posedge sck_i or posedge cs_n_i)
		if (cs_n_i) begin
			if (bits == 8 && command[7:0] == 8'hAB)
				awake = 1'b1;
			bits = 0;
		end else begin
			if (bits < 32)
				command = {command[30:0], mosi_i};
			bits = bits + 1;
		end
	// out at the falling edge; one byte behind the other
	always @(negedge sck_i) begin
		if (awake && bits >= 32 && command[31:24] == 8'h03) begin
			if (bits % 8 == 0)
				byte_now = mem[at[16:0] + bits / 8 - 4];
			else
				byte_now = {byte_now[6:0], 1'b1};
			miso_o = byte_now[7];
		end else
			miso_o = 1'b1;
	end
endmodule
`default_nettype wire
