// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// AXI4-Lite slave in front of the register bus: one access at a time, a write before a read that comes with it.
// Place it where machine mode alone can reach it (docs/trace-unit.md section 10). Cost: about 60 LUT4 and 75 flip-flops.
`default_nettype none
module rivulet_trace_axi (
	input  wire        clk_i,
	input  wire        rst_i,                // synchronous, active high
	// AXI4-Lite: what is valid stays valid, and as it is, until it is ready. Responses are OKAY. With any strobe low a write is ignored.
	input  wire        awvalid_i,
	output wire        awready_o,
	input  wire [7:2]  awaddr_i,
	input  wire        wvalid_i,
	output wire        wready_o,
	input  wire [31:0] wdata_i,
	input  wire [3:0]  wstrb_i,
	output reg         bvalid_o,
	input  wire        bready_i,
	output wire [1:0]  bresp_o,
	input  wire        arvalid_i,
	output wire        arready_o,
	input  wire [7:2]  araddr_i,
	output reg         rvalid_o,
	input  wire        rready_i,
	output reg  [31:0] rdata_o,
	output wire [1:0]  rresp_o,
	// register bus of rivulet_trace
	output wire        reg_write_o,
	output wire [5:0]  reg_index_o,
	output wire [31:0] reg_wdata_o,
	input  wire [31:0] reg_rdata_i
);
	reg  reading_q;                          // the index was on the bus in the cycle before
	wire idle = !bvalid_o && !rvalid_o && !reading_q && !rst_i;
	wire write = idle && awvalid_i && wvalid_i;
	wire read = idle && arvalid_i && !write;
	always @(posedge clk_i) begin
		reading_q <= read;
		bvalid_o <= write || (bvalid_o && !bready_i);
		rvalid_o <= reading_q || (rvalid_o && !rready_i);
		if (reading_q)
			rdata_o <= reg_rdata_i;
		if (rst_i)
			{reading_q, bvalid_o, rvalid_o} <= 3'b000;
	end
	assign awready_o = write;
	assign wready_o = write;
	assign arready_o = read;
	assign bresp_o = 2'b00;
	assign rresp_o = 2'b00;
	assign reg_write_o = write && wstrb_i == 4'b1111;
	assign reg_index_o = write ? awaddr_i : araddr_i;
	assign reg_wdata_o = wdata_i;
endmodule
`default_nettype wire
