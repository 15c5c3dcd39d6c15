// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Bits become bytes of frames between flags (docs/trace-unit.md section 15): packed from the low end, with their CRC, escaped, buffered.
// Cost: about 170 LUT4, 60 flip-flops and block RAM of BUFFER bytes.
`default_nettype none
module rivulet_trace_dense_pack #(
	parameter BUFFER = 512               // bytes; a power of two from 16 to 4096
) (
	input  wire       clk_i,
	input  wire       rst_i,
	// one of these at most, and held until ready_o
	input  wire       bits_i,            // size_i of bits_i, from 1 to 6; the others are 0
	input  wire       pad_i,             // zeros up to a whole byte
	input  wire       check_i,           // a byte of the CRC: the lowest first, four in all
	input  wire       flag_i,
	input  wire       first_i,           // with flag_i: the CRC begins anew
	input  wire [5:0] value_i,
	input  wire [2:0] size_i,
	output wire       ready_o,
	output wire       empty_o,           // all has left
	output wire       byte_valid_o,      // a byte, until it is taken
	output wire [7:0] byte_o,
	input  wire       byte_ready_i
);
	localparam [7:0] FLAG = 8'h7E, ESCAPE = 8'h7D, FLIP = 8'h20;
	localparam [31:0] POLYNOMIAL = 32'hEDB88320;
	function [31:0] crc_step(input [31:0] crc, input [7:0] data);
		integer i;
		begin
			crc_step = crc ^ {24'd0, data};
			for (i = 0; i < 8; i = i + 1)
				crc_step = {1'b0, crc_step[31:1]} ^ (crc_step[0] ? POLYNOMIAL : 32'd0);
		end
	endfunction

	reg  [6:0]  acc_q;                   // fill_q bits of the next byte
	reg  [2:0]  fill_q;
	reg  [31:0] crc_q;
	reg         stage_q, raw_q, escaped_q;   // byte_q waits; it is a flag; its escape has gone
	reg  [7:0]  byte_q;

	wire        full, empty;
	wire        special = byte_q == FLAG || byte_q == ESCAPE;
	wire        escapes = !raw_q && !escaped_q && special;
	wire        push = stage_q && !full;
	assign ready_o = !stage_q || (push && !escapes);
	assign empty_o = !stage_q && empty;

	wire [12:0] sum = {6'd0, acc_q} | ({7'd0, value_i} << fill_q);
	wire [3:0]  fill = {1'b0, fill_q} + {1'b0, size_i};
	wire        whole = bits_i && fill[3];
	wire        content = ready_o && (whole || (pad_i && fill_q != 3'd0));
	wire        stages = content || (ready_o && (check_i || flag_i));
	always @(posedge clk_i) begin
		if (push)
			escaped_q <= escapes;
		stage_q <= stages || (stage_q && !ready_o);
		if (stages) begin
			byte_q <= flag_i ? FLAG : check_i ? ~crc_q[7:0] : sum[7:0];
			raw_q <= flag_i;
		end
		if (ready_o && bits_i) begin
			acc_q <= whole ? {2'd0, sum[12:8]} : sum[6:0];
			fill_q <= fill[2:0];
		end
		if (ready_o && pad_i) begin
			acc_q <= 7'd0;
			fill_q <= 3'd0;
		end
		if (content)
			crc_q <= crc_step(crc_q, sum[7:0]);
		else if (ready_o && check_i)
			crc_q <= {crc_q[7:0], crc_q[31:8]};
		else if (ready_o && first_i)
			crc_q <= 32'hFFFFFFFF;
		if (rst_i) begin
			acc_q <= 7'd0;
			fill_q <= 3'd0;
			{stage_q, escaped_q} <= 2'b00;
		end
	end
	rivulet_trace_queue #(.WIDTH(8), .DEPTH(BUFFER)) buffer (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.push_i(push),
		.data_i(escapes ? ESCAPE : escaped_q ? byte_q ^ FLIP : byte_q),
		.full_o(full),
		.empty_o(empty),
		.valid_o(byte_valid_o),
		.data_o(byte_o),
		.pop_i(byte_valid_o && byte_ready_i)
	);
endmodule
`default_nettype wire
