// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// debug_soc with the program of +program=FILE, hexadecimal words, in its memory.
`default_nettype none
module debug_bench (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        tck_i,
	input  wire        tms_i,
	input  wire        tdi_i,
	output wire        tdo_o,
	output wire        retire_valid_o,
	output wire        retire_trap_o,
	output wire [31:0] retire_pc_o
);
	debug_soc soc (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.tck_i(tck_i),
		.tms_i(tms_i),
		.tdi_i(tdi_i),
		.tdo_o(tdo_o),
		.retire_valid_o(retire_valid_o),
		.retire_trap_o(retire_trap_o),
		.retire_pc_o(retire_pc_o)
	);
	reg [8*256-1:0] name;
	initial
		if ($value$plusargs("program=%s", name))
			$readmemh(name, soc.ram);
endmodule
`default_nettype wire
