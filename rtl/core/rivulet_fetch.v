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
	input  wire        fetch_i,          // the bus carries a fetch in this cycle: of the target of a redirect, else from seq_addr_o
	input  wire        ready_i,          // the bus accepts
	input  wire [31:0] rdata_i,
	input  wire        err_i,
	// redirect: all words are dropped, the program counter becomes the target. There are two, not both at once: what a
	// branch decides comes late in the cycle, and is one LUT4 away from the program counter.
	input  wire        early_i,
	input  wire [31:1] early_target_i,
	input  wire        late_i,
	input  wire [31:1] late_target_i,
	// the instruction at the program counter
	output wire [31:1] pc_o,
	output wire [31:0] insn_o,
	output wire        avail_o,
	output wire        fault0_o,         // access fault on its first, or
	output wire        fault1_o,         // on its second halfword
	input  wire        fire_i            // it is taken, only with avail_o; with a redirect it is dropped
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

	// A target does not come from the sum, so the early redirect itself may be the second operand: sum and choice are
	// one LUT4 a bit. Where nothing changes 0 is added: a clock enable would come behind both redirects.
	wire [31:1] pc_next = pc_q + {{29{early_i}}, early_i || (fire_i && by4), early_i || (fire_i && !by4)};
	wire [31:1] pc_early = early_i ? early_target_i : pc_next;

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
		// As gates: yosys makes resets of choices, and a reset is a long way, with a gate in front
		a_valid_q <= (consume ? second_valid : first_valid) && !early_i && !rst_i && !late_i;
		b_valid_q <= !consume && second_valid && !early_i && !rst_i && !late_i;
		pc_q <= late_i ? late_target_i : pc_early;
		if (rst_i) begin
			inflight_q <= 1'b0;
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
