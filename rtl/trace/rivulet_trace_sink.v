// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The sink: takes records out of the buffer and writes them into a ring in memory, so that no software is entered. A record is the words of REC_*
// that the unit has, in the order of their registers. Whoever reads the ring moves READ; a record that finds no room waits in the buffer.
// docs/trace-unit.md section 14. Cost: about 230 LUT4 and 110 flip-flops; a cycle of the memory's port for each word.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_trace_sink #(
	parameter XLEN = 32,
	parameter SINK_BITS = 20,               // the largest ring has 2^SINK_BITS bytes; 8 to 28
	parameter WORDS = 4,                    // of a record in the buffer
	parameter [7:0] PRESENT = 8'h0F,        // those that are written; word 0 is
	parameter WORD_W = $clog2(WORDS)
) (
	input  wire              clk_i,
	input  wire              rst_i,
	// register SINK
	input  wire              write_i,
	input  wire [31:0]       wdata_i,
	output wire [31:0]       sink_o,        // what it reads
	output wire              irq_o,         // level
	// the buffer
	output wire              owns_o,        // the buffer is the sink's: first in, first out, and REC_* read 0
	input  wire              readable_i,
	output wire [WORD_W-1:0] word_o,        // the word that is wanted in the next cycle
	input  wire [31:0]       word_i,
	output wire              pop_o,
	// a word to memory: valid until ready
	output wire              mem_valid_o,
	output wire [XLEN-1:0]   mem_addr_o,    // of bytes; a multiple of 4
	output wire [31:0]       mem_wdata_o,
	input  wire              mem_ready_i
);
`include "rivulet_regs.vh"
	localparam P = SINK_BITS - 2;           // bits of a pointer, in words
	localparam [P-1:0] ONE = 1;
	localparam [1:0] SELECT_BASE = 2'd0, SELECT_BASE_HI = 2'd1, SELECT_WRITE = 2'd2, SELECT_READ = 2'd3;
	// The words of a record: how many, which is the last, and which follows another one
	function [P:0] words_of(input [7:0] present);
		integer i;
		begin
			words_of = {P+1{1'b0}};
			for (i = 0; i < WORDS; i = i + 1)
				words_of = words_of + {{P{1'b0}}, present[i]};
		end
	endfunction
	function [WORD_W:0] word_behind(input [WORD_W-1:0] word);     // WORDS: there is none
		integer i;
		begin
			word_behind = WORDS[WORD_W:0];
			for (i = WORDS - 1; i >= 0; i = i - 1)
				if (PRESENT[i] && i[WORD_W:0] > {1'b0, word})
					word_behind = i[WORD_W:0];
		end
	endfunction
	localparam [P:0] RECORD = words_of(PRESENT);

	reg              enable_q, ie_q, busy_q;
	reg [4:0]        size_q;
	reg [1:0]        select_q;
	reg              shows_q;                // SINK reads what is selected
	reg [31:2]       base_q;
	reg [P-1:0]      write_q, read_q;
	reg [WORD_W-1:0] word_q;                // on the port, if busy_q
	// A pointer counts words without end; mask: the bits of it that are a place in the ring
	wire [P-1:0] mask, top;
	genvar i;
	generate for (i = 0; i < P; i = i + 1) begin : g_mask
		assign mask[i] = size_q > i + 2;
	end endgenerate
	assign top = mask ^ (mask >> 1);
	wire [P-1:0] used = (write_q - read_q) & mask;
	wire [P:0]   then_used = {1'b0, used} + RECORD;
	wire         room = (then_used & ~{1'b0, mask}) == {P+1{1'b0}};
	wire         half = (used & top) != {P{1'b0}};
	assign owns_o = enable_q || busy_q;

	wire [WORD_W:0] behind = word_behind(word_q);
	wire         last = behind == WORDS[WORD_W:0];
	wire         step = busy_q && mem_ready_i;
	wire         start = !busy_q && enable_q && readable_i && room;
	assign pop_o = step && last;
	assign word_o = !busy_q || (step && last) ? {WORD_W{1'b0}} : step ? behind[WORD_W-1:0] : word_q;
	assign mem_valid_o = busy_q;
	wire [31:0]  base_high;
	wire [31:2]  offset_mask = {{30-P{1'b0}}, mask};
	wire [63:0]  address = {base_high, (base_q & ~offset_mask) | ({{30-P{1'b0}}, write_q} & offset_mask), 2'b00};
	assign mem_addr_o = address[XLEN-1:0];
	assign mem_wdata_o = word_i;
	assign irq_o = ie_q && half;

	wire        free = !owns_o;             // base, size and pointers may change
	// Values are multiples of 4, so that one bit can say that it is one.
	wire        control_write = write_i && !wdata_i[RV_SINK_PRESENT_LSB], data_write = write_i && wdata_i[RV_SINK_PRESENT_LSB];
	wire [31:0] given = {wdata_i[30:0], 1'b0};
	always @(posedge clk_i) begin
		if (control_write) begin
			enable_q <= wdata_i[RV_SINK_ENABLE_LSB];
			ie_q <= wdata_i[RV_SINK_IE_LSB];
			{shows_q, select_q} <= wdata_i[RV_SINK_SELECT_LSB +: RV_SINK_SELECT_W];
			if (free)
				size_q <= wdata_i[RV_SINK_SIZE_LSB +: RV_SINK_SIZE_W];
		end
		if (data_write && free && select_q == SELECT_BASE)
			base_q <= given[31:2];
		if (data_write && free && select_q == SELECT_WRITE)
			write_q <= given[SINK_BITS-1:2];
		if (data_write && select_q == SELECT_READ)
			read_q <= given[SINK_BITS-1:2];
		if (step)
			write_q <= write_q + ONE;
		busy_q <= start || (busy_q && !(step && last));
		word_q <= word_o;
		if (rst_i) begin
			{enable_q, ie_q, busy_q} <= 3'b000;
			size_q <= 5'd0;
			{shows_q, select_q} <= 3'd0;
			write_q <= {P{1'b0}};
			read_q <= {P{1'b0}};
			base_q <= 30'd0;
		end
	end
	generate if (XLEN == 64) begin : g_high
		reg [31:0] high_q;
		always @(posedge clk_i)
			if (rst_i)
				high_q <= 32'd0;
			else if (data_write && free && select_q == SELECT_BASE_HI)
				high_q <= {1'b0, wdata_i[30:0]};
		assign base_high = high_q;
	end else begin : g_no_high
		assign base_high = 32'd0;
	end endgenerate

	function [31:0] at(input [31:0] value, input integer lsb);
		at = value << lsb;
	endfunction
	wire [31:0] data = select_q == SELECT_BASE ? {base_q, 2'b00} : select_q == SELECT_BASE_HI ? base_high :
		{{32-SINK_BITS{1'b0}}, select_q == SELECT_WRITE ? write_q : read_q, 2'b00};
	wire [31:0] control = at({31'd0, enable_q}, RV_SINK_ENABLE_LSB) | at({31'd0, ie_q}, RV_SINK_IE_LSB) | at({27'd0, size_q}, RV_SINK_SIZE_LSB) |
		at({29'd0, shows_q, select_q}, RV_SINK_SELECT_LSB) | at({31'd0, busy_q}, RV_SINK_BUSY_LSB) | at({31'd0, half}, RV_SINK_HALF_LSB) |
		at({31'd0, !room}, RV_SINK_FULL_LSB) | at({{31-P{1'b0}}, RECORD}, RV_SINK_WORDS_LSB) | at(32'd1, RV_SINK_PRESENT_LSB);
	assign sink_o = shows_q ? data : control;
endmodule
// verilator lint_restore
`default_nettype wire
