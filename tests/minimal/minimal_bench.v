// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Runs +program=FILE (hexadecimal words) on minimal_soc and writes what the judge (judge.c) reads, one line a cycle in which
// anything happens:
//   C cycle valid trap intr mode insn pc next_pc write index wdata rec start hist reason cycles insns
// and at the end "E code". Console bytes go to +console=FILE. Four-state: an X anywhere in them is a line that judge.c refuses.
`default_nettype none
module minimal_bench;
	reg clk = 0, rst = 1;
	always #5 clk = !clk;
	wire put, ends;
	wire [7:0] character;
	wire [31:0] code;
	minimal_soc soc (
		.clk_i(clk),
		.rst_i(rst),
		.put_o(put),
		.byte_o(character),
		.exit_o(ends),
		.code_o(code)
	);

	reg [8*256-1:0] name;
	integer console, events, cycle = 0, limit;
	initial begin
		if (!$value$plusargs("limit=%d", limit))
			limit = 20_000_000;
		if (!$value$plusargs("program=%s", name))
			$finish;
		$readmemh(name, soc.ram);
		if (!$value$plusargs("console=%s", name))
			$finish;
		console = $fopen(name, "w");
		if (!$value$plusargs("events=%s", name))
			$finish;
		events = $fopen(name, "w");
		repeat (4) @(negedge clk);
		rst = 0;
	end
	always @(negedge clk) if (!rst) begin
		// == is X where an operand is, and if (X) is false: an unknown condition must show itself
		if (soc.rvfi_valid !== 1'b0 || soc.reg_write !== 1'b0 || soc.trace.rec_valid_o !== 1'b0)
			$fdisplay(events, "C %0d %b %b %b %0d %h %h %h %b %0d %h %b %h %h %0d %0d %0d", cycle, soc.rvfi_valid, soc.rvfi_trap & soc.rvfi_valid,
				soc.rvfi_intr & soc.rvfi_valid, soc.rvfi_mode, soc.rvfi_valid ? soc.rvfi_insn : 32'd0,
				soc.rvfi_valid ? soc.rvfi_pc_rdata : 32'd0, soc.rvfi_valid ? soc.rvfi_pc_wdata : 32'd0, soc.reg_write,
				soc.reg_index, soc.reg_write ? soc.reg_wdata : 32'd0, soc.trace.rec_valid_o, soc.trace.rec_start_o, soc.trace.rec_hist_o,
				soc.trace.rec_reason_o, soc.trace.rec_cycles_o, soc.trace.rec_insns_o);
		if (put === 1'b1)
			$fwrite(console, "%c", character);
		if (ends === 1'b1) begin
			$fdisplay(events, "E %0d", code);
			$finish;
		end
		cycle = cycle + 1;
		if (cycle == limit) begin
			$fdisplay(events, "T %0d", cycle);
			$finish;
		end
	end
endmodule
`default_nettype wire
