// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Runs +program=FILE (hexadecimal words from 0x8000_0000) on the SoC in four-state simulation, from registers without a value:
// after reset no output and no register that the lockstep bench compares may hold an X where it has a meaning. Those are the
// rows of tb/signals.def, from which four_state_checks.vh is made. Memory outside the program is 0; the register file is not
// initialised, so a program that reads a register before it writes it shows here too.
`default_nettype none
module four_state #(parameter [11:0] TRACE_CSR_BASE = 12'h7C0);
	defparam dut.TRACE_CSR_BASE = TRACE_CSR_BASE;
	reg clk = 0, rst = 1;
	always #5 clk = !clk;
`include "four_state_ports.vh"
	reg  [3:0] slot = 0;
	reg  [31:0] tohost = 0;                  // where the program writes 1 when all is well
	reg        requested = 0, written = 0;
	wire       ends = exit_valid_o === 1'b1 || (tohost != 0 && bus_valid_o === 1'b1 && bus_addr_o === tohost && bus_wstrb_o !== 4'b0);
	integer    cycle = 0, wrong = 0, checked = 0, i;
	reg [8*256-1:0] name;
	initial begin
		if (!$value$plusargs("program=%s", name)) begin
			$display("four-state: +program=FILE is needed");
			$finish;
		end
		if (!$value$plusargs("tohost=%h", tohost)) tohost = 0;
		for (i = 0; i < `RAM_BYTES / 4; i = i + 1)
			dut.soc.ram.mem[i] = 32'd0;
		$readmemh(name, dut.soc.ram.mem);
		repeat (3) @(negedge clk);
		rst = 0;
	end

	// +poison: the first words of the program lose their value, so that a test can show that X is noticed.
	always @(posedge clk) if (cycle == 20 && $test$plusargs("poison"))
		for (i = 0; i < 64; i = i + 1)
			dut.soc.ram.mem[i] = 32'dx;

	task unknown(input [8*24-1:0] what);
		begin
			wrong = wrong + 1;
			if (wrong <= 10)
				$display("X in %0s in cycle %0d", what, cycle);
		end
	endtask
	always @(negedge clk) if (!rst) begin
`include "four_state_checks.vh"
		requested <= bus_valid_o === 1'b1;
		if (ends || cycle == 400_000 || wrong > 100) begin
			$display("%0d cycles, %0d values looked at, %0d unknown, exit code %0d",
				cycle, checked, wrong, !ends ? -1 : exit_valid_o ? exit_code_o : {1'b0, bus_wdata_o[31:1]});
			$finish;
		end
		cycle = cycle + 1;
	end
endmodule
`default_nettype wire
