// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// AXI4-Lite master behind the sink of rivulet_trace: one write at a time, the next word follows its response. What the slave refuses (BRESP) is
// dropped. Cost: about 6 LUT4.
`default_nettype none
module rivulet_trace_sink_axi #(
	parameter XLEN = 32
) (
	input  wire            clk_i,
	input  wire            rst_i,
	// the port sink_* of rivulet_trace
	input  wire            valid_i,
	input  wire [XLEN-1:0] addr_i,
	input  wire [31:0]     wdata_i,
	output wire            ready_o,
	// AXI4-Lite, the channels of writes
	output wire            awvalid_o,
	input  wire            awready_i,
	output wire [XLEN-1:0] awaddr_o,
	output wire [2:0]      awprot_o,
	output wire            wvalid_o,
	input  wire            wready_i,
	output wire [31:0]     wdata_o,
	output wire [3:0]      wstrb_o,
	input  wire            bvalid_i,
	output wire            bready_o
);
	reg addressed_q, written_q;             // the slave has the word's address, its data
	assign awvalid_o = valid_i && !addressed_q;
	assign wvalid_o = valid_i && !written_q;
	assign awaddr_o = addr_i;
	assign awprot_o = 3'b001;               // privileged
	assign wdata_o = wdata_i;
	assign wstrb_o = 4'b1111;
	assign bready_o = addressed_q && written_q;
	assign ready_o = bready_o && bvalid_i;
	always @(posedge clk_i) begin
		addressed_q <= !rst_i && !ready_o && (addressed_q || (awvalid_o && awready_i));
		written_q <= !rst_i && !ready_o && (written_q || (wvalid_o && wready_i));
	end
endmodule
`default_nettype wire
