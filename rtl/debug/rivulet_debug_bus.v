// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Debug module without harts: system bus access of 32-bit words (RISC-V Debug Specification 0.13.2, sections 3.8 and 3.12.23 to 30).
// Registers: dmcontrol (dmactive), dmstatus, sbcs, sbaddress0, sbdata0; all others read 0. Requests come from another clock by a
// level, see rivulet_debug_jtag.
`default_nettype none
module rivulet_debug_bus (
	input  wire        clk_i,
	input  wire        rst_i,                 // synchronous
	input  wire        request_i,             // of the other clock, as what follows: a level that changes once for each request
	input  wire        write_i,
	input  wire [6:0]  address_i,
	input  wire [31:0] wdata_i,
	output reg         answer_o,
	output reg  [31:0] rdata_o,
	// Wishbone B4 classic master: everything is held until ack or err, which last one cycle
	output reg         wb_cyc_o,
	output wire        wb_stb_o,
	output reg         wb_we_o,
	output wire [31:2] wb_adr_o,
	output wire [3:0]  wb_sel_o,
	output wire [31:0] wb_dat_o,
	input  wire [31:0] wb_dat_i,
	input  wire        wb_ack_i,
	input  wire        wb_err_i
);
	localparam [6:0] DMCONTROL = 7'h10, DMSTATUS = 7'h11, SBCS = 7'h38, SBADDRESS0 = 7'h39, SBDATA0 = 7'h3C;
	localparam [2:0] ERROR_NONE = 3'd0, ERROR_ADDRESS = 3'd2, ERROR_ALIGNMENT = 3'd3, ERROR_SIZE = 3'd4;
	localparam [2:0] WORD = 3'd2;             // sbaccess: 32 bits

	reg  request1_q, request2_q;
	reg  active_q;
	reg  busy_error_q, read_on_address_q, increment_q, read_on_data_q;
	reg  [2:0] access_q, error_q;
	reg  [31:0] address_q, data_q;
	wire take = request2_q != answer_o;       // in this cycle
	wire write = take && write_i && active_q;
	wire at_address = address_i == SBADDRESS0, at_data = address_i == SBDATA0;
	wire clean = !busy_error_q && error_q == ERROR_NONE;

	// What of them begins an access of the bus, unless one is under way: that is an error that stays (sbbusyerror).
	wire wants_read = (write && at_address && read_on_address_q) || (take && !write_i && at_data && read_on_data_q && active_q);
	wire wants_write = write && at_data;
	wire touches = active_q && take && (at_data || (write_i && at_address));
	wire begins = (wants_read || wants_write) && !wb_cyc_o && clean;
	wire [1:0] begin_byte = write && at_address ? wdata_i[1:0] : address_q[1:0];
	wire [2:0] begin_error = access_q != WORD ? ERROR_SIZE : begin_byte != 2'b00 ? ERROR_ALIGNMENT : ERROR_NONE;
	wire ends = wb_cyc_o && (wb_ack_i || wb_err_i);

	reg [31:0] rdata_d;
	always @* begin
		case (address_i)
		DMCONTROL: rdata_d = {31'd0, active_q};
		// version 2: 0.13. authenticated; any and all harts are nonexistent
		DMSTATUS: rdata_d = {16'd0, 2'b11, 6'd0, 4'b1000, 4'd2};
		// sbversion 1, addresses of 32 bits, accesses of 32 bits alone
		SBCS: rdata_d = {3'd1, 6'd0, busy_error_q, wb_cyc_o, read_on_address_q, access_q, increment_q, read_on_data_q, error_q, 7'd32, 5'b00100};
		SBADDRESS0: rdata_d = address_q;
		SBDATA0: rdata_d = data_q;
		default: rdata_d = 32'd0;
		endcase
	end

	always @(posedge clk_i) begin
		request1_q <= request_i;
		request2_q <= request1_q;
		answer_o <= request2_q;
		if (take)
			rdata_o <= rdata_d;
		if (take && write_i && address_i == DMCONTROL)
			active_q <= wdata_i[0];
		if (write && address_i == SBCS) begin
			{read_on_address_q, access_q, increment_q, read_on_data_q} <= wdata_i[20:15];
			if (wdata_i[22])
				busy_error_q <= 1'b0;
			error_q <= error_q & ~wdata_i[14:12];
		end
		if (touches && wb_cyc_o)
			busy_error_q <= 1'b1;
		if (write && at_address && !wb_cyc_o && clean)
			address_q <= wdata_i;
		if (write && at_data && !wb_cyc_o && clean)
			data_q <= wdata_i;
		if (begins) begin
			wb_cyc_o <= begin_error == ERROR_NONE;
			wb_we_o <= wants_write;
			error_q <= begin_error;
		end
		if (ends) begin
			wb_cyc_o <= 1'b0;
			if (wb_err_i)
				error_q <= ERROR_ADDRESS;
			else begin
				if (!wb_we_o)
					data_q <= wb_dat_i;
				if (increment_q)
					address_q <= address_q + 32'd4;
			end
		end
		if (rst_i || !active_q) begin
			{busy_error_q, read_on_address_q, increment_q, read_on_data_q} <= 4'b0000;
			access_q <= WORD;
			error_q <= ERROR_NONE;
		end
		if (rst_i) begin
			active_q <= 1'b0;
			wb_cyc_o <= 1'b0;
			answer_o <= request2_q;
		end
	end
	assign wb_stb_o = wb_cyc_o;
	assign wb_adr_o = address_q[31:2];
	assign wb_sel_o = 4'b1111;
	assign wb_dat_o = data_q;
endmodule
`default_nettype wire
