// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// rivulet_retire_cross between two clocks without relation: what the unit gets is what the core retired and was not told to be lost, in order.
// SLOW: the unit's clock cannot keep up, so retirements are lost, and told. The clocks drift, so that every distance of their edges comes.
`timescale 1ns/1ps
`default_nettype none
module cross_bench #(
	parameter XLEN = 32,
	parameter DEPTH_BITS = 3,
	parameter CORE_PS = 10007,
	parameter UNIT_PS = 7919,
	parameter SLOW = 0
) ();
	localparam WIDTH = 42 + 2 * XLEN, COUNT = 8000;
	reg core_clk = 1'b0, clk = 1'b0, core_rst = 1'b1, rst = 1'b1;
	always #(CORE_PS / 2000.0) core_clk = !core_clk;
	always #(UNIT_PS / 2000.0) clk = !clk;
	integer seed = 7;
	reg             valid = 1'b0;
	reg [WIDTH-1:0] slot;
	wire            lost, out_valid;
	wire [WIDTH-1:0] out;
	rivulet_retire_cross #(.XLEN(XLEN), .DEPTH_BITS(DEPTH_BITS)) cross (
		.core_clk_i(core_clk),
		.core_rst_i(core_rst),
		.retire_valid_i(valid),
		.retire_insn_i(slot[WIDTH-7 -: 32]),
		.retire_pc_i(slot[2*XLEN+3 -: XLEN]),
		.retire_next_pc_i(slot[XLEN+3 -: XLEN]),
		.retire_trap_i(slot[3]),
		.retire_intr_i(slot[2]),
		.retire_mode_i(slot[1:0]),
		.retire_cause_i(slot[WIDTH-1 -: 6]),
		.lost_o(lost),
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_o(out_valid),
		.retire_insn_o(out[WIDTH-7 -: 32]),
		.retire_pc_o(out[2*XLEN+3 -: XLEN]),
		.retire_next_pc_o(out[XLEN+3 -: XLEN]),
		.retire_trap_o(out[3]),
		.retire_intr_o(out[2]),
		.retire_mode_o(out[1:0]),
		.retire_cause_o(out[WIDTH-1 -: 6])
	);
	reg [WIDTH-1:0] sent [0:COUNT-1];
	integer retired = 0, taken = 0, dropped = 0, got = 0, wrong = 0, burst = 0;
	always @(negedge core_clk) begin                                     // stimulus away from the edge
		if (burst == 0)
			burst = $random(seed) & 31;
		else
			burst = burst - 1;
		valid = !core_rst && retired < COUNT && (SLOW || burst[4] ? 1'b1 : ($random(seed) & 3) == 0);
		slot = {$random(seed), $random(seed), $random(seed), $random(seed), $random(seed), $random(seed)};
	end
	always @(posedge core_clk)
		if (valid && !core_rst) begin
			retired = retired + 1;
			if (lost)
				dropped = dropped + 1;
			else begin
				sent[taken] = slot;
				taken = taken + 1;
			end
		end
	always @(posedge clk)
		if (out_valid && !rst) begin
			if (got >= taken || out !== sent[got])
				wrong = wrong + 1;
			got = got + 1;
		end
	initial begin
		#200 @(posedge core_clk) #1 core_rst = 1'b0;
		@(posedge clk) #1 rst = 1'b0;
		wait (retired == COUNT);
		#2000;
		$display("%0d retired, %0d lost, %0d handed out, %0d wrong", retired, dropped, got, wrong);
		if (wrong != 0 || got != taken || taken + dropped != COUNT || (SLOW ? dropped == 0 : dropped != 0))
			$display("FAILED");
		$finish;
	end
endmodule
`default_nettype wire
