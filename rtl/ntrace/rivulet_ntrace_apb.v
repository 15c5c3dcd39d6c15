// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// APB4 slave in front of the encoder's register bus: 8 KiB, the encoder's block first, then the sink's. Two cycles an access. Not
// rivulet_trace_apb, because reading trRamData moves trRamRP: the bus has a strobe for reads too. Cost: about 4 LUT4.
`default_nettype none
module rivulet_ntrace_apb (
	// APB: the master holds everything but penable from the setup cycle to the end of the access cycle. 32-bit accesses only: with any strobe
	// low a write is ignored.
	input  wire        psel_i,
	input  wire        penable_i,
	input  wire        pwrite_i,
	input  wire [12:2] paddr_i,
	input  wire [3:0]  pstrb_i,
	input  wire [31:0] pwdata_i,
	output wire [31:0] prdata_o,
	output wire        pready_o,
	output wire        pslverr_o,
	// register bus of rivulet_ntrace
	output wire        reg_write_o,
	output wire        reg_read_o,
	output wire [10:0] reg_index_o,
	output wire [31:0] reg_wdata_o,
	input  wire [31:0] reg_rdata_i
);
	// Setup: the index is on the bus. Access: the read data are there; a write takes effect, and so does what a read changes.
	assign reg_write_o = psel_i && penable_i && pwrite_i && pstrb_i == 4'b1111;
	assign reg_read_o = psel_i && penable_i && !pwrite_i;
	assign reg_index_o = paddr_i;
	assign reg_wdata_o = pwdata_i;
	assign prdata_o = reg_rdata_i;
	assign pready_o = 1'b1;
	assign pslverr_o = 1'b0;
endmodule
`default_nettype wire
