// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// JTAG to a bus, for a chip without a debug module: a debugger reads and writes memory and the trace unit while the program runs.
// Both halves follow the RISC-V Debug Specification 0.13.2: the transport of section 6.1, and of chapter 3 the system bus access
// (section 3.8). There are no harts in it: nothing is halted, and no instruction of the program is spent.
//
//   TCK, TMS, TDI, TDO -- rivulet_debug_jtag -- request and answer, across clocks -- rivulet_debug_bus -- Wishbone
//
// Cost: 355 LUT4 and 224 flip-flops (yosys synth_ice40; make check-debug holds these numbers).
`default_nettype none
module rivulet_debug #(
	parameter [31:0] IDCODE = 32'h1000_0001   // Requires: bit 0 set; bits 11..1 are the maker's number at JEDEC
) (
	input  wire        clk_i,                 // of the bus. Requires: not slower than a quarter of TCK
	input  wire        rst_i,                 // synchronous
	// JTAG, with a clock of its own. trst_i is of that clock; 0 will do: five TCK with TMS high reset the transport
	input  wire        tck_i,
	input  wire        tms_i,
	input  wire        tdi_i,
	output wire        tdo_o,                 // changes at the falling edge of TCK
	input  wire        trst_i,
	// Wishbone B4 classic master: everything is held until ack or err, which last one cycle
	output wire        wb_cyc_o,
	output wire        wb_stb_o,
	output wire        wb_we_o,
	output wire [31:2] wb_adr_o,
	output wire [3:0]  wb_sel_o,
	output wire [31:0] wb_dat_o,
	input  wire [31:0] wb_dat_i,
	input  wire        wb_ack_i,
	input  wire        wb_err_i
);
	wire        request, write, answer;
	wire [6:0]  address;
	wire [31:0] wdata, rdata;
	rivulet_debug_jtag #(.IDCODE(IDCODE)) jtag (
		.tck_i(tck_i),
		.tms_i(tms_i),
		.tdi_i(tdi_i),
		.tdo_o(tdo_o),
		.trst_i(trst_i),
		.request_o(request),
		.write_o(write),
		.address_o(address),
		.wdata_o(wdata),
		.answer_i(answer),
		.rdata_i(rdata)
	);
	rivulet_debug_bus bus (
		.clk_i(clk_i),
		.rst_i(rst_i),
		.request_i(request),
		.write_i(write),
		.address_i(address),
		.wdata_i(wdata),
		.answer_o(answer),
		.rdata_o(rdata),
		.wb_cyc_o(wb_cyc_o),
		.wb_stb_o(wb_stb_o),
		.wb_we_o(wb_we_o),
		.wb_adr_o(wb_adr_o),
		.wb_sel_o(wb_sel_o),
		.wb_dat_o(wb_dat_o),
		.wb_dat_i(wb_dat_i),
		.wb_ack_i(wb_ack_i),
		.wb_err_i(wb_err_i)
	);
endmodule
`default_nettype wire
