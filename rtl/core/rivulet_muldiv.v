// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Multiply and divide of the M extension; cycles as docs/core.md section 5.
// MUL_FAST = 1: multiplication by four registered 16x16 products (4 DSP blocks, about 180 LUT4); 0: two bits a cycle in the divider's adder.
`default_nettype none
// verilator lint_save
// verilator lint_off UNUSED
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

	// By one adder. In IDLE the operands are taken, lo = a, y = b.
	// Divide, one bit a cycle: SIGN makes lo = |a|; restoring steps; a negative divisor is added instead of subtracted; leading zero bytes of |a|
	// take a cycle each. LAST: the result, negated where it must be, goes through the adder.
	// Multiply, two bits of lo a cycle: 3 is -1 and 1 carried to the next two, so that y, 2 y and -y are all that is ever added. MUL: sum acc,
	// y shifted left, until nothing is left of lo. MULH*: acc shifted right; LAST adds what is due at bit 32: the carry, less the sign of a.
	localparam [1:0] IDLE = 2'd0, SIGN = 2'd1, STEP = 2'd2, LAST = 2'd3;
	localparam [1:0] NOTHING = 2'd0, ONCE = 2'd1, TWICE = 2'd2, MINUS = 2'd3;
	reg  [1:0]  state_q, state_d;
	reg  [4:0]  count_q;
	reg         lead_q;                  // no bit of the quotient was made yet
	reg         carry_q;                 // to the next two bits of lo
	reg         a_neg_q, b_zero_q, b_neg_q;
	reg  [32:0] acc_q;
	reg  [31:0] lo_q, lo_d, y_q;
	reg         one_left_q;              // lo is 0 or 1, found in the cycle before, so that done_o comes early
	wire        div = is_div || MUL_FAST;    // where the multiplier is another one, this is all there is
	wire        mul = is_mul && !MUL_FAST;

	wire        stepping = state_q == STEP, last = state_q == LAST;
	wire        last_bit = count_q[3:0] == 4'd15 && (count_q[4] || !div);
	wire        skip = div && lead_q && lo_q[31:24] == 8'h00 && count_q != 5'd24 && !b_zero_q;
	wire        want_rem = op_i[1];
	wire        negate = want_rem ? a_neg_q : (a_neg_q ^ b_neg_q) && !b_zero_q;
	wire        carries = lo_q[1] && (lo_q[0] || carry_q);
	wire        mul_last = mul && stepping && one_left_q;

	// What is added of y
	reg  [1:0]  times;
	always @*
		if ((div && !stepping) || (!div && last && carry_q == a_neg_q))
			times = NOTHING;
		else if (div)
			times = b_neg_q ? ONCE : MINUS;
		else if (last)
			times = a_neg_q ? MINUS : ONCE;
		else
			times = {lo_q[1] ^ (lo_q[0] && carry_q), lo_q[0] ^ carry_q};
	wire        y_top = div ? b_neg_q : b_signed && y_q[31];
	wire [34:0] y_once = {{3{y_top}}, y_q};
	wire [34:0] y = times == TWICE ? {y_once[33:0], 1'b0} : times == NOTHING ? 35'b0 : y_once ^ {35{times == MINUS}};
	// What it is added to
	wire        from_lo = div && !stepping && !(last && want_rem);
	wire        invert = div && (last ? negate : !stepping && a_neg_q);
	wire [34:0] from_acc = div && stepping ? {2'b0, acc_q[31:0], lo_q[31]} : {{2{acc_q[32]}}, acc_q};
	wire [34:0] x = (from_lo ? {3'b0, lo_q} : from_acc) ^ {35{invert}};
	wire [34:0] sum = x + y + {34'b0, invert || times == MINUS};
	wire        fits = !sum[34];         // the remainder stays non-negative

	always @* begin
		case (state_q)
		IDLE: state_d = div ? SIGN : STEP;
		SIGN: state_d = STEP;
		STEP: state_d = mul ? (mul_last ? IDLE : STEP) : last_bit ? LAST : STEP;
		LAST: state_d = IDLE;
		endcase
		if (!run_i || (MUL_FAST && !is_div))
			state_d = IDLE;
		if (!stepping)
			lo_d = state_q == IDLE ? a_i : sum[31:0];
		else
			lo_d = skip ? {lo_q[23:0], 8'h00} : div ? {lo_q[30:0], fits} : {2'b00, lo_q[31:2]};
	end
	always @(posedge clk_i) begin
		state_q <= rst_i ? IDLE : state_d;
		count_q <= stepping ? count_q + (skip ? 5'd8 : 5'd1) : 5'd0;
		lead_q <= !stepping || (lead_q && skip);
		carry_q <= stepping && carries;
		if (state_q == IDLE) begin
			b_zero_q <= b_i == 32'b0;
			b_neg_q <= b_neg;
			a_neg_q <= a_neg;
		end
		if (!stepping)
			acc_q <= 33'b0;
		else if (div)
			acc_q <= fits ? sum[32:0] : x[32:0];
		else
			acc_q <= mul ? sum[32:0] : sum[34:2];
		lo_q <= lo_d;
		one_left_q <= lo_d[31:1] == 31'b0;
		if (state_q == IDLE)
			y_q <= b_i;
		else if (mul)
			y_q <= {y_q[29:0], 2'b00};
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
		assign done_o = is_div ? last : fast_done;
		assign result_o = is_div ? sum[31:0] : is_mul ? {mid, ll_q[15:0]} : high;
	end else begin : g_iter
		assign done_o = last || mul_last;
		assign result_o = sum[31:0];
	end endgenerate
endmodule
// verilator lint_restore
`default_nettype wire
