// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The SoC with a program in its RAM, the dense coder behind its trace unit, and one of the ports behind that. What stands at the pins is read as a
// receiver reads it, and written to a file, until the program has ended and all has left.
// +port=N (0: UART, 1: SPI, 2: 8 bits and a strobe, 3: the UART of the SoC's own coder) +bytes=FILE
// +ask=CYCLE: the receiver of the UART sends a byte then, which asks for a start
// +limit=CYCLE: the program ends there; +full=N: of 1,000 cycles, in which the receiver of the 8 bits takes nothing, until the program ends
// +noise=BYTE +delay=N +cycles=M +pins=MASK: N cycles behind the beginning of this byte the pins of the mask are inverted for M cycles
`default_nettype none
`timescale 1ns / 1ns
module port_bench #(
	parameter RAM_FILE = ""
) ();
	localparam UART = 0, SPI = 1, BUS = 2, OWN = 3;
	localparam BIT_CYCLES = 8;               // of the UART: 5 Mbit/s at 40 MHz
	reg clk = 1'b0;
	always #1 clk = !clk;
	reg [3:0] power = 4'd0;
	wire rst = power != 4'd15;
	always @(posedge clk)
		power <= power + {3'd0, rst};

	integer port, ask, cycle, limit, full, noisy, delay, noise, pins, begun, from, bytes, count, silent;
	reg [1023:0] name;
	initial begin
		{cycle, count, silent, begun, from} = 160'd0;
		if (!$value$plusargs("port=%d", port)) port = UART;
		if (!$value$plusargs("ask=%d", ask)) ask = 0;
		if (!$value$plusargs("limit=%d", limit)) limit = 30000000;
		if (!$value$plusargs("full=%d", full)) full = 200;
		if (!$value$plusargs("noise=%d", noisy)) noisy = 0;
		if (!$value$plusargs("delay=%d", delay)) delay = 0;
		if (!$value$plusargs("cycles=%d", noise)) noise = 0;
		if (!$value$plusargs("pins=%d", pins)) pins = 0;
		if (!$value$plusargs("bytes=%s", name)) name = "bytes.bin";
		bytes = $fopen(name, "wb");
	end

	wire [8:0] own_pins;
	wire asks = !(ask != 0 && cycle >= ask && cycle < ask + 9 * BIT_CYCLES);   // the byte 0
	rivulet_soc #(
		.RAM_BYTES(1048576),
		.RAM_FILE(RAM_FILE),
		.SIM(1),
		.TRACE_DENSE(1),
		.TRACE_DENSE_DIV(BIT_CYCLES),
		.TRACE_DENSE_BUFFER(4096),
		.TRACE_DENSE_START_BITS(12)
	) soc (
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
		.freeze_i(1'b0),
		.dense_i(asks),
		.dense_o(own_pins)
	);
	wire exits = soc.accepted && soc.hit_sim && soc.bus_wstrb != 4'b0000 && soc.bus_addr[3:2] == 2'd1;
	reg  ended = 1'b0;
	always @(posedge clk)
		ended <= ended || exits || cycle == limit;

	wire valid, ready, busy, asked;
	wire [7:0] data;
	rivulet_trace_dense #(.BUFFER(4096), .START_BITS(12)) dense (
		.clk_i(clk),
		.rst_i(rst),
		.rec_valid_i(soc.g_trace.trace.rec_valid_o && !ended),
		.rec_start_i(soc.g_trace.trace.rec_start_o),
		.rec_hist_i(soc.g_trace.trace.rec_hist_o),
		.rec_reason_i(soc.g_trace.trace.rec_reason_o),
		.rec_repeat_i(soc.g_trace.trace.rec_repeat_o),
		.rec_insns_i(soc.g_trace.trace.rec_insns_o),
		.flush_i(ended),
		.begin_i(asked),
		.byte_valid_o(valid),
		.byte_o(data),
		.byte_ready_i(ready),
		.busy_o(busy)
	);

	// ---------------------------------------------------------------- the ports, and what their receivers see
	wire uart_ready, spi_ready, bus_ready;
	assign ready = port == UART || port == OWN ? uart_ready : port == SPI ? spi_ready : bus_ready;
	wire uart_line, spi_select, spi_clock, spi_data, bus_strobe;
	wire [7:0] bus_data;
	wire disturbed = from != 0 && cycle >= from + delay && cycle < from + delay + noise;
	wire [8:0] sent = port == OWN ? {8'd0, own_pins[0]} :
		 port == UART ? {8'd0, uart_line} : port == SPI ? {6'd0, spi_data, spi_clock, spi_select} : {bus_strobe, bus_data};
	wire [8:0] seen = sent ^ (disturbed ? pins[8:0] : 9'd0);
	rivulet_trace_dense_uart #(.DIV(BIT_CYCLES)) uart (
		.clk_i(clk),
		.rst_i(rst),
		.byte_valid_i(valid && port == UART),
		.byte_i(data),
		.byte_ready_o(uart_ready),
		.tx_o(uart_line),
		.rx_i(asks),
		.begin_o(asked)
	);
	rivulet_trace_dense_spi spi (
		.clk_i(clk),
		.rst_i(rst),
		.byte_valid_i(valid && port == SPI),
		.byte_i(data),
		.byte_ready_o(spi_ready),
		.cs_n_o(spi_select),
		.sck_o(spi_clock),
		.mosi_o(spi_data)
	);
	rivulet_trace_dense_bus bus (
		.clk_i(clk),
		.rst_i(rst),
		.byte_valid_i(valid && port == BUS),
		.byte_i(data),
		.byte_ready_o(bus_ready),
		.data_o(bus_data),
		.wr_n_o(bus_strobe),
		.full_i(!ended && cycle % 1000 < full)
	);
	reg  took;                               // a byte has come
	reg  [7:0] byte_in;
	reg  [8:0] last, shift;
	integer timer, left;                     // cycles until the middle of the next bit, and bits that are to come
	initial {took, byte_in, last, timer, left} = {9'd0, 9'h1FF, 64'd0};
	always @(negedge clk) begin
		took = 1'b0;
		if (rst)
			timer = 0;
		else if (port == UART || port == OWN) begin
			if (timer == 0 && !seen[0]) begin
				timer = BIT_CYCLES + BIT_CYCLES / 2;
				left = 9;
			end else if (timer != 0) begin
				timer = timer - 1;
				if (timer == 0) begin
					shift = {seen[0], shift[8:1]};
					left = left - 1;
					timer = left == 0 ? 0 : BIT_CYCLES;
					took = left == 0 && shift[8];    // without a stop bit it is no byte
					byte_in = shift[7:0];
				end
			end
		end else if (port == SPI) begin
			if (seen[0])
				left = 8;
			else if (seen[1] && !last[1]) begin
				byte_in = {byte_in[6:0], seen[2]};
				left = left == 1 ? 8 : left - 1;
				took = left == 8;
			end
		end else begin
			took = last[8] && !seen[8];
			if (took && !ended && cycle % 1000 >= 12 && cycle % 1000 < full)
				$display("port_bench: cycle %0d: a byte comes while the receiver is full", cycle);
			byte_in = seen[7:0];
		end
		last = seen;
	end

	always @(posedge clk) begin
		cycle = cycle + 1;
		if (valid && ready) begin
			begun = begun + 1;
			if (begun == noisy)
				from = cycle;
		end
		if (took) begin
			$fwrite(bytes, "%c", byte_in);
			count = count + 1;
		end
		silent = ended && !(port == OWN ? soc.g_dense.busy : busy) ? silent + 1 : 0;
		if (silent == 20 * BIT_CYCLES || cycle == 60000000) begin
			$display("port_bench: %0d cycles, %0d bytes%0s", cycle, count, silent != 0 ? "" : ", no end");
			$fclose(bytes);
			$finish;
		end
	end
endmodule
`default_nettype wire
