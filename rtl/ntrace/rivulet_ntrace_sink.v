// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The RAM sink of the Trace Control Interface (trRam*): four bytes become a word, the words go round from Start to Limit, trRamWrap says that they
// did. WORDS > 0: a memory of its own (SRAM mode), read through trRamData. WORDS 0: memory of the system (SMEM mode), by a write port.
// docs/ntrace-encoder.md section 6. Cost: about 150 LUT4 and block RAM of WORDS x 32 bits.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
module rivulet_ntrace_sink #(
	parameter WORDS = 1024                 // a power of two from 16 to 65536, or 0
) (
	input  wire        clk_i,
	input  wire        rst_i,
	// registers: index_i is the offset in its block, in words; rdata_o is what it has now
	input  wire        write_i,
	input  wire        read_i,             // index_i is read: trRamData goes on to the next word
	input  wire [9:0]  index_i,
	input  wire [31:0] wdata_i,
	output reg  [31:0] rdata_o,
	// bytes of the encoder
	input  wire        byte_valid_i,
	input  wire [7:0]  byte_i,
	output wire        byte_ready_o,
	// WORDS 0: a word to memory, valid until ready
	output wire        mem_valid_o,
	output wire [31:0] mem_addr_o,
	output wire [31:0] mem_wdata_o,
	input  wire        mem_ready_i
);
	localparam [9:0] CONTROL = 10'h000, IMPL = 10'h001, START = 10'h004, LIMIT = 10'h006, WP = 10'h008, RP = 10'h00A, DATA = 10'h010;
	localparam [0:0] OWN = WORDS > 0;
	localparam A = OWN ? $clog2(WORDS) : 30;       // bits of an address in words
	localparam [A-1:0] ONE = 1;
	reg         active_q, enable_q, stop_on_wrap_q, wrap_q;
	reg [A-1:0] wp_q;
	reg [23:0]  bytes_q;                   // of the word that is not whole yet, the newest on top
	reg [1:0]   count_q;
	wire [A-1:0] start, limit, rp;
	wire        memory_free, memory_empty;
	// trRamEnable at 0: what is not whole is filled up with idle bytes.
	wire        pad = !enable_q && count_q != 2'd0;
	wire        take = (byte_valid_i && enable_q) || pad;
	assign byte_ready_o = !enable_q || memory_free;
	wire        taken = take && memory_free;
	wire [31:0] word = {pad ? 8'hFF : byte_i, bytes_q};
	wire        store = taken && count_q == 2'd3;
	wire        at_limit = wp_q == limit;
	wire        write = write_i && active_q;
	always @(posedge clk_i) begin
		if (write_i && index_i == CONTROL)
			active_q <= wdata_i[0];
		if (taken) begin
			bytes_q <= word[31:8];
			count_q <= count_q + 2'd1;
		end
		if (store) begin
			wp_q <= at_limit ? start : wp_q + ONE;
			wrap_q <= wrap_q || at_limit;
			if (at_limit && stop_on_wrap_q)
				enable_q <= 1'b0;
		end
		if (write && index_i == CONTROL) begin
			enable_q <= wdata_i[1];
			stop_on_wrap_q <= wdata_i[8];
		end
		if (write && index_i == WP) begin
			wp_q <= wdata_i[A+1:2];
			wrap_q <= 1'b0;
		end
		if (rst_i)
			active_q <= 1'b0;
		if (rst_i || !active_q) begin
			{enable_q, stop_on_wrap_q, wrap_q} <= 3'd0;
			count_q <= 2'd0;
			wp_q <= {A{1'b0}};
		end
	end
	wire [31:0] data;
	generate if (OWN) begin : g_sram
		(* no_rw_check *) reg [31:0] mem [0:WORDS-1];
		reg [31:0]  data_q;
		reg [A-1:0] rp_q, limit_q, rp_next;
		always @* begin
			rp_next = rp_q;
			if (read_i && index_i == DATA)
				rp_next = rp_q == limit_q ? {A{1'b0}} : rp_q + ONE;
			if (write && index_i == RP)
				rp_next = wdata_i[A+1:2];
		end
		always @(posedge clk_i) begin
			if (store)
				mem[wp_q] <= word;
			data_q <= mem[rp_next];           // an access that follows at once has it
			rp_q <= rp_next;
			if (write && index_i == LIMIT)
				limit_q <= wdata_i[A+1:2] | {A{wdata_i[31:A+2] != 0}};
			if (rst_i || !active_q) begin
				rp_q <= {A{1'b0}};
				limit_q <= {A{1'b1}};
			end
		end
		assign start = {A{1'b0}};
		assign limit = limit_q;
		assign rp = rp_q;
		assign data = data_q;
		assign memory_free = 1'b1;
		assign memory_empty = 1'b1;
		assign mem_valid_o = 1'b0;
		assign mem_addr_o = 32'd0;
		assign mem_wdata_o = 32'd0;
	end else begin : g_smem
		reg         valid_q;
		reg [A-1:0] addr_q, start_q, limit_q;
		reg [31:0]  wdata_q;
		always @(posedge clk_i) begin
			if (store) begin
				addr_q <= wp_q;
				wdata_q <= word;
			end
			valid_q <= store || (valid_q && !mem_ready_i);
			if (write && index_i == START)
				start_q <= wdata_i[31:2];
			if (write && index_i == LIMIT)
				limit_q <= wdata_i[31:2];
			if (rst_i)
				valid_q <= 1'b0;
			if (rst_i || !active_q) begin
				start_q <= {A{1'b0}};
				limit_q <= {A{1'b1}};
			end
		end
		assign start = start_q;
		assign limit = limit_q;
		assign rp = {A{1'b0}};
		assign data = 32'd0;
		// A word that waits is not overtaken by the next one.
		assign memory_free = !valid_q || count_q != 2'd3;
		assign memory_empty = !valid_q;
		assign mem_valid_o = valid_q;
		assign mem_addr_o = {addr_q, 2'b00};
		assign mem_wdata_o = wdata_q;
	end endgenerate
	wire empty = count_q == 2'd0 && memory_empty;
	wire [31:0] start_word = {{30-A{1'b0}}, start, 2'b00}, limit_word = {{30-A{1'b0}}, limit, 2'b00};
	wire [31:0] wp_word = {{30-A{1'b0}}, wp_q, 1'b0, wrap_q}, rp_word = {{30-A{1'b0}}, rp, 2'b00};
	always @* begin
		case (index_i)
		CONTROL: rdata_o = {23'd0, stop_on_wrap_q, 3'd0, !OWN, empty, 1'b0, enable_q, active_q};
		IMPL: rdata_o = {18'd0, !OWN, OWN, 4'd9, 4'd0, 4'd1};
		START: rdata_o = start_word;
		LIMIT: rdata_o = limit_word;
		WP: rdata_o = wp_word;
		RP: rdata_o = rp_word;
		DATA: rdata_o = data;
		default: rdata_o = 32'd0;
		endcase
	end
endmodule
// verilator lint_restore
`default_nettype wire
