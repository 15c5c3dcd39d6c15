// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Word buffer between the bus and the decoder: keeps the fetched words, aligns the instruction at the program counter.
// docs/core.md section 3, "D" and "F". Cost: about 200 LUT4.
`default_nettype none
module rivulet_fetch #(
	parameter [31:0] RESET_PC = 32'h8000_0000
) (
	input  wire        clk_i,
	input  wire        rst_i,
	// bus: the sequential request of this cycle, and the word of the request before
	output wire [31:2] seq_addr_o,
	output wire        seq_want_o,       // there is room for the word at seq_addr_o
	input  wire        fetch_i,          // the bus carries a fetch in this cycle, from bus_addr_i
	input  wire        ready_i,          // the bus accepts
	input  wire [31:1] bus_addr_i,
	input  wire [31:0] rdata_i,
	input  wire        err_i,
	// redirect: all words are dropped, the program counter becomes bus_addr_i
	input  wire        redirect_i,
	// the instruction at the program counter
	output wire [31:1] pc_o,
	output wire [31:0] insn_o,
	output wire        avail_o,
	output wire        fault0_o,         // access fault on its first, or
	output wire        fault1_o,         // on its second halfword
	input  wire        fire_i            // it is taken, only with avail_o; with redirect_i it is dropped
);
	reg        a_valid_q, a_err_q, b_valid_q, b_err_q, inflight_q;
	reg [31:0] a_q, b_q;
	reg [31:1] pc_q;

	wire [31:0] first = a_valid_q ? a_q : rdata_i;
	wire [31:0] second = b_valid_q ? b_q : rdata_i;
	wire        first_valid = a_valid_q || inflight_q;
	wire        second_valid = a_valid_q && (b_valid_q || inflight_q);
	wire        first_err = a_valid_q ? a_err_q : err_i;
	wire        second_err = b_valid_q ? b_err_q : err_i;

	assign insn_o = pc_q[1] ? {second[15:0], first[31:16]} : first;
	wire wide = insn_o[1:0] == 2'b11;
	wire needs2 = pc_q[1] && wide;
	assign fault0_o = first_valid && first_err;
	assign fault1_o = !fault0_o && needs2 && second_valid && second_err;
	assign avail_o = first_valid && (first_err || !needs2 || second_valid);
	wire by4 = wide || fault0_o;
	wire consume = fire_i && (pc_q[1] || by4);

	// B is valid only beside A, and never while a word is in flight: at most two words are present.

	assign seq_want_o = consume || !second_valid;
	// The first word present is the one at the program counter, so the next to ask for lies as many words behind as are present.
	wire second_there = b_valid_q || inflight_q;
	assign seq_addr_o = pc_q[31:2] + {28'b0, a_valid_q && second_there, a_valid_q ^ second_there};
	assign pc_o = pc_q;

	always @(posedge clk_i) begin
		inflight_q <= fetch_i && ready_i;
		if (consume || !a_valid_q) begin
			a_q <= second;
			a_err_q <= second_err;
		end
		if (!b_valid_q) begin
			b_q <= rdata_i;
			b_err_q <= err_i;
		end
		a_valid_q <= consume ? second_valid : first_valid;
		b_valid_q <= !consume && second_valid;
		if (fire_i)
			pc_q <= pc_q + {29'b0, by4, !by4};
		if (redirect_i) begin
			pc_q <= bus_addr_i;
			a_valid_q <= 1'b0;
			b_valid_q <= 1'b0;
		end
		if (rst_i) begin
			inflight_q <= 1'b0;
			a_valid_q <= 1'b0;
			b_valid_q <= 1'b0;
			pc_q <= RESET_PC[31:1];
		end
	end

`ifdef RIVULET_ASSERT
	always @(posedge clk_i)
		if (!rst_i) begin
			if (b_valid_q && (!a_valid_q || inflight_q)) $fatal(1, "fetch: three words");
			if (fire_i && !avail_o) $fatal(1, "fetch: fire without an instruction");
		end
`endif
endmodule
`default_nettype wire
