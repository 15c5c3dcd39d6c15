// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// A board's top module, as RTL or as netlist, from power-up until the UART has sent something and is silent. Writes every change of the
// UART pin with its clock cycle (+wave=FILE) and the bytes (+bytes=FILE).
`default_nettype none
`timescale 1ns / 1ns
`ifndef TOP_PARAMETERS
`define TOP_PARAMETERS
`endif
module bench;
	localparam BIT_CYCLES = `BIT_CYCLES;     // of the UART
	reg clk = 1'b0;
	always #1 clk = !clk;

	wire tx;
`include "bench_top.vh"

	integer wave, bytes, cycle, silent, count, limit, ends; // ends: so many silent cycles end the run
	integer timer;                           // cycles until the middle of the next bit; 0: no byte under way
	reg [9:0] shift;
	reg [3:0] left;
	reg last;
	reg [1023:0] name;
	initial begin
		cycle = 0;
		silent = 0;
		count = 0;
		timer = 0;
		left = 4'd0;
		shift = 10'd0;
		last = 1'b1;
		if (!$value$plusargs("wave=%s", name)) name = "wave.txt";
		wave = $fopen(name, "w");
		if (!$value$plusargs("bytes=%s", name)) name = "bytes.bin";
		bytes = $fopen(name, "wb");
		if (!$value$plusargs("limit=%d", limit)) limit = 50000000;
		if (!$value$plusargs("silent=%d", ends)) ends = 20000;
	end
	always @(negedge clk) begin
		cycle = cycle + 1;
		silent = silent + 1;
		if (tx !== last) begin
			$fwrite(wave, "%0d %b\n", cycle, tx);
			silent = 0;
		end
		last = tx;
		if (timer == 0) begin
			if (tx === 1'b0) begin
				timer = BIT_CYCLES + BIT_CYCLES / 2;
				left = 4'd9;
			end
		end else begin
			timer = timer - 1;
			if (timer == 0) begin
				shift = {tx, shift[9:1]};
				left = left - 4'd1;
				if (left != 4'd0)
					timer = BIT_CYCLES;
				else begin
					// shift: stop bit, byte, rest
					count = count + 1;
					if (shift[9] !== 1'b1)
						$display("bench: cycle %0d: byte %0d has no stop bit", cycle, count);
					$fwrite(bytes, "%c", shift[8:1]);
				end
			end
		end
		if ((count != 0 && silent == ends) || cycle == limit) begin
			$display("bench: %0d cycles, %0d bytes%0s", cycle, count, cycle == limit ? ", limit reached" : "");
			$fclose(wave);
			$fclose(bytes);
			$finish;
		end
	end
endmodule
`default_nettype wire
