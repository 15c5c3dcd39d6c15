// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// APB4 slave in front of the register bus. Two cycles an access, the fewest that APB has: setup and access, without a wait.
// Place it where machine mode alone can reach it (docs/trace-unit.md section 10). Cost: about 3 LUT4.
`default_nettype none
module rivulet_trace_apb (
	// APB: the master holds everything but penable from the setup cycle to the end of the access cycle. 32-bit accesses only: with any strobe
	// low a write is ignored.
	input  wire        psel_i,
	input  wire        penable_i,
	input  wire        pwrite_i,
	input  wire [7:2]  paddr_i,
	input  wire [3:0]  pstrb_i,
	input  wire [31:0] pwdata_i,
	output wire [31:0] prdata_o,
	output wire        pready_o,
	output wire        pslverr_o,
	// register bus of rivulet_trace
	output wire        reg_write_o,
	output wire [5:0]  reg_index_o,
	output wire [31:0] reg_wdata_o,
	input  wire [31:0] reg_rdata_i
);
	// Setup: the index is on the bus. Access: the read data are there, and a write takes effect.
	assign reg_write_o = psel_i && penable_i && pwrite_i && pstrb_i == 4'b1111;
	assign reg_index_o = paddr_i;
	assign reg_wdata_o = pwdata_i;
	assign prdata_o = reg_rdata_i;
	assign pready_o = 1'b1;
	assign pslverr_o = 1'b0;
endmodule
`default_nettype wire
