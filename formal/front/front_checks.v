// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The bus fronts of the trace unit with any master that keeps its bus's rules, and a register file of one register, any, behind each: what the
// master writes there is what it reads, each access takes effect once, and nothing else does. The rules of the bus for the slave are there too.
`default_nettype none
module front_checks #(
	parameter CHECK = 0
) (
	input wire        clk_i,
	// the master's wishes
	input wire        a,
	input wire        b,
	input wire        c,
	input wire        d,
	input wire        e,
	input wire [7:2]  addr,
	input wire [7:2]  addr2,
	input wire [31:0] data,
	input wire [3:0]  strobe
);
	localparam WISHBONE = 0, APB = 1, AXI = 2;
	reg rst = 1'b1;
	always @(posedge clk_i)
		rst <= 1'b0;

	// A register of the unit: written at the end of the cycle, read in the next.
	(* anyconst *) reg [5:0] where;
	wire        write;
	wire [5:0]  index;
	wire [31:0] wdata;
	reg  [31:0] value, rdata;
	initial value = 32'd0;
	always @(posedge clk_i) begin
		if (write && index == where)
			value <= wdata;
		rdata <= index == where ? value : ~value;     // what another register reads is something else
	end
	// The same, as the master sees it.
	reg  [31:0] seen;
	initial seen = 32'd0;

	generate
	case (CHECK)
	WISHBONE: begin : g
		wire        ack;
		wire [31:0] dat;
		reg         busy, we_q;
		reg  [7:2]  adr_q;
		reg  [31:0] dat_q;
		reg  [3:0]  sel_q;
		initial busy = 1'b0;
		// everything is held until ack
		always @* if (busy) assume (a && b == we_q && addr == adr_q && data == dat_q && strobe == sel_q);
		wire stb = a && !rst;
		always @(posedge clk_i) begin
			busy <= stb && !ack;
			{we_q, adr_q, dat_q, sel_q} <= {b, addr, data, strobe};
			if (stb && ack && b && addr == where && strobe == 4'hF)
				seen <= data;
		end
		rivulet_trace_wb front (
			.clk_i(clk_i),
			.rst_i(rst),
			.wb_cyc_i(stb),
			.wb_stb_i(stb),
			.wb_we_i(b),
			.wb_adr_i(addr),
			.wb_sel_i(strobe),
			.wb_dat_i(data),
			.wb_dat_o(dat),
			.wb_ack_o(ack),
			.reg_write_o(write),
			.reg_index_o(index),
			.reg_wdata_o(wdata),
			.reg_rdata_i(rdata)
		);
		always @* if (!rst && ack && !b && addr == where) assert (dat == seen);
		always @* if (!rst && ack) assert (stb && busy);
		// Until a write is acknowledged the register is ahead of what the master knows, by what the master gives.
		always @* if (!rst) assert (value == (busy && b && addr == where && strobe == 4'hF ? data : seen));
		always @* if (!rst) assert (busy == ack);
		always @* if (write) assert (stb && b && !ack && strobe == 4'hF);
	end
	APB: begin : g
		wire [31:0] dat;
		wire        ready, error;
		reg         setup, we_q;
		reg  [7:2]  adr_q;
		reg  [31:0] dat_q;
		reg  [3:0]  sel_q;
		initial setup = 1'b0;
		wire sel = a && !rst;
		always @* if (setup) assume (sel && b == we_q && addr == adr_q && data == dat_q && strobe == sel_q);
		wire enable = setup;
		always @(posedge clk_i) begin
			setup <= sel && (!setup || !ready);
			{we_q, adr_q, dat_q, sel_q} <= {b, addr, data, strobe};
			if (sel && enable && ready && b && addr == where && strobe == 4'hF)
				seen <= data;
		end
		rivulet_trace_apb front (
			.psel_i(sel),
			.penable_i(enable),
			.pwrite_i(b),
			.paddr_i(addr),
			.pstrb_i(strobe),
			.pwdata_i(data),
			.prdata_o(dat),
			.pready_o(ready),
			.pslverr_o(error),
			.reg_write_o(write),
			.reg_index_o(index),
			.reg_wdata_o(wdata),
			.reg_rdata_i(rdata)
		);
		always @* if (!rst && sel && enable && ready && !b && addr == where) assert (dat == seen && !error);
		always @* if (!rst) assert (seen == value);
		always @* if (write) assert (sel && enable && ready && b && strobe == 4'hF);
	end
	AXI: begin : g
		// a, b, c: address, data of a write, address of a read are valid; d, e: responses are taken
		wire        awready, wready, arready, bvalid, rvalid;
		wire [1:0]  bresp, rresp;
		wire [31:0] dat;
		reg         aw_q, w_q, ar_q, b_q, r_q, reading_q;
		reg  [7:2]  awaddr_q, araddr_q, asked;
		reg  [31:0] data_q, dat_q, expected;
		reg  [3:0]  strobe_q;
		reg  [1:0]  owed_b, owed_r;
		initial {aw_q, w_q, ar_q, b_q, r_q, reading_q, owed_b, owed_r} = 10'd0;
		wire awvalid = a && !rst, wvalid = b && !rst, arvalid = c && !rst;
		always @* if (aw_q) assume (a && addr == awaddr_q);
		always @* if (w_q) assume (b && data == data_q && strobe == strobe_q);
		always @* if (ar_q) assume (c && addr2 == araddr_q);
		always @(posedge clk_i) begin
			{aw_q, w_q, ar_q} <= {awvalid && !awready, wvalid && !wready, arvalid && !arready};
			{awaddr_q, araddr_q, data_q, strobe_q} <= {addr, addr2, data, strobe};
			{b_q, r_q, dat_q} <= {bvalid && !d && !rst, rvalid && !e && !rst, dat};
			owed_b <= rst ? 2'd0 : owed_b + {1'b0, awready && awvalid} - {1'b0, bvalid && d};
			owed_r <= rst ? 2'd0 : owed_r + {1'b0, arready && arvalid} - {1'b0, rvalid && e};
			if (awvalid && awready && wvalid && wready && addr == where && strobe == 4'hF)
				seen <= data;
			reading_q <= arvalid && arready && !rst;
			if (arvalid && arready)
				{asked, expected} <= {addr2, seen};
		end
		rivulet_trace_axi front (
			.clk_i(clk_i),
			.rst_i(rst),
			.awvalid_i(awvalid),
			.awready_o(awready),
			.awaddr_i(addr),
			.wvalid_i(wvalid),
			.wready_o(wready),
			.wdata_i(data),
			.wstrb_i(strobe),
			.bvalid_o(bvalid),
			.bready_i(d),
			.bresp_o(bresp),
			.arvalid_i(arvalid),
			.arready_o(arready),
			.araddr_i(addr2),
			.rvalid_o(rvalid),
			.rready_i(e),
			.rdata_o(dat),
			.rresp_o(rresp),
			.reg_write_o(write),
			.reg_index_o(index),
			.reg_wdata_o(wdata),
			.reg_rdata_i(rdata)
		);
		always @* if (!rst) begin
			assert (!awready || (awvalid && wvalid));                       // one beat of each together
			assert (awready == wready);
			assert (!b_q || bvalid);                                        // a response stays until it is taken
			assert (!r_q || (rvalid && dat == dat_q));
			assert (!bvalid || owed_b == 2'd1);                             // one for each access, and no other
			assert (!rvalid || owed_r == 2'd1);
			assert (owed_b == {1'b0, bvalid} && owed_r == {1'b0, rvalid || reading_q});
			assert (bresp == 2'b00 && rresp == 2'b00);
			assert (!reading_q || asked != where || rdata == expected);     // the cycle before the response has it
			assert (!rvalid || asked != where || dat == expected);
			assert (seen == value);
			assert (!write || (awvalid && awready && strobe == 4'hF));
		end
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
