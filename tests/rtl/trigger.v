// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Trigger, debug mode and reset from outside (docs/trace-unit.md section 12), cycle by cycle on a small trace unit. Four-state
// simulation from registers without a value: the reset is asynchronous and active-low, and lasts half a clock cycle.
`default_nettype none
module trigger;
	reg clk = 0, rst_n = 1;
	always #5 clk = !clk;
	integer checks = 0, failed = 0, i;

	reg         valid = 0, intr = 0, debug = 0, start = 0, stop = 0, write = 0;
	reg  [31:0] insn = 0, pc = 0, next_pc = 0, wdata = 0;
	reg  [5:0]  index = 0;
	wire [31:0] rdata, rec_start, rec_hist, rec_cycles;
	wire [15:0] rec_insns;
	wire [3:0]  rec_reason;
	wire        rst, held, irq, tracing, rec_valid;
	rivulet_reset_sync #(.ACTIVE_LOW(1)) reset (
		.clk_i(clk),
		.arst_i(rst_n),
		.rst_o(rst)
	);
	rivulet_trace_trigger #(.STOPPED(1)) trigger (
		.clk_i(clk),
		.rst_i(rst),
		.start_i(start),
		.stop_i(stop),
		.stop_o(held)
	);
	rivulet_trace #(
		.HIST(32),
		.WITH_REASON(1),
		.WITH_CYCLES(1),
		.WITH_INSNS(1),
		.WITH_FREEZE(1)
	) trace (
		.clk_i(clk),
		.rst_i(rst),
		.retire_valid_i(valid && !debug),
		.retire_insn_i(insn),
		.retire_pc_i(pc),
		.retire_next_pc_i(next_pc),
		.retire_trap_i(1'b0),
		.retire_intr_i(intr),
		.retire_mode_i(2'b11),
		.retire_ready_o(),
		.retire_lost_o(),
		.retire_cause_i(6'd0),
		.stop_i(held || debug),
		.freeze_i(1'b0),
		.power_on_i(1'b0),
		.reg_write_i(write),
		.reg_index_i(index),
		.reg_wdata_i(wdata),
		.reg_rdata_o(rdata),
		.irq_o(irq),
		.tracing_o(tracing),
		.rec_valid_o(rec_valid),
		.rec_start_o(rec_start),
		.rec_hist_o(rec_hist),
		.rec_reason_o(rec_reason),
		.rec_repeat_o(),
		.rec_cycles_o(rec_cycles),
		.rec_insns_o(rec_insns),
		.sink_valid_o(),
		.sink_addr_o(),
		.sink_wdata_o(),
		.sink_ready_i(1'b0)
	);
`include "rivulet_regs.vh"
	localparam [3:0] BACKWARD = 4'd1, OFF = 4'd7;
	localparam [31:0] NOP = 32'h0000_0013, LOOP = 32'hFE00_0CE3, MRET = 32'h3020_0073; // LOOP: beq to 8 before

	// The last record, and how many there were.
	integer     records = 0;
	reg  [31:0] last_start, last_cycles;
	reg  [15:0] last_insns;
	reg  [3:0]  last_reason;
	always @(posedge clk)
		if (rec_valid === 1'b1) begin
			records = records + 1;
			{last_start, last_reason, last_insns, last_cycles} = {rec_start, rec_reason, rec_insns, rec_cycles};
		end
	task expect_is(input [31:0] value, input [31:0] wanted, input [8*48-1:0] what);
		begin
			checks = checks + 1;
			if (value !== wanted) begin
				failed = failed + 1;
				$display("FAIL %0s: %h, expected %h", what, value, wanted);
			end
		end
	endtask
	// A straight instruction retires, one a cycle.
	task run(input integer count);
		for (i = 0; i < count; i = i + 1) begin
			valid = 1; insn = NOP; next_pc = pc + 4;
			@(negedge clk);
			valid = 0; intr = 0; pc = pc + 4;
		end
	endtask
	task pulse(input which);
		begin
			start = which; stop = !which;
			@(negedge clk);
			{start, stop} = 2'b00;
			repeat (3) @(negedge clk);
		end
	endtask

	initial begin
		#12 rst_n = 0;
		#5 rst_n = 1;
		repeat (4) @(negedge clk);
		expect_is({31'd0, rst}, 0, "the reset has ended");
		write = 1; index = RV_REG_CTRL; wdata = (1 << RV_CTRL_ENABLE_LSB) | 32'h000F_0000;
		@(negedge clk);
		write = 0; index = RV_REG_STATUS;
		pc = 32'h8000_0000;
		run(4);
		repeat (2) @(negedge clk);
		expect_is(rdata, 1 << RV_STATUS_STOPPED_LSB, "STATUS while the trigger holds tracing off");
		expect_is({31'd0, tracing}, 0, "tracing_o while it is held off");
		pulse(1);
		expect_is({31'd0, tracing}, 1, "tracing_o after the start");
		// Five instructions, then the trigger stops: the pair is a record.
		run(5);
		@(negedge clk);
		expect_is(rdata, 1 << RV_STATUS_CUR_VALID_LSB, "STATUS while it traces");
		pulse(0);
		expect_is(records, 1, "records after the stop");
		expect_is(last_start, 32'h8000_0010, "start: the first instruction behind the trigger");
		expect_is({12'd0, last_reason, last_insns}, {12'd0, OFF, 16'd5}, "reason OFF, 5 instructions");
		run(3);
		repeat (3) @(negedge clk);
		expect_is(records, 1, "nothing while it is held off");
		// A loop is cut into a record by debug mode, and what the debugger runs is in none.
		pulse(1);
		pc = 32'h8000_0100;
		run(2);
		debug = 1;
		run(7);
		repeat (3) @(negedge clk);
		expect_is(records, 2, "debug mode ends the trace");
		expect_is({12'd0, last_reason, last_insns}, {12'd0, OFF, 16'd2}, "with what the program ran before");
		debug = 0;
		pc = 32'h8000_0108;
		run(2);
		valid = 1; insn = LOOP; next_pc = pc - 8;
		@(negedge clk);
		valid = 0;
		repeat (3) @(negedge clk);
		expect_is(records, 3, "and the program goes on in a new one");
		expect_is(last_start, 32'h8000_0108, "where it was halted");
		expect_is({12'd0, last_reason, last_insns}, {12'd0, BACKWARD, 16'd3}, "to its own end");
		expect_is(last_cycles, 32'd3, "cycles in debug mode are nobody's");
		// In a handler: what the debugger runs changes no depth, and the handler's return ends it.
		pc = 32'h8000_0200;
		run(1);
		intr = 1; pc = 32'h8000_1000;
		run(2);
		debug = 1;
		valid = 1; insn = MRET; next_pc = 32'h8000_0204;
		@(negedge clk);
		valid = 0;
		run(2);
		index = RV_REG_DEPTH;
		repeat (2) @(negedge clk);
		expect_is(rdata, 1, "DEPTH in debug mode, behind an MRET of the debugger");
		debug = 0;
		valid = 1; insn = MRET; pc = 32'h8000_1008; next_pc = 32'h8000_0204;
		@(negedge clk);
		valid = 0;
		repeat (2) @(negedge clk);
		expect_is(rdata, 0, "DEPTH behind the handler's own");
		if (^{irq, rdata, tracing} === 1'bx) begin
			failed = failed + 1;
			$display("FAIL an output is X after reset");
		end
		$display("trigger: %0d checks, %0d failed", checks, failed);
		if (failed != 0) $stop;
		$finish;
	end
endmodule
`default_nettype wire
