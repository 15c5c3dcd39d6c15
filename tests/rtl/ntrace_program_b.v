// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Program B of the N-Trace standard, in history mode with implicit returns, in a four-state simulator: registers over APB and over Wishbone, the
// bytes read back from the SRAM sink. They are those of the standard, bit by bit; the run ends as debug mode is entered.
`default_nettype none
`timescale 1ns/1ns
module ntrace_program_b;
	reg         clk = 0, rst = 1, wishbone = 0, debug = 0;
	reg         psel = 0, penable = 0, we = 0, cyc = 0;
	reg  [12:2] address = 0;
	reg  [31:0] wdata = 0;
	wire [31:0] prdata, dat;
	wire        ack, apb_write, apb_read, wb_write, wb_read;
	wire [10:0] apb_index, wb_index;
	wire [31:0] apb_wdata, wb_wdata, rdata;
	reg         valid = 0;
	reg  [31:0] insn = 0, pc = 0, next_pc = 0;
	integer     cases = 0, failed = 0;
	always #5 clk = !clk;

	rivulet_ntrace_apb apb (
		.psel_i(psel),
		.penable_i(penable),
		.pwrite_i(we),
		.paddr_i(address),
		.pstrb_i(4'hF),
		.pwdata_i(wdata),
		.prdata_o(prdata),
		.pready_o(),
		.pslverr_o(),
		.reg_write_o(apb_write),
		.reg_read_o(apb_read),
		.reg_index_o(apb_index),
		.reg_wdata_o(apb_wdata),
		.reg_rdata_i(rdata)
	);
	rivulet_ntrace_wb wb (
		.clk_i(clk),
		.rst_i(rst),
		.wb_cyc_i(cyc),
		.wb_stb_i(cyc),
		.wb_we_i(we),
		.wb_adr_i(address),
		.wb_sel_i(4'hF),
		.wb_dat_i(wdata),
		.wb_dat_o(dat),
		.wb_ack_o(ack),
		.reg_write_o(wb_write),
		.reg_read_o(wb_read),
		.reg_index_o(wb_index),
		.reg_wdata_o(wb_wdata),
		.reg_rdata_i(rdata)
	);
	rivulet_ntrace #(.RETURNS(8), .SINK_WORDS(16)) unit (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(1'b0),
		.retire_intr_i(1'b0),
		.retire_mode_i(2'd3),
		.context_i(1'b0),
		.debug_i(debug),
		.stall_o(),
		.reg_write_i(wishbone ? wb_write : apb_write),
		.reg_read_i(wishbone ? wb_read : apb_read),
		.reg_index_i(wishbone ? wb_index : apb_index),
		.reg_wdata_i(wishbone ? wb_wdata : apb_wdata),
		.reg_rdata_o(rdata),
		.byte_valid_o(),
		.byte_o(),
		.byte_ready_i(1'b1),
		.mem_valid_o(),
		.mem_addr_o(),
		.mem_wdata_o(),
		.mem_ready_i(1'b1)
	);

	reg [31:0] got;
	task access(input write, input [12:0] at, input [31:0] value);
		begin
			@(negedge clk);
			{we, address, wdata} = {write, at[12:2], value};
			if (wishbone)
				cyc = 1;
			else
				psel = 1;
			@(negedge clk);
			penable = !wishbone;
			#1 got = wishbone ? dat : prdata;
			if (wishbone && ack !== 1'b1)
				failed = failed + 1;
			@(negedge clk);
			{cyc, psel, penable} = 3'b000;
		end
	endtask
	task expect_read(input [12:0] at, input [31:0] value);
		begin
			access(0, at, 0);
			cases = cases + 1;
			if (got !== value) begin
				$display("ntrace_program_b: register %h is %h, expected %h", at, got, value);
				failed = failed + 1;
			end
		end
	endtask
	task retire(input [31:0] i, input [31:0] at, input [31:0] goes);
		begin
			@(negedge clk);
			{valid, insn, pc, next_pc} = {1'b1, i, at, goes};
			@(negedge clk);
			valid = 0;
		end
	endtask

	task run;
		integer turn;
		begin
			access(1, 13'h1000, 1);
			access(1, 13'h1000, 3);
			access(1, 13'h0000, 1);
			access(1, 13'h0008, 32'hC8);                 // EnImplicitReturn, mode 3
			access(1, 13'h0000, 32'h61);
			access(1, 13'h0000, 32'h67);
			for (turn = 0; turn < 2; turn = turn + 1) begin
				retire(32'h010000EF, 32'h80000100, 32'h80000110);
				retire(32'h0000157D, 32'h80000110, 32'h80000112);
				retire(32'h00008082, 32'h80000112, 32'h80000104);
				retire(32'h0000157D, 32'h80000104, 32'h80000106);
				retire(32'hFE051DE3, 32'h80000106, turn == 0 ? 32'h80000100 : 32'h8000010A);
			end
			retire(32'h00008502, 32'h8000010A, 32'h80000200);
			retire(32'h00000001, 32'h80000200, 32'h80000202);
			debug = 1;
			access(1, 13'h0000, 32'h61);
			repeat (40) @(negedge clk);
			expect_read(13'h0000, 32'h01000069);         // Empty
			access(1, 13'h1000, 1);
			repeat (4) @(negedge clk);
			expect_read(13'h1000, 32'h00000009);
			expect_read(13'h1020, 32'd20);               // 17 bytes, and three idle ones
			access(1, 13'h1028, 0);
			expect_read(13'h1040, 32'h08001524);         // ProgTraceSync: SYNC 5, I-CNT 0, F-ADDR
			expect_read(13'h1040, 32'h07000000);
			expect_read(13'h1040, 32'h1900F170);         // IndirectBranchHist: I-CNT 15, U-ADDR, HIST 6
			expect_read(13'h1040, 32'h0540841B);         // ProgTraceCorrelation: EVCODE 0, I-CNT 1, HIST 1
			expect_read(13'h1040, 32'hFFFFFF07);
			debug = 0;
			access(1, 13'h0000, 0);
			access(1, 13'h1000, 0);
		end
	endtask

	initial begin
		repeat (3) @(negedge clk);
		rst = 0;
		run;
		wishbone = 1;
		run;
		$display("ntrace_program_b: %0d cases, %0d failed", cases, failed);
		$finish;
	end
endmodule
`default_nettype wire
