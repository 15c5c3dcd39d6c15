// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Wishbone B4 classic slave in front of the encoder's register bus: 8 KiB, the encoder's block first, then the sink's. Two cycles an access. Not
// rivulet_trace_wb, because reading trRamData moves trRamRP: the bus has a strobe for reads too. Cost: about 6 LUT4.
`default_nettype none
module rivulet_ntrace_wb (
	input  wire        clk_i,
	input  wire        rst_i,            // synchronous
	// Wishbone: the master holds cyc, stb, we, adr and dat_i until ack; ack lasts one cycle. 32-bit accesses only: with any
	// select line low a write is ignored.
	input  wire        wb_cyc_i,
	input  wire        wb_stb_i,
	input  wire        wb_we_i,
	input  wire [12:2] wb_adr_i,
	input  wire [3:0]  wb_sel_i,
	input  wire [31:0] wb_dat_i,
	output wire [31:0] wb_dat_o,
	output reg         wb_ack_o,
	// register bus of rivulet_ntrace
	output wire        reg_write_o,
	output wire        reg_read_o,
	output wire [10:0] reg_index_o,
	output wire [31:0] reg_wdata_o,
	input  wire [31:0] reg_rdata_i
);
	// First cycle: the index is on the bus, a write takes effect, and so does what a read changes. Second cycle: the read data, as they were
	// before that, and the acknowledge.
	wire first = wb_cyc_i && wb_stb_i && !wb_ack_o;
	always @(posedge clk_i)
		wb_ack_o <= first && !rst_i;
	assign reg_write_o = first && wb_we_i && wb_sel_i == 4'b1111;
	assign reg_read_o = first && !wb_we_i;
	assign reg_index_o = wb_adr_i;
	assign reg_wdata_o = wb_dat_i;
	assign wb_dat_o = reg_rdata_i;
endmodule
`default_nettype wire
