// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The example of TSH FIG. 7 on the smallest trace unit, value by value, read through the Wishbone front.
// With FIG7_NEXT_PC (fig7_next_pc.v) the unit has WITH_NEXT_PC, and the first and the last column are read before the instruction at AAA, at WWW.
// Four-state simulation from registers without a value: also shows that no X is left after reset.
`default_nettype none
`ifdef FIG7_NEXT_PC
`define FIG7_UNIT 1
`define FIG7_MODULE fig7_next_pc
`else
`define FIG7_UNIT 0
`define FIG7_MODULE fig7
`endif
module `FIG7_MODULE;
	reg clk = 0, rst = 1;
	always #5 clk = !clk;
	integer checks = 0, failed = 0;

	reg         valid = 0;
	reg  [31:0] insn = 0, pc = 0, next_pc = 0;
	reg         cyc = 0, we = 0;
	reg  [7:2]  adr = 0;
	reg  [31:0] wdata = 0;
	wire [31:0] rdata, reg_wdata, reg_rdata;
	wire        ack, reg_write, irq;
	wire [5:0]  reg_index;
	rivulet_trace_wb front (
		.clk_i(clk),
		.rst_i(rst),
		.wb_cyc_i(cyc),
		.wb_stb_i(cyc),
		.wb_we_i(we),
		.wb_adr_i(adr),
		.wb_sel_i(4'hF),
		.wb_dat_i(wdata),
		.wb_dat_o(rdata),
		.wb_ack_o(ack),
		.reg_write_o(reg_write),
		.reg_index_o(reg_index),
		.reg_wdata_o(reg_wdata),
		.reg_rdata_i(reg_rdata)
	);
	rivulet_trace #(.WITH_NEXT_PC(`FIG7_UNIT)) trace (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(valid),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(1'b0),
		.retire_intr_i(1'b0),
		.retire_mode_i(2'b11),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(1'b0),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(reg_write),
		.reg_index_i(reg_index),
		.reg_wdata_i(reg_wdata),
		.reg_rdata_o(reg_rdata),
		.irq_o(irq),
		.tracing_o(),
		.rec_valid_o(),
		.rec_start_o(),
		.rec_hist_o(),
		.rec_reason_o(),
		.rec_repeat_o(),
		.rec_cycles_o(),
		.rec_insns_o(),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);
`include "rivulet_regs.vh"
	localparam [31:0] XXX = 32'h8000_0100, AAA = 32'h8000_0200, BBB = 32'h8000_0300, DDD = 32'h8000_0400, WWW = 32'h8000_0800;
	localparam [31:0] NOP = 32'h0000_0013, BEQ = 32'h0000_0063, JALR = 32'h0000_8067;

	task bus(input write, input [5:0] index, input [31:0] value);
		begin
			@(negedge clk);
			cyc = 1; we = write; adr = index; wdata = value;
			@(posedge clk);
			while (!ack) @(negedge clk);
			cyc = 0; we = 0;
		end
	endtask
	task expect_reg(input [5:0] index, input [31:0] value, input [8*40-1:0] what);
		begin
			bus(0, index, 0);
			checks = checks + 1;
			if (rdata !== value) begin
				failed = failed + 1;
				$display("FAIL %0s: register %0d is %h, expected %h", what, index, rdata, value);
			end
		end
	endtask
	// One instruction retires; stage S and SECOND LOAD are over when the task ends.
	task retire(input [31:0] i, input [31:0] at, input [31:0] next);
		begin
			@(negedge clk);
			valid = 1; insn = i; pc = at; next_pc = next;
			@(negedge clk);
			valid = 0;
			repeat (3) @(negedge clk);
		end
	endtask

	initial begin
		repeat (3) @(negedge clk);
		rst = 0;
		expect_reg(RV_REG_ID, {RV_ID_MAGIC, 8'd8, RV_ID_VERSION}, "ID");
		expect_reg(RV_REG_CAPS, `FIG7_UNIT << RV_CAPS_NEXT_PC_LSB, "CAPS of FIG. 5");
		bus(1, RV_REG_CTRL, 1 << RV_CTRL_ENABLE_LSB);
		// The pair before: start XXX, history 00100101, that is five branches with outcomes 0 0 1 0 1.
		retire(BEQ, XXX, XXX + 4);
		retire(BEQ, XXX + 4, XXX + 8);
		retire(BEQ, XXX + 8, XXX + 16);
		retire(BEQ, XXX + 16, XXX + 20);
		retire(BEQ, XXX + 20, XXX + 32);
		expect_reg(RV_REG_CUR_HIST, 8'b00100101, "history of XXX");
		retire(JALR, XXX + 32, AAA);
		// FIG. 7
		if (`FIG7_UNIT) begin
			expect_reg(RV_REG_CUR_START, AAA, "first load of AAA");
			expect_reg(RV_REG_CUR_HIST, 8'b00000001, "first load: the marker");
			expect_reg(RV_REG_REC_START, XXX, "second load of XXX");
			expect_reg(RV_REG_REC_HIST, 8'b00100101, "second load: history");
		end
		retire(NOP, AAA, AAA + 4);
		expect_reg(RV_REG_CUR_START, AAA, "current start");
		expect_reg(RV_REG_CUR_HIST, 8'b00000001, "AAA, no branch yet");
		expect_reg(RV_REG_REC_START, XXX, "last start");
		expect_reg(RV_REG_REC_HIST, 8'b00100101, "last history");
		retire(BEQ, AAA + 4, BBB);
		expect_reg(RV_REG_CUR_HIST, 8'b00000011, "branch to BBB taken");
		retire(NOP, BBB, BBB + 4);
		retire(BEQ, BBB + 4, BBB + 8);
		expect_reg(RV_REG_CUR_HIST, 8'b00000110, "branch to CCC not taken");
		retire(NOP, BBB + 8, BBB + 12);
		retire(BEQ, BBB + 12, DDD);
		expect_reg(RV_REG_CUR_HIST, 8'b00001101, "branch to DDD taken");
		retire(NOP, DDD, DDD + 4);
		expect_reg(RV_REG_CUR_START, AAA, "current start until the end");
		expect_reg(RV_REG_REC_HIST, 8'b00100101, "last history until the end");
		retire(JALR, DDD + 4, WWW);
		expect_reg(RV_REG_REC_START, AAA, "last start");
		expect_reg(RV_REG_REC_HIST, 8'b00001101, "last history");
		if (`FIG7_UNIT) begin
			expect_reg(RV_REG_CUR_START, WWW, "first load of WWW");
			expect_reg(RV_REG_CUR_HIST, 8'b00000001, "first load: the marker");
		end
		retire(NOP, WWW, WWW + 4);
		expect_reg(RV_REG_CUR_START, WWW, "current start WWW");
		expect_reg(RV_REG_CUR_HIST, 8'b00000001, "WWW, no branch yet");
		if (^{irq, reg_rdata} === 1'bx) begin
			failed = failed + 1;
			$display("FAIL an output is X after reset");
		end
		$display("%m: %0d checks, %0d failed", checks, failed);
		if (failed != 0) $stop;
		$finish;
	end
endmodule
`default_nettype wire
