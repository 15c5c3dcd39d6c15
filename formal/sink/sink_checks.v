// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Properties of the sink with its buffer, for prove (docs/trace-unit.md section 14). CHECK chooses one. Anything is pushed, anything is written to
// the sink's registers, and memory takes a word when it likes.
`default_nettype none
module sink_checks #(
	parameter CHECK = 0,
	parameter DEPTH = 2,
	parameter WORDS = 2,
	parameter [7:0] PRESENT = 8'd3,
	parameter SINK_BITS = 8
) (
	input wire        clk,
	input wire        push,
	input wire [32*WORDS-1:0] data,
	input wire        write,
	input wire [31:0] wdata,
	input wire        ready,
	input wire        follow
);
`include "rivulet_regs.vh"
	localparam WRITTEN = 0, PLACED = 1, UNREAD = 2, STEADY = 3;
	localparam P = SINK_BITS - 2, WORD_W = $clog2(WORDS);
	localparam [1:0] BASE = 2'd0, WRITE = 2'd2, READ = 2'd3;
	// How many words a record has, and which is number k of them
	localparam [3:0] RECORD = {3'd0, PRESENT[0]} + {3'd0, PRESENT[1]} + {3'd0, PRESENT[2]} + {3'd0, PRESENT[3]};
	function [WORD_W-1:0] number(input [3:0] k);
		integer i;
		reg [3:0] n;
		begin
			n = 4'd0;
			number = {WORD_W{1'b0}};
			for (i = 0; i < WORDS; i = i + 1)
				if (PRESENT[i]) begin
					if (n == k)
						number = i[WORD_W-1:0];
					n = n + 4'd1;
				end
		end
	endfunction
	reg reset_q = 1'b1;
	always @(posedge clk)
		reset_q <= 1'b0;

	wire        owns, readable, pop, valid, lost;
	wire [WORD_W-1:0] word;
	wire [31:0] head, address, out, control;
	wire [10:0] count;
	wire        full, irq;
	wire [(DEPTH > 2 ? 2 : 1)-1:0] rd_ptr, wr_ptr;
	wire [32*WORDS-1:0] last;
	rivulet_trace_fifo #(.DEPTH(DEPTH), .WORDS(WORDS), .WITH_LIFO(0)) buffer (
		.clk_i(clk),
		.rst_i(reset_q),
		.lifo_i(1'b0),
		.ring_i(1'b0),
		.push_i(push && !reset_q),
		.data_i(data),
		.pop_i(pop),
		.lost_o(lost),
		.readable_o(readable),
		.word_i(word),
		.word_o(head),
		.whole_o(),
		.last_o(last),
		.count_o(count),
		.full_o(full),
		.rd_ptr_o(rd_ptr),
		.wr_ptr_o(wr_ptr)
	);
	rivulet_trace_sink #(.SINK_BITS(SINK_BITS), .WORDS(WORDS), .PRESENT(PRESENT)) sink (
		.clk_i(clk),
		.rst_i(reset_q),
		.write_i(write),
		.wdata_i(wdata),
		.sink_o(control),
		.irq_o(irq),
		.owns_o(owns),
		.readable_i(readable),
		.word_o(word),
		.word_i(head),
		.pop_o(pop),
		.mem_valid_o(valid),
		.mem_addr_o(address),
		.mem_wdata_o(out),
		.mem_ready_i(ready)
	);
	// With bit 31 a value, which is a multiple of 4
	wire        to_control = write && !wdata[31], data_write = write && wdata[31];
	wire [31:0] value = {wdata[30:0], 1'b0};

	// What the registers hold, from what was written to them
	reg         enable;
	reg [4:0]   size;
	reg [1:0]   select;
	reg [31:2]  base;
	reg [P-1:0] written, read;              // words
	wire        free = !enable && !valid;
	wire        done = valid && ready;      // a word
	wire [SINK_BITS-1:0] ring_bytes = ~({SINK_BITS{1'b1}} << size);      // of an address, those that are a place in the ring
	wire [P-1:0] ring = ring_bytes[SINK_BITS-1:2];
	always @(posedge clk) begin
		if (to_control) begin
			enable <= wdata[RV_SINK_ENABLE_LSB];
			select <= wdata[RV_SINK_SELECT_LSB +: 2];
			if (free)
				size <= wdata[RV_SINK_SIZE_LSB +: RV_SINK_SIZE_W];
		end
		if (data_write && free && select == BASE)
			base <= value[31:2];
		if (data_write && free && select == WRITE)
			written <= value[SINK_BITS-1:2];
		else if (done)
			written <= written + 1'b1;
		if (data_write && select == READ)
			read <= value[SINK_BITS-1:2];
		if (reset_q) begin
			{enable, size, select} <= 8'd0;
			base <= 30'd0;
			{written, read} <= {2*P{1'b0}};
		end
	end

	reg [3:0] k;                            // of the word on the port in its record
	wire      ends = done && k == RECORD - 4'd1;
	always @(posedge clk)
		k <= reset_q || ends ? 4'd0 : done ? k + 4'd1 : k;
	generate
	case (CHECK)
	WRITTEN: begin : g
		// One record, any, is followed through the buffer: `ahead` records are written before it.
		reg [4:0]  held, ahead;
		reg        have;
		reg [WORDS-1:0] expected;               // of each word the lowest bit: the others go the same way
		reg [WORDS-1:0] lowest;
		integer i;
		always @* for (i = 0; i < WORDS; i = i + 1) lowest[i] = data[32*i];
		wire       accept = push && (held != DEPTH[4:0] || ends);
		wire       leaving = have && ahead == 5'd0 && ends;
		wire [WORDS-1:0] shifted = expected >> number(k);
		always @(posedge clk) begin
			held <= held + {4'd0, accept} - {4'd0, ends};
			if (accept && follow && (!have || leaving)) begin
				have <= 1'b1;
				expected <= lowest;
				ahead <= held - {4'd0, ends};
			end else if (leaving)
				have <= 1'b0;
			else if (ends)
				ahead <= ahead - 5'd1;
			if (reset_q)
				{have, held, ahead} <= 11'd0;
		end
		always @* if (!reset_q) assert (!valid || held != 5'd0);
		always @* if (!reset_q) assert (count == {6'd0, held});
		always @* if (!reset_q && valid && have && ahead == 5'd0) assert (out[0] == shifted[0]);
	end
	PLACED: always @* if (!reset_q && valid)
		assert (address == {(base & ~{{30-P{1'b0}}, ring}) | {{30-P{1'b0}}, written & ring}, 2'b00});
	UNREAD: begin : g
		// The reader moves READ no further than WRITE; who writes WRITE empties the ring; a ring of less than a record stays empty.
		wire [P-1:0] unread = written - read, to = value[SINK_BITS-1:2] - read;
		always @* assume (!data_write || select != READ || to <= unread);
		always @* assume (!data_write || select != WRITE || value[SINK_BITS-1:2] == read);
		always @* assume (!to_control || !free || unread == {P{1'b0}} || wdata[RV_SINK_SIZE_LSB +: RV_SINK_SIZE_W] == size);
		// ... and by as much as the ring has: what is in it then is one turn of it
		always @* if (!reset_q) assert (unread <= ring);
		always @* if (!reset_q && valid) assert (unread < ring);
	end
	default: begin : g
		reg        waits;
		reg [31:0] address_q, out_q;
		always @(posedge clk) begin
			waits <= !reset_q && valid && !ready;
			address_q <= address;
			out_q <= out;
		end
		initial waits = 1'b0;
		always @* if (!reset_q && waits) assert (valid && address == address_q && out[0] == out_q[0]);
	end
	endcase
	endgenerate
endmodule
`default_nettype wire
