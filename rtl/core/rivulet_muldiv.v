// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Multiply and divide of the M extension; cycles as docs/core.md section 5.
// MUL_FAST = 1: multiplication by four registered 16x16 products (4 DSP blocks, about 180 LUT4); 0: one bit a cycle in the divider's adder.
`default_nettype none
module rivulet_muldiv #(
	parameter [0:0] MUL_FAST = 1
) (
	input  wire        clk_i,
	input  wire        rst_i,
	input  wire        run_i,            // an M instruction executes; held with the operands until done_o, low again in between or to abort
	input  wire [2:0]  op_i,             // funct3
	input  wire [31:0] a_i,
	input  wire [31:0] b_i,
	output wire        done_o,           // in the last cycle
	output wire [31:0] result_o          // valid with done_o
);
	wire is_div = op_i[2];
	wire is_mul = op_i == 3'b000;
	wire a_signed = is_div ? !op_i[0] : op_i[1:0] != 2'b11;
	wire b_signed = is_div ? !op_i[0] : !op_i[1];
	wire a_neg = a_signed && a_i[31];
	wire b_neg = b_signed && b_i[31];

	// One bit a cycle. Divide: restoring, on |a| in lo; a negative divisor is added instead of subtracted; leading zero bytes of |a| take a cycle each.
	// MUL: sum acc, multiplicand shifted left, multiplier lo shifted right until it is 0. MULH*: {acc, lo} shifted right.
	localparam [1:0] IDLE = 2'd0, SIGN = 2'd1, STEP = 2'd2, LAST = 2'd3;
	reg  [1:0]  state_q, state_d;
	reg  [4:0]  count_q, count_d;
	reg         lead_q, lead_d;          // no bit of the quotient was made yet
	reg         b_zero_q, b_neg_q;
	reg  [32:0] acc_q, acc_d;
	reg  [31:0] lo_q, lo_d, y_q, y_d;
	wire        use_iter = is_div || !MUL_FAST;

	wire        last_bit = count_q == 5'd31;
	wire        skip = is_div && lead_q && lo_q[31:24] == 8'h00 && count_q != 5'd24 && !b_zero_q;
	wire        en = is_div || lo_q[0];
	wire        invert = is_div ? !b_neg_q : (!is_mul && b_neg_last);
	wire        b_neg_last = b_signed && last_bit && lo_q[0];
	wire        y_top = is_div ? b_neg_q : (a_signed && y_q[31]);
	wire [33:0] x = is_div ? {1'b0, acc_q[31:0], lo_q[31]} : {acc_q[32], acc_q};
	wire [33:0] y = ({{2{y_top}}, y_q} & {34{en}}) ^ {34{invert}};
	wire [33:0] sum = x + y + {33'b0, invert};
	wire        fits = !sum[33];         // the remainder stays non-negative

	wire        want_rem = op_i[1];
	wire        sel_acc = state_q == LAST && (!is_div || want_rem);
	wire        negate = state_q == SIGN ? a_neg : is_div && (want_rem ? a_neg : (a_neg ^ b_neg_q) && !b_zero_q);
	wire [31:0] neg_in = (sel_acc ? acc_q[31:0] : lo_q) ^ {32{negate}};
	wire [31:0] neg_out = neg_in + {31'b0, negate};

	always @* begin
		state_d = state_q;
		count_d = count_q;
		acc_d = acc_q;
		lo_d = lo_q;
		y_d = y_q;
		lead_d = 1'b1;
		case (state_q)
		IDLE: begin
			acc_d = 33'b0;
			count_d = 5'd0;
			lo_d = is_div ? a_i : b_i;
			y_d = is_div ? b_i : a_i;
			if (run_i && use_iter)
				state_d = is_div ? SIGN : is_mul && b_i == 32'b0 ? LAST : STEP;
		end
		SIGN: begin
			lo_d = neg_out;
			state_d = STEP;
		end
		STEP: begin
			lead_d = lead_q;
			count_d = count_q + (skip ? 5'd8 : 5'd1);
			if (skip)
				lo_d = {lo_q[23:0], 8'h00};
			else if (is_div) begin
				acc_d = fits ? sum[32:0] : x[32:0];
				lo_d = {lo_q[30:0], fits};
				lead_d = 1'b0;
			end else if (is_mul) begin
				acc_d = {1'b0, sum[31:0]};
				y_d = {y_q[30:0], 1'b0};
				lo_d = {1'b0, lo_q[31:1]};
			end else begin
				acc_d = sum[33:1];
				lo_d = {sum[0], lo_q[31:1]};
			end
			if (is_mul ? lo_q[31:1] == 31'b0 : last_bit)
				state_d = LAST;
		end
		LAST: state_d = IDLE;
		endcase
		if (!run_i)
			state_d = IDLE;
	end
	always @(posedge clk_i) begin
		state_q <= rst_i ? IDLE : state_d;
		count_q <= count_d;
		lead_q <= lead_d;
		if (state_q == IDLE) begin
			b_zero_q <= b_i == 32'b0;
			b_neg_q <= b_neg;
		end
		acc_q <= acc_d;
		lo_q <= lo_d;
		y_q <= y_d;
	end

	generate if (MUL_FAST) begin : g_fast
		reg [2:0]  step_q;           // one hot: cycles 2 to 4 of a multiplication
		reg [31:0] ll_q, hl_q, hh_q, corr_q, hh_signed_q;
		// Yosys 0.23 (ice40_dsp) would take lh_q into the DSP blocks of both products at the adder and lose the product.
		(* keep *) reg [31:0] lh_q;
		reg [31:0] ma_q, mb_q;
		reg [32:0] mixed_q;
		wire [32:0] mixed = {1'b0, lh_q} + {1'b0, hl_q};
		wire [15:0] mid = ll_q[31:16] + mixed[15:0];
		wire [16:0] carry = {1'b0, ll_q[31:16]} + {1'b0, mixed_q[15:0]};
		wire        start = run_i && !is_div && step_q == 3'b0;
		wire        fast_done = is_mul ? step_q[1] : step_q[2];
		always @(posedge clk_i) begin
			ma_q <= a_i;
			mb_q <= b_i;
			ll_q <= ma_q[15:0] * mb_q[15:0];
			lh_q <= ma_q[15:0] * mb_q[31:16];
			hl_q <= ma_q[31:16] * mb_q[15:0];
			hh_q <= ma_q[31:16] * mb_q[31:16];
			mixed_q <= mixed;
			corr_q <= (a_neg ? mb_q : 32'b0) + (b_neg ? ma_q : 32'b0);
			hh_signed_q <= hh_q - corr_q;
			step_q <= rst_i || !run_i || fast_done ? 3'b0 : {step_q[1:0], start};
		end
		wire [31:0] high = hh_signed_q + {15'b0, mixed_q[32:16]} + {31'b0, carry[16]};
		assign done_o = is_div ? state_q == LAST : fast_done;
		assign result_o = is_div ? neg_out : is_mul ? {mid, ll_q[15:0]} : high;
	end else begin : g_iter
		assign done_o = state_q == LAST;
		assign result_o = neg_out;
	end endgenerate
endmodule
`default_nettype wire
