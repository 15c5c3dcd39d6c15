// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC with a program in its RAM and a flight recorder over the dense coding, until the program ends. What it writes to the UART is written to a
// file (+console=FILE), and each address that retired before the first trap or the pin (+pin=CYCLE), and the trap's or the pin's own (+retired=FILE).
`default_nettype none
`timescale 1ns / 1ns
module recorder_bench #(
	parameter RAM_FILE = ""
) ();
	reg clk = 1'b0;
	always #1 clk = !clk;
	reg [3:0] power = 4'd0;
	wire rst = power != 4'd15;
	always @(posedge clk)
		power <= power + {3'd0, rst};
	integer console, retired, cycle, pin;    // pin: the cycle in which the pin freezes the ring; 0: none does
	wire freeze = pin != 0 && cycle >= pin && cycle < pin + 4;
	reg [1023:0] name;
	reg trapped;
	initial begin
		{cycle, trapped} = 33'd0;
		if (!$value$plusargs("console=%s", name)) name = "console.txt";
		console = $fopen(name, "wb");
		if (!$value$plusargs("retired=%s", name)) name = "retired.txt";
		retired = $fopen(name, "wb");
		if (!$value$plusargs("pin=%d", pin)) pin = 0;
	end
	rivulet_soc #(.RAM_BYTES(1048576), .RAM_FILE(RAM_FILE), .SIM(1), .TRACE_RECORDER(1), .TRACE_DENSE(4)) soc (
		.clk_i(clk),
		.rst_i(rst),
		.bus_wait_i(1'b0),
		.irq_ext_i(1'b0),
		.uart_rx_i(1'b1),
		.uart_tx_o(),
		.spi_cs_n_o(),
		.spi_sck_o(),
		.spi_mosi_o(),
		.spi_miso_i(1'b0),
		.strap_i(1'b0),
		.freeze_i(freeze),
		.dense_i(1'b1),
		.dense_o()
	);
	wire exits = soc.accepted && soc.hit_sim && soc.bus_wstrb != 4'b0000 && soc.bus_addr[3:2] == 2'd1;
	always @(posedge clk) begin
		cycle <= cycle + 1;
		if (soc.write && soc.hit_uart && soc.bus_data_addr[3:2] == 2'd0 && !rst)
			$fwrite(console, "%c", soc.bus_wdata[7:0]);
		if (soc.retire_valid && !trapped && !rst) begin
			$fwrite(retired, "%08x\n", soc.retire_pc);
			trapped <= soc.retire_trap || freeze;
		end
		if (exits || cycle == 20000000) begin
			$display("recorder_bench: %0d cycles%0s", cycle, exits ? "" : ", no end");
			$fclose(console);
			$fclose(retired);
			$finish;
		end
	end
endmodule
`default_nettype wire
