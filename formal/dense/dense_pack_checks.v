// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The part of the dense coder that makes bytes: what is put goes out once, in order, whatever the receiver does, and every row of bytes is legal.
// A unit is a byte of a frame before it is escaped, or a flag.
`default_nettype none
module dense_pack_checks #(
	parameter CHECK = 5,
	parameter BUFFER = 4
) (
	input wire clk
);
	localparam HOLDS = 5, LEGAL = 6, WHOLE = 7;
	localparam [7:0] FLAG = 8'h7E, ESCAPE = 8'h7D;
	localparam PTR = $clog2(BUFFER);
	reg reset_q = 1'b1;
	always @(posedge clk)
		reset_q <= 1'b0;

	// ---------------------------------------------------------------- anything is put, the bytes are taken at any time
	(* anyseq *) wire bits, pad, check, flag, first, ready_in, follow;
	(* anyseq *) wire [5:0] value;
	(* anyseq *) wire [2:0] size;
	wire ready, empty, valid;
	wire [7:0] out;
	rivulet_trace_dense_pack #(.BUFFER(BUFFER)) unit (
		.clk_i(clk),
		.rst_i(reset_q),
		.bits_i(bits),
		.pad_i(pad),
		.check_i(check),
		.flag_i(flag),
		.first_i(first),
		.value_i(value),
		.size_i(size),
		.ready_o(ready),
		.empty_o(empty),
		.byte_valid_o(valid),
		.byte_o(out),
		.byte_ready_i(ready_in)
	);
	wire taken = ready && !reset_q;
	reg began_q;                         // the coder puts a check behind a flag that begins one alone
	always @(posedge clk)
		began_q <= !reset_q && (began_q || (taken && first));
	always @* begin
		assume (!check || began_q);
		assume ({2'd0, bits} + {2'd0, pad} + {2'd0, check} + {2'd0, flag} <= 3'd1);
		assume (size <= 3'd6 && value >> size == 6'd0 && (bits || value == 6'd0));
		assume (!first || flag);
	end

	// ---------------------------------------------------------------- what has to come, bit by bit
	reg  [7:0] partial_q;                // the bits that wait, the first at the bottom
	reg  [2:0] waiting_q;
	reg  [31:0] crc_q;
	reg  [13:0] joined;
	reg  [3:0] amount;
	reg  [31:0] crc;
	reg  feedback;
	integer i;
	wire makes = (bits && amount >= 4'd8) || (pad && waiting_q != 3'd0);
	wire [7:0] content = pad ? partial_q : joined[7:0];
	always @* begin
		joined = {6'd0, partial_q};
		amount = {1'b0, waiting_q};
		for (i = 0; i < 6; i = i + 1)
			if (i < size) begin
				joined[amount] = value[i];
				amount = amount + 4'd1;
			end
		crc = crc_q;
		for (i = 0; i < 8; i = i + 1) begin
			feedback = crc[0] ^ content[i];
			crc = {1'b0, crc[31:1]};
			if (feedback) // x^32 + x^26 + x^23 + x^22 + x^16 + x^12 + x^11 + x^10 + x^8 + x^7 + x^5 + x^4 + x^2 + x + 1, its lowest power at the top
				crc = crc ^ 32'b11101101101110001000001100100000;
		end
	end
	always @(posedge clk) begin
		if (taken && bits) begin
			partial_q <= makes ? {2'd0, joined[13:8]} : joined[7:0];
			waiting_q <= amount[2:0];
		end
		if (taken && pad) begin
			partial_q <= 8'd0;
			waiting_q <= 3'd0;
		end
		if (taken && makes)
			crc_q <= crc;
		if (taken && check)
			crc_q <= {crc_q[7:0], crc_q[31:8]};
		if (taken && first)
			crc_q <= 32'hFFFFFFFF;
		if (reset_q) begin
			partial_q <= 8'd0;
			waiting_q <= 3'd0;
		end
	end
	wire       unit_in = taken && (makes || check || flag);
	wire [8:0] new_unit = flag ? {1'b1, FLAG} : check ? {1'b0, ~crc_q[7:0]} : {1'b0, content};

	// ---------------------------------------------------------------- a receiver
	reg        pending_q;                // behind an escape
	wire       comes = valid && ready_in && !reset_q;
	wire       escape = out == ESCAPE && !pending_q;
	wire       unit_out = comes && !escape;
	wire [8:0] old_unit = {out == FLAG, pending_q ? out ^ 8'h20 : out};
	always @(posedge clk)
		pending_q <= !reset_q && (comes ? escape : pending_q);

	// One unit, any, is followed: `ahead` go out before it.
	reg  [3:0] held_q, ahead_q;
	reg        have_q;
	reg  [8:0] expected_q;
	wire       leaving = have_q && ahead_q == 4'd0 && unit_out;
	always @(posedge clk) begin
		held_q <= held_q + {3'd0, unit_in} - {3'd0, unit_out};
		if (unit_in && follow && (!have_q || leaving)) begin
			have_q <= 1'b1;
			expected_q <= new_unit;
			ahead_q <= held_q - {3'd0, unit_out};
		end else if (leaving)
			have_q <= 1'b0;
		else if (unit_out)
			ahead_q <= ahead_q - 4'd1;
		if (reset_q)
			{have_q, held_q, ahead_q} <= 9'd0;
	end
	reg        waits_q = 1'b0;
	reg  [7:0] out_q;
	always @(posedge clk) begin
		waits_q <= valid && !ready_in && !reset_q;
		out_q <= out;
	end

	// ---------------------------------------------------------------- the lemma: buffer and stage, read as bytes are, are the units that are held
	(* hierconn *) wire \unit.stage_q , \unit.raw_q , \unit.escaped_q ;
	(* hierconn *) wire [7:0] \unit.byte_q ;
	(* hierconn *) wire [6:0] \unit.acc_q ;
	(* hierconn *) wire [2:0] \unit.fill_q ;
	(* hierconn *) wire [31:0] \unit.crc_q ;
	(* hierconn *) wire [PTR:0] \unit.buffer.wr_q , \unit.buffer.rd_q ;
	(* hierconn *) wire [8*BUFFER-1:0] \unit.buffer.rows ;
	wire [PTR:0] in_buffer = \unit.buffer.wr_q - \unit.buffer.rd_q ;
	wire       special = \unit.byte_q == FLAG || \unit.byte_q == ESCAPE;
	reg        known, pending;
	reg  [3:0] units;
	reg  [7:0] one;
	reg  [PTR-1:0] at;
	integer k;
	always @* begin
		known = in_buffer <= BUFFER && (!valid || in_buffer != {PTR+1{1'b0}});
		pending = pending_q;
		units = 4'd0;
		for (k = 0; k < BUFFER; k = k + 1) begin
			at = \unit.buffer.rd_q [PTR-1:0] + k;
			one = \unit.buffer.rows [8*at +: 8];
			if (k == 0 && valid && out != one)
				known = 1'b0;
			if (k < in_buffer) begin
				if (pending && one != (FLAG ^ 8'h20) && one != (ESCAPE ^ 8'h20))
					known = 1'b0;
				if (pending || one != ESCAPE) begin
					if (have_q && units == ahead_q && expected_q != {!pending && one == FLAG, pending ? one ^ 8'h20 : one})
						known = 1'b0;
					units = units + 4'd1;
				end
				pending = one == ESCAPE && !pending;
			end
		end
		if (pending != \unit.escaped_q || (\unit.escaped_q && (!\unit.stage_q || \unit.raw_q || !special)))
			known = 1'b0;
		if (\unit.stage_q ) begin
			if ((\unit.raw_q && \unit.byte_q != FLAG) || (have_q && units == ahead_q && expected_q != {\unit.raw_q , \unit.byte_q }))
				known = 1'b0;
			units = units + 4'd1;
		end
		if (units != held_q || (have_q && ahead_q >= held_q))
			known = 1'b0;
		if (partial_q != {1'b0, \unit.acc_q } || waiting_q != \unit.fill_q || \unit.acc_q >> waiting_q != 7'd0 || (began_q && crc_q != \unit.crc_q ))
			known = 1'b0;
	end

	always @* if (!reset_q) case (CHECK)
		HOLDS: assert (!waits_q || (valid && out == out_q));
		LEGAL: begin
			assert (!valid || !pending_q || out == (FLAG ^ 8'h20) || out == (ESCAPE ^ 8'h20));
			assert (!empty || !pending_q);
		end
		default: begin
			assert (known);
			assert (!unit_out || held_q != 4'd0);
			assert (!empty || held_q == 4'd0);
			assert (!leaving || old_unit == expected_q);
		end
	endcase
endmodule
`default_nettype wire
