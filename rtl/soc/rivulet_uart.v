// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// UART, 8N1, one byte of buffer in each direction (docs/core.md section 7).
`default_nettype none
module rivulet_uart #(
	parameter [15:0] DIV = 16'd7,            // cycles per bit - 1 after reset
	parameter DIV_BITS = 16                  // of its register, 4 to 16; upper ones read 0. About 4 LUT4 each
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        sel_i,                // addr_i is one of these registers
	input  wire        read_i,
	input  wire        write_i,
	input  wire [3:0]  addr_i,               // byte offset
	input  wire [31:0] wdata_i,
	output reg  [31:0] rdata_o,              // of addr_i in the cycle before, 0 if it had no sel_i
	input  wire        rx_i,
	output wire        tx_o,
	output wire        irq_o                 // a byte was received, and its interrupt is enabled
);
	wire at_data = addr_i[3:2] == 2'd0;
	wire at_status = addr_i[3:2] == 2'd1;
	wire at_div = addr_i[3:2] == 2'd2;
	reg [DIV_BITS-1:0] div_q;
	reg        rx_ie_q;

	// Transmitter: a one-byte buffer in front of {stop, byte, start}, least significant bit on the line
	reg        buffer_full_q, busy_q;
	reg [7:0]  buffer_q;
	reg [9:0]  shift_q;
	reg [3:0]  bits_q;                       // bits still to send after this one
	reg [DIV_BITS-1:0] timer_q;
	assign tx_o = !busy_q || shift_q[0];
	// A timer counts down to 0 and begins again. Counting and loading share one LUT4 a bit: the inverted load is the second operand of the adder.
	wire        tx_event = timer_q == {DIV_BITS{1'b0}};
	wire        tx_load = tx_event || !busy_q;
	wire [DIV_BITS-1:0] tx_less1 = timer_q + {DIV_BITS{!tx_load}};
	always @(posedge clk_i) begin
		if (write_i && at_data && !buffer_full_q) begin
			buffer_full_q <= 1'b1;
			buffer_q <= wdata_i[7:0];
		end
		if (!busy_q) begin
			if (buffer_full_q) begin
				busy_q <= 1'b1;
				buffer_full_q <= 1'b0;
				shift_q <= {1'b1, buffer_q, 1'b0};
				bits_q <= 4'd9;
			end
		end else if (tx_event) begin
			shift_q <= {1'b1, shift_q[9:1]};
			bits_q <= bits_q - 4'd1;
			if (bits_q == 4'd0)
				busy_q <= 1'b0;
		end
		timer_q <= tx_load ? div_q : tx_less1;
		if (rst_i) begin
			buffer_full_q <= 1'b0;
			busy_q <= 1'b0;
			shift_q <= 10'h3FF;
			buffer_q <= 8'd0;
			bits_q <= 4'd0;
			timer_q <= {DIV_BITS{1'b0}};
		end
	end

	// Receiver
	reg [1:0]  sync_q;
	reg        rx_busy_q, rx_full_q, rx_overrun_q;
	reg [3:0]  rx_bits_q;                    // 0 start, 1 to 8 data, 9 stop
	reg [DIV_BITS-1:0] rx_timer_q;
	reg [7:0]  rx_shift_q, rx_data_q;
	wire       rx = sync_q[1];
	wire        rx_event = rx_timer_q == {DIV_BITS{1'b0}};
	wire        rx_load = rx_event || !rx_busy_q;
	wire [DIV_BITS-1:0] rx_less1 = rx_timer_q + {DIV_BITS{!rx_load}};
	wire       take = read_i && at_data;
	always @(posedge clk_i) begin
		sync_q <= {sync_q[0], rx_i};
		if (take) begin
			rx_full_q <= 1'b0;
			rx_overrun_q <= 1'b0;
		end
		if (!rx_busy_q) begin
			if (!rx) begin
				rx_busy_q <= 1'b1;
				rx_bits_q <= 4'd0;
			end
		end else if (rx_event) begin
			rx_bits_q <= rx_bits_q + 4'd1;
			rx_shift_q <= {rx, rx_shift_q[7:1]};
			if (rx_bits_q == 4'd0 && rx)
				rx_busy_q <= 1'b0;
			if (rx_bits_q == 4'd9) begin
				rx_busy_q <= 1'b0;
				if (rx) begin
					if (rx_full_q && !take)
						rx_overrun_q <= 1'b1;
					else begin
						rx_full_q <= 1'b1;
						rx_data_q <= rx_shift_q;
					end
				end
			end
		end
		rx_timer_q <= !rx_load ? rx_less1 : rx_busy_q ? div_q : div_q >> 1;
		if (rst_i) begin
			sync_q <= 2'b11;
			{rx_busy_q, rx_full_q, rx_overrun_q} <= 3'b000;
			rx_bits_q <= 4'd0;
			rx_timer_q <= {DIV_BITS{1'b0}};
			rx_shift_q <= 8'd0;
			rx_data_q <= 8'd0;
		end
	end

	always @(posedge clk_i) begin
		if (write_i && at_status)
			rx_ie_q <= wdata_i[8];
		if (write_i && at_div)
			div_q <= wdata_i[DIV_BITS-1:0];
		rdata_o <= 32'd0;
		if (at_data)
			rdata_o <= {!rx_full_q, 23'd0, rx_data_q};
		if (at_status)
			rdata_o <= {23'd0, rx_ie_q, 4'd0, !buffer_full_q && !busy_q, rx_overrun_q, rx_full_q, !buffer_full_q};
		if (at_div)
			rdata_o <= {{32-DIV_BITS{1'b0}}, div_q};
		if (!sel_i)
			rdata_o <= 32'd0;
		if (rst_i) begin
			rx_ie_q <= 1'b0;
			div_q <= DIV[DIV_BITS-1:0];
			rdata_o <= 32'd0;
		end
	end
	assign irq_o = rx_full_q && rx_ie_q;
endmodule
`default_nettype wire
